/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of texts, as text for terminals and as HTML for pages. In the text, a column is as wide
 * as its longest text, within its limits; longer texts push what is behind them.
 */
#ifndef CGPU_KERNEL_BASE_TEXT_TABLE_H
#define CGPU_KERNEL_BASE_TEXT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buffer.h"

struct text_column {
	const char *title;
	const char *hint;   /* what its figures are; "": the title says it */
	size_t least, most; /* limits of its width in the text, in characters */
	bool left;          /* left-justified */
};

#define TEXT_TABLE_COLUMNS_MAX 12

struct text_table {
	const struct text_column *columns; /* borrowed */
	size_t n_columns;
	size_t longest[TEXT_TABLE_COLUMNS_MAX]; /* text of each, its title included, in characters
						 */
	size_t next;                            /* the column of the next text */
	struct buffer rows; /* for each, a letter for its kind and its texts, each with its end */
};

/* n: at most TEXT_TABLE_COLUMNS_MAX. */
void text_table_init(struct text_table *t, const struct text_column *columns, size_t n);
void text_table_release(struct text_table *t);

/* Begins a row, to which text_table_add() gives a text for each column, all before the next row
 * begins. is_bad: in HTML, it has a background. */
void text_table_begin_row(struct text_table *t, bool is_bad);
/* Adds the next text, in UTF-8. */
void text_table_add(struct text_table *t, const char *text);
/* Adds a row of one text over all columns. */
void text_table_note(struct text_table *t, const char *text);

/* Appends the table with its titles, a line each row. out->failed: memory is out. */
void text_table_text(const struct text_table *t, struct buffer *out);
/* Appends it as an element of HTML, which takes its colours from the page. */
void text_table_html(const struct text_table *t, struct buffer *out);

#endif
