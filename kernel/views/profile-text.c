/* SPDX-License-Identifier: Apache-2.0 */
/* A profile's table for consoles. */
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "kernel/views/profile-table.h"

static int width(const struct profile_table *t, const struct profile_column *c)
{
	char text[PROFILE_CELL_MAX];
	size_t most = strlen(c->title);

	for (size_t i = 0; i < t->n_rows; i++) {
		if (!t->rows[i].counts)
			continue;
		c->put(t->rows[i].counts, text);
		if (strlen(text) > most)
			most = strlen(text);
	}
	return (int)most;
}

/* Appends the columns of a row; counts NULL: the titles, or nothing. */
static void put_columns(const struct profile_table *t, const struct profile_counts *counts,
			bool titles, struct buffer *out)
{
	for (size_t i = 0; t->columns[i]; i++) {
		char text[PROFILE_CELL_MAX] = "";

		if (titles)
			snprintf(text, sizeof(text), "%s", t->columns[i]->title);
		else if (counts)
			t->columns[i]->put(counts, text);
		buffer_printf(out, "  %*s", width(t, t->columns[i]), text);
	}
}

static void put_row(const struct profile_table *t, const struct profile_row *r, struct buffer *out)
{
	char share[16] = "";

	if (r->opens_file)
		buffer_printf(out, "%s\n", *r->file ? r->file : "code without lines of source");
	if (r->gap)
		buffer_puts(out, "     ...\n");
	if (r->counts)
		snprintf(share, sizeof(share), "%.1f %%", profile_table_share(t, r));
	buffer_printf(out, "%5u %7s", r->line, share);
	put_columns(t, r->counts, false, out);
	buffer_printf(out, "  | %.*s\n", (int)(r->text ? r->len : 0), r->text ? r->text : "");
}

void profile_table_text(const struct profile_table *t, struct buffer *out)
{
	buffer_printf(out, "%s: ", t->kernel->name);
	profile_table_summary(t->kernel, out);
	buffer_printf(out, "%5s %7s", "line", "share");
	put_columns(t, NULL, true, out);
	buffer_puts(out, "  |\n");
	for (size_t i = 0; i < t->n_rows; i++)
		put_row(t, &t->rows[i], out);
}
