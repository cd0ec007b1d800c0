/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile as a table, however it is shown: for one entry its lines of source in order, with a few
 * lines around those that ran, and the columns that have something to say.
 */
#ifndef CGPU_KERNEL_SHOW_PROFILE_TABLE_H
#define CGPU_KERNEL_SHOW_PROFILE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/launch-profile.h"

struct buffer;
struct error;
struct supervisor;

#define PROFILE_CELL_MAX 40

struct profile_row {
	const char *file; /* "": no line is known */
	uint32_t line;
	const char *text; /* of the line, `len` bytes; NULL: not known */
	size_t len;
	bool gap;                            /* lines are left out before it */
	bool opens_file;                     /* the rows before it are of another file */
	const struct profile_counts *counts; /* NULL: nothing of it ran */
};

struct profile_column {
	const char *title;
	const char *hint;
	/* What stands there; "" for nothing. */
	void (*put)(const struct profile_counts *c, char ret[PROFILE_CELL_MAX]);
	/* Is it far from what it could be? NULL: never said. */
	bool (*is_bad)(const struct profile_counts *c);
};

struct profile_table {
	const struct profile_entry *entry;
	struct profile_row *rows;
	size_t n_rows;
	const struct profile_column **columns; /* up to a NULL */
	uint64_t most;                         /* warp instructions of any row */
};

/* Borrows from the profile and from the session's texts. */
int profile_table_init(struct profile_table *t, const struct launch_profile *p, uint32_t entry,
		       const struct supervisor *s, struct error *err);
void profile_table_release(struct profile_table *t);

/* Percent of the entry's warp instructions. */
double profile_table_share(const struct profile_table *t, const struct profile_row *r);

/* What is said of the entry as a whole, in lines. */
void profile_table_summary(const struct profile_entry *e, struct buffer *out);

void profile_table_text(const struct profile_table *t, struct buffer *out);
void profile_table_html(const struct profile_table *t, struct buffer *out);

#endif
