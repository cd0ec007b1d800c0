/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds records that cannot be needed any more. A cell that is run again with the same code takes
 * over the machine code of its earlier run under its own number, so no address leads to the earlier
 * record; a cell of constants has no code at all. Such a record still gives the addresses of its
 * names, until later records define all of them. States that can be returned to need their records:
 * only records from before the oldest such state are considered, both as unneeded and as their
 * replacements.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/cleanup.h"
#include "kernel/units/unit-table.h"

#define TIDY_MIN 64

struct named {
	const char *name;
	size_t record;
};

struct numbered {
	uint32_t cell;
	size_t record;
};

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	return c ? c : (x->record > y->record) - (x->record < y->record);
}

static int by_cell(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	return (x->cell > y->cell) - (x->cell < y->cell);
}

/* Finds records without an address: those with the same code as a later one, or without code.
 * Several of one cell cannot be told apart. */
static int find_codeless(const struct unit_table *t, size_t n, bool *gone)
{
	cleanup_free struct numbered *cells = malloc((n + 1) * sizeof(*cells));

	if (!cells)
		return -1;
	for (size_t i = 0; i < n; i++) {
		cells[i] = (struct numbered){ t->records[i].unit.cell, i };
		gone[i] = !t->records[i].has_code;
	}
	qsort(cells, n, sizeof(*cells), by_cell);
	for (size_t i = 0; i < n; i++) {
		struct numbered key = { .cell = t->records[i].replaces };
		const struct numbered *found =
			key.cell ? bsearch(&key, cells, n, sizeof(*cells), by_cell) : NULL;

		if (found && found->record < i && (found == cells || found[-1].cell != key.cell) &&
		    (found == cells + n - 1 || found[1].cell != key.cell))
			gone[found->record] = true;
	}
	return 0;
}

/* Keeps records with a name that no later one of the n records has. */
static int keep_named(const struct unit_table *t, size_t n, bool *gone)
{
	cleanup_free struct named *names = NULL;
	size_t all = 0, at = 0;

	for (size_t i = 0; i < n; i++)
		all += t->records[i].unit.n_symbols;
	names = malloc((all + 1) * sizeof(*names));
	if (!names)
		return -1;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < t->records[i].unit.n_symbols; k++)
			names[at++] = (struct named){ t->records[i].unit.symbols[k].name, i };
	qsort(names, all, sizeof(*names), by_name);
	for (size_t i = 0; i < all; i++)
		if (i + 1 == all || strcmp(names[i].name, names[i + 1].name) != 0)
			gone[names[i].record] = false;
	return 0;
}

void unit_table_tidy(struct unit_table *t, uint64_t oldest)
{
	cleanup_free bool *gone = NULL;
	size_t n = 0;

	if (t->n < t->tidy_at || t->n < TIDY_MIN || t->n_running)
		return;
	gone = calloc(t->n, sizeof(*gone));
	while (n < t->n && t->records[n].serial < oldest)
		n++;
	if (gone && !find_codeless(t, n, gone) && !keep_named(t, n, gone)) {
		for (size_t i = 0; i < n; i++)
			gone[i] &= !t->records[i].ended.len;
		unit_table_remove(t, gone);
	}
	t->tidy_at = 2 * t->n + TIDY_MIN;
}
