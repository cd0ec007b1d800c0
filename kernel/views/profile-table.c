/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A column is a function that prints one value of the counts, and optionally one that says when it
 * is bad. A column is shown when it prints something for the kernel's total, so a kernel without
 * shared memory has no column for it. Rows are made from the kernel's lines, sorted by file and
 * number, with AROUND lines of the cell's text on both sides. Nothing is copied: rows point into
 * the profile and the texts of cells.
 */
#include "kernel/views/profile-table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"

#define AROUND 1 /* lines that are shown before and behind one that ran */
#define SECTOR 32

/* ---- columns ---- */

/* Formats a value; nothing when `there`, its base, is 0. */
static void __attribute__((format(printf, 3, 4))) put(uint64_t there, char *ret, const char *fmt,
						      ...)
{
	va_list ap;

	ret[0] = '\0';
	if (!there)
		return;
	va_start(ap, fmt);
	vsnprintf(ret, PROFILE_CELL_MAX, fmt, ap);
	va_end(ap);
}

static void put_count(uint64_t n, char *ret)
{
	put(n, ret, "%" PRIu64, n);
}

static double ratio(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : 0;
}

static void put_executed(const struct profile_counts *c, char *ret)
{
	put_count(c->executed, ret);
}

static void put_lanes(const struct profile_counts *c, char *ret)
{
	put(c->executed, ret, "%.1f", ratio(c->lanes, c->executed));
}

static bool few_lanes(const struct profile_counts *c)
{
	return c->lanes < 16 * c->executed;
}

static void put_splits(const struct profile_counts *c, char *ret)
{
	put_count(c->splits, ret);
}

static void put_sectors(const struct profile_counts *c, char *ret)
{
	put(c->global_requests, ret, "%.1f (%.1f)", ratio(c->global_sectors, c->global_requests),
	    ratio(c->global_ideal, c->global_requests));
}

static bool many_sectors(const struct profile_counts *c)
{
	return c->global_sectors > 2 * c->global_ideal;
}

static void put_global(const struct profile_counts *c, char *ret)
{
	put_count(c->global_requests, ret);
}

static void put_shared(const struct profile_counts *c, char *ret)
{
	put_count(c->shared_requests, ret);
}

static void put_passes(const struct profile_counts *c, char *ret)
{
	put(c->shared_requests, ret, "%.1f (%.1f)", ratio(c->shared_passes, c->shared_requests),
	    ratio(c->shared_ideal, c->shared_requests));
}

static bool has_conflicts(const struct profile_counts *c)
{
	return c->shared_passes > c->shared_ideal;
}

static void put_local(const struct profile_counts *c, char *ret)
{
	put_count(c->local_bytes, ret);
}

static void put_atomics(const struct profile_counts *c, char *ret)
{
	put(c->atomic_requests, ret, "%" PRIu64 " (%.1f)", c->atomic_requests,
	    ratio(c->atomic_conflicts, c->atomic_requests));
}

static void put_barriers(const struct profile_counts *c, char *ret)
{
	put(c->barriers, ret, "%" PRIu64 " (%.1f)", c->barriers, ratio(c->waited, c->barriers));
}

static void put_flops(const struct profile_counts *c, char *ret)
{
	put_count(c->flops, ret);
}

