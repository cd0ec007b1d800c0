/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile as a table, independent of its display: for one kernel its source lines in order, with
 * a few lines around those that ran, and the columns that have content.
 */
#ifndef CGPU_KERNEL_VIEWS_PROFILE_TABLE_H
#define CGPU_KERNEL_VIEWS_PROFILE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/launch-profile.h"

struct buffer;
struct error;

#define PROFILE_CELL_MAX 40

struct profile_row {
	const char *file; /* "": the line is not known */
	uint32_t line;
	const char *text; /* the line's text, `len` bytes; NULL: not known */
	size_t len;
	bool gap;                            /* lines before it are left out */
	bool opens_file;                     /* the rows before it belong to another file */
	const struct profile_counts *counts; /* NULL: no instruction of it ran */
};

struct profile_column {
	const char *title;
	const char *hint;
	/* Writes the content of a cell of the table; "" for nothing. */
	void (*put)(const struct profile_counts *c, char ret[PROFILE_CELL_MAX]);
	/* Tells whether the value is far from the optimum; NULL: no such judgement. */
	bool (*is_bad)(const struct profile_counts *c);
};

struct profile_table {
	const struct profile_kernel *kernel;
	struct profile_row *rows;
	size_t n_rows;
	const struct profile_column **columns; /* ends with a NULL */
	uint64_t most;                         /* the maximum of warp instructions in a row */
};

/* The texts of cells. */
struct profile_sources {
	/* Returns the text of the cell "In[3]", which lives as long as the tables; NULL: it is not
	 * known. */
	const char *(*text)(void *data, const char *file);
	void *data;
};

/* Makes the table; it borrows from the profile and from the texts. */
int profile_table_init(struct profile_table *t, const struct launch_profile *p, uint32_t kernel,
		       const struct profile_sources *sources, struct error *err);
void profile_table_release(struct profile_table *t);

/* Returns the row's percentage of the kernel's warp instructions. */
double profile_table_share(const struct profile_table *t, const struct profile_row *r);

/* Appends the summary of the kernel as lines. */
void profile_table_summary(const struct profile_kernel *e, struct buffer *out);

void profile_table_text(const struct profile_table *t, struct buffer *out);
void profile_table_html(const struct profile_table *t, struct buffer *out);

#endif
