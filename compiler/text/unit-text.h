/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The translation unit of a cell: generated text and pieces of the cell, with a map from each byte
 * back to the cell. Pieces may have edits (a word dropped, a launch rewritten); text without edits
 * is mapped exactly.
 */
#ifndef CGPU_COMPILER_UNIT_TEXT_H
#define CGPU_COMPILER_UNIT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"

struct error;
struct mem_pool;

/* Replaces bytes [start, end) of the cell by `with`; edits are sorted by start and do not
 * overlap. */
struct edit {
	uint32_t start, end;
	const char *with;
};

struct edit_list {
	struct edit *at; /* owned */
	uint32_t n, cap;
	int failed;
};

void edit_list_add(struct edit_list *l, uint32_t start, uint32_t end, const char *with);
/* Tells whether an edit begins at this byte. */
bool edit_list_has(const struct edit_list *l, uint32_t start);
/* Sorts by start; the sort is stable. */
void edit_list_sort(struct edit_list *l);
void edit_list_release(struct edit_list *l);

struct unit_text_segment {
	uint32_t start, end; /* in the unit */
	uint32_t cell;       /* offset of `start` in the cell */
};

struct unit_text {
	struct buffer text;
	const char *cell; /* borrowed */
	size_t cell_len;
	const char *cell_name;              /* borrowed */
	struct unit_text_segment *segments; /* owned */
	uint32_t n, cap;
	size_t written; /* bytes that unit_text_written() has returned */
	int failed;
};

void unit_text_init(struct unit_text *u, const char *cell, size_t cell_len, const char *cell_name);
void unit_text_release(struct unit_text *u);
void unit_text_puts(struct unit_text *u, const char *text);
/* Sets the line number, as in the cell, of the text that follows. */
void unit_text_line(struct unit_text *u, uint32_t line);
/* Copies bytes [start, end) of the cell with the edits applied; edits may be NULL. */
void unit_text_copy(struct unit_text *u, uint32_t start, uint32_t end,
		    const struct edit_list *edits);
/* Returns the cell's offset for an offset of the unit, -1 for generated text. */
long unit_text_find(const struct unit_text *u, long offset);
/*
 * Returns the cell's text of bytes [begin, end) of the unit, in the pool; "" where one of the two
 * is in generated text, or begin < 0, or the texts would take many times the memory of the cell.
 * NULL: there is no memory.
 */
const char *unit_text_written(struct unit_text *u, long begin, long end, struct mem_pool *pool);
int unit_text_check(const struct unit_text *u, struct error *err);

#endif