/* Brackets contain the best possible value, or the amount per unit. */
static const struct profile_column columns[] = {
	{ "instructions", "warp instructions, as PTX has them", put_executed, NULL },
	{ "lanes", "active lanes of 32, on the average", put_lanes, few_lanes },
	{ "splits", "branches whose lanes parted", put_splits, NULL },
	{ "flops", "floating-point operations of all lanes", put_flops, NULL },
	{ "global", "requests to global memory: instructions of a warp", put_global, NULL },
	{ "sectors", "pieces of 32 bytes that a request touches (and what would do for its bytes)",
	  put_sectors, many_sectors },
	{ "shared", "requests to shared memory", put_shared, NULL },
	{ "passes", "passes over the banks a request takes (and without conflicts)", put_passes,
	  has_conflicts },
	{ "local bytes", "spills and stack, of all lanes", put_local, NULL },
	{ "atomics", "requests (and lanes of a warp that wait for another at the same address)",
	  put_atomics, NULL },
	{ "barriers", "arrivals of warps (and instructions by which each was ahead of the slowest)",
	  put_barriers, NULL },
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static int choose_columns(struct profile_table *t)
{
	char text[PROFILE_CELL_MAX];
	size_t n = 0;

	t->columns = calloc(COLUMNS + 1, sizeof(*t->columns));
	for (size_t i = 0; t->columns && i < COLUMNS; i++) {
		columns[i].put(&t->kernel->total, text);
		if (*text)
			t->columns[n++] = &columns[i];
	}
	return t->columns ? 0 : -1;
}

/* ---- rows ---- */

static int by_place(const void *a, const void *b)
{
	const struct profile_line *x = *(const struct profile_line *const *)a,
				  *y = *(const struct profile_line *const *)b;
	int order = strcmp(x->file, y->file);

	return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* Returns the lines of the kernel, sorted; NULL: memory is out. */
static const struct profile_line **own_lines(const struct launch_profile *p, uint32_t kernel,
					     size_t *ret_n)
{
	const struct profile_line **lines =
		calloc(p->n_lines + 1, sizeof(const struct profile_line *));
	size_t n = 0;

	for (size_t i = 0; lines && i < p->n_lines; i++)
		if (p->lines[i].kernel == kernel)
			lines[n++] = &p->lines[i];
	if (n)
		qsort(lines, n, sizeof(const struct profile_line *), by_place);
	*ret_n = n;
	return lines;
}

/* Finds line `line` of a text; NULL: it has none. */
static const char *line_of(const char *text, uint32_t line, size_t *ret_len)
{
	for (uint32_t n = 1; text && n < line; n++) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	if (!text || !line)
		return NULL;
	*ret_len = strcspn(text, "\n");
	return text;
}

struct filling {
	struct profile_table *table;
	const char *file, *text;
	uint32_t last; /* the line of this file that was added last; 0: none */
};

static bool is_blank(const char *text, size_t len)
{
	return strspn(text, " \t") >= len;
}

static void add_row(struct filling *f, uint32_t line, const struct profile_counts *counts)
{
	struct profile_row *r = &f->table->rows[f->table->n_rows];

	if (line <= f->last && f->last)
		return;
	*r = (struct profile_row){ .file = f->file,
				   .line = line,
				   .counts = counts,
				   .opens_file = !f->last,
				   .gap = f->last && line > f->last + 1 };
	r->text = line_of(f->text, line, &r->len);
	/* Magics are blank here, and a table must not begin with a blank line. */
	if (!counts && (!r->text || (!f->last && is_blank(r->text, r->len))))
		return;
	f->last = line;
	f->table->n_rows++;
}

static void add_line(struct filling *f, const struct profile_line *l,
		     const struct profile_line *next, const struct profile_sources *sources)
{
	uint32_t line = l->line;

	if (!f->file || strcmp(f->file, l->file))
		*f = (struct filling){ f->table, l->file, sources->text(sources->data, l->file),
				       0 };
	for (uint32_t i = AROUND; i; i--)
		if (line > i)
			add_row(f, line - i, NULL);
	add_row(f, line, &l->counts);
	for (uint32_t i = 1; i <= AROUND; i++)
		if (!next || strcmp(next->file, l->file) || next->line > line + i)
			add_row(f, line + i, NULL);
	if (l->counts.executed > f->table->most)
		f->table->most = l->counts.executed;
}

int profile_table_init(struct profile_table *t, const struct launch_profile *p, uint32_t kernel,
		       const struct profile_sources *sources, struct error *err)
{
	cleanup_free const struct profile_line **lines = NULL;
	struct filling f = { .table = t };
	size_t n;

	*t = (struct profile_table){ .kernel = &p->kernels[kernel] };
	lines = own_lines(p, kernel, &n);
	t->rows = calloc(n * (1 + 2 * AROUND) + 1, sizeof(*t->rows));
	if (!lines || !t->rows || choose_columns(t)) {
		profile_table_release(t);
		return error_set(err, ERROR_MEMORY, "out of memory for a profile");
	}
	for (size_t i = 0; i < n; i++)
		add_line(&f, lines[i], i + 1 < n ? lines[i + 1] : NULL, sources);
	return 0;
}

void profile_table_release(struct profile_table *t)
{
	free(t->rows);
	free(t->columns);
	*t = (struct profile_table){ 0 };
}

double profile_table_share(const struct profile_table *t, const struct profile_row *r)
{
	return r->counts ? 100 * ratio(r->counts->executed, t->kernel->total.executed) : 0;
}

/* ---- the kernel as a whole ---- */

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void put_memory(const struct profile_counts *c, struct buffer *out)
{
	if (c->global_requests)
		buffer_printf(out,
			      "global memory: %" PRIu64 " bytes asked for in %" PRIu64
			      " request%s, %" PRIu64
			      " bytes moved in sectors of 32: %.0f %% of them of use\n",
			      c->global_bytes, c->global_requests, plural(c->global_requests),
			      c->global_sectors * SECTOR,
			      100 * ratio(c->global_ideal, c->global_sectors));
	if (c->shared_requests)
		buffer_printf(out,
			      "shared memory: %" PRIu64 " request%s, %" PRIu64
			      " passes over the banks, %" PRIu64 " of them for conflicts\n",
			      c->shared_requests, plural(c->shared_requests), c->shared_passes,
			      c->shared_passes - c->shared_ideal);
	if (c->flops && c->global_sectors)
		buffer_printf(out,
			      "arithmetic: %" PRIu64
			      " floating-point operations, %.2f for each byte of global memory\n",
			      c->flops, ratio(c->flops, c->global_sectors * SECTOR));
	else if (c->flops)
		buffer_printf(out, "arithmetic: %" PRIu64 " floating-point operations\n", c->flops);
}

static void put_mix(const struct profile_kernel *e, struct buffer *out)
{
	const char *before = "mix: ";

	for (int i = 0; i < INSTRUCTION_CLASSES; i++) {
		if (!e->mix[i])
			continue;
		buffer_printf(out, "%s%s %.0f %%", before,
			      instruction_class_name((enum instruction_class)i),
			      100 * ratio(e->mix[i], e->total.executed));
		before = ", ";
	}
	buffer_putc(out, '\n');
}

void profile_table_summary(const struct profile_kernel *e, struct buffer *out)
{
	buffer_printf(out,
		      "%" PRIu32
		      " launch%s, the last one of (%u,%u,%u) blocks of (%u,%u,%u) threads; %.3f ms "
		      "on the emulated device, which says nothing of a GPU's time\n",
		      e->launches, e->launches == 1 ? "" : "es", e->grid[0], e->grid[1], e->grid[2],
		      e->block[0], e->block[1], e->block[2], (double)e->nanoseconds / 1e6);
	buffer_printf(out,
		      "%" PRIu64 " warp instructions, %.1f of 32 lanes active, %" PRIu64
		      " branch%s parted %s lanes\n",
		      e->total.executed, ratio(e->total.lanes, e->total.executed), e->total.splits,
		      e->total.splits == 1 ? "" : "es", e->total.splits == 1 ? "its" : "their");
	put_memory(&e->total, out);
	put_mix(e, out);
}
