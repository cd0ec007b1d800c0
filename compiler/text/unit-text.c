/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each piece copied from the cell adds a segment (unit start and end, cell start). Segments grow in
 * the order of the unit, so the way back is a binary search. Every byte of a replacement maps to
 * the first byte that it replaces, and line ends of the replaced piece are written again, so that
 * clang's line numbers hold. Running out of memory sets `failed`, which unit_text_check() reports
 * at the end.
 */
#include "compiler/text/unit-text.h"

#include <stdlib.h>

#include "common/base/error.h"
#include "common/base/mem-pool.h"

/* The most that the written texts of a unit take: so many times the cell, and so much more. */
#define WRITTEN_TIMES 8
#define WRITTEN_SMALL 4096

void edit_list_add(struct edit_list *l, uint32_t start, uint32_t end, const char *with)
{
	if (l->n == l->cap) {
		uint32_t cap = l->cap ? 2 * l->cap : 32;
		struct edit *grown = realloc(l->at, cap * sizeof(*grown));

		if (!grown) {
			l->failed = 1;
			return;
		}
		l->at = grown;
		l->cap = cap;
	}
	l->at[l->n++] = (struct edit){ start, end, with };
}

bool edit_list_has(const struct edit_list *l, uint32_t start)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->at[i].start == start)
			return true;
	return false;
}

void edit_list_sort(struct edit_list *l)
{
	for (uint32_t i = 1; i < l->n; i++) {
		struct edit e = l->at[i];
		uint32_t j = i;

		for (; j && l->at[j - 1].start > e.start; j--)
			l->at[j] = l->at[j - 1];
		l->at[j] = e;
	}
}

void edit_list_release(struct edit_list *l)
{
	free(l->at);
	*l = (struct edit_list){ 0 };
}

void unit_text_init(struct unit_text *u, const char *cell, size_t cell_len, const char *cell_name)
{
	*u = (struct unit_text){ .cell = cell, .cell_len = cell_len, .cell_name = cell_name };
	buffer_init(&u->text);
}

void unit_text_release(struct unit_text *u)
{
	buffer_release(&u->text);
	free(u->segments);
	u->segments = NULL;
}

void unit_text_puts(struct unit_text *u, const char *text)
{
	buffer_puts(&u->text, text);
}

void unit_text_line(struct unit_text *u, uint32_t line)
{
	buffer_printf(&u->text, "\n#line %u \"%s\"\n", line, u->cell_name);
}

static void add_segment(struct unit_text *u, uint32_t start, uint32_t len, uint32_t cell)
{
	if (!len)
		return;
	if (u->n == u->cap) {
		uint32_t cap = u->cap ? 2 * u->cap : 64;
		struct unit_text_segment *grown = realloc(u->segments, cap * sizeof(*grown));

		if (!grown) {
			u->failed = 1;
			return;
		}
		u->segments = grown;
		u->cap = cap;
	}
	u->segments[u->n++] = (struct unit_text_segment){ start, start + len, cell };
}

static void copy_plain(struct unit_text *u, uint32_t start, uint32_t end)
{
	add_segment(u, (uint32_t)u->text.len, end - start, start);
	buffer_append(&u->text, u->cell + start, end - start);
}

void unit_text_copy(struct unit_text *u, uint32_t start, uint32_t end,
		    const struct edit_list *edits)
{
	for (uint32_t i = 0; edits && i < edits->n; i++) {
		const struct edit *e = &edits->at[i];

		if (e->start < start || e->end > end)
			continue;
		copy_plain(u, start, e->start);
		/* Generated text at this place is mapped to the place itself. */
		for (const char *p = e->with; *p; p++)
			add_segment(u, (uint32_t)u->text.len + (uint32_t)(p - e->with), 1,
				    e->start);
		buffer_puts(&u->text, e->with);
		/* A dropped piece keeps its line ends, so that clang's line numbers stay valid. */
		for (uint32_t at = e->start; at < e->end; at++)
			if (u->cell[at] == '\n')
				buffer_putc(&u->text, '\n');
		start = e->end;
	}
	copy_plain(u, start, end);
}

long unit_text_find(const struct unit_text *u, long offset)
{
	uint32_t low = 0, high = u->n;

	while (low < high) {
		uint32_t middle = (low + high) / 2;
		const struct unit_text_segment *s = &u->segments[middle];

		if (offset < (long)s->start)
			high = middle;
		else if (offset > (long)s->end || (offset == (long)s->end && middle + 1 < u->n &&
						   u->segments[middle + 1].start == s->end))
			low = middle + 1;
		else
			return (long)s->cell + (offset - (long)s->start);
	}
	return -1;
}

const char *unit_text_written(struct unit_text *u, long begin, long end, struct mem_pool *pool)
{
	long from = begin < 0 ? -1 : unit_text_find(u, begin),
	     to = from < 0 ? -1 : unit_text_find(u, end - 1);
	size_t len = to < from || from < 0 ? 0 : (size_t)(to + 1 - from);

	/* The text of `int a, b, c;` is that of each of the three. */
	if (u->written + len > WRITTEN_SMALL + WRITTEN_TIMES * u->cell_len)
		len = 0;
	u->written += len;
	return len ? mem_pool_strndup(pool, u->cell + from, len) : "";
}

int unit_text_check(const struct unit_text *u, struct error *err)
{
	if (u->failed)
		return error_set(err, ERROR_MEMORY, "out of memory for the text of a unit");
	return buffer_check(&u->text, err);
}
