/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The translation unit that is made of a cell: text of ours and pieces of the cell, with the way
 * back from each byte to the cell. Pieces may carry edits (a word dropped, a launch respelled);
 * what is not edited keeps its place.
 */
#ifndef CGPU_COMPILER_UNIT_TEXT_H
#define CGPU_COMPILER_UNIT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"

struct error;

/* Replace bytes [start, end) of the cell by `with`; sorted by start, not overlapping. */
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
/* Does one of them begin at this byte? */
bool edit_list_has(const struct edit_list *l, uint32_t start);
/* Stable by start. */
void edit_list_sort(struct edit_list *l);
void edit_list_release(struct edit_list *l);

struct unit_text_segment {
	uint32_t start, end; /* in the unit */
	uint32_t cell;       /* in the cell, of start */
};

struct unit_text {
	struct buffer text;
	const char *cell; /* borrowed */
	size_t cell_len;
	const char *cell_name;              /* borrowed */
	struct unit_text_segment *segments; /* owned */
	uint32_t n, cap;
	int failed;
};

void unit_text_init(struct unit_text *u, const char *cell, size_t cell_len, const char *cell_name);
void unit_text_release(struct unit_text *u);
void unit_text_puts(struct unit_text *u, const char *text);
/* From here on clang counts lines from this one of the cell. */
void unit_text_line(struct unit_text *u, uint32_t line);
/* Bytes [start, end) of the cell with the edits applied; edits may be NULL. */
void unit_text_copy(struct unit_text *u, uint32_t start, uint32_t end,
		    const struct edit_list *edits);
/* The cell's byte for a byte of the unit, -1 for text of ours. */
long unit_text_find(const struct unit_text *u, long offset);
int unit_text_check(const struct unit_text *u, struct error *err);

#endif
