/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile's table as HTML: the hotter a line, the redder. Colours are transparent and text keeps
 * the page's colour, so it suits light pages and dark ones; it has no script and loads nothing.
 */
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "kernel/base/utf8.h"
#include "kernel/views/profile-table.h"

#define TABLE "border-collapse:collapse;margin:.6em 0;text-align:right;white-space:nowrap"
#define SOURCE "text-align:left;white-space:pre;font-family:monospace"
#define BAD " style=\"background:rgba(251,188,4,.35)\""

/* Returns the opacity of the red behind a line. */
static double heat(const struct profile_table *t, const struct profile_row *r)
{
	return r->counts && t->most ? 0.65 * (double)r->counts->executed / (double)t->most : 0;
}

static size_t column_count(const struct profile_table *t)
{
	size_t n = 0;

	while (t->columns[n])
		n++;
	return n;
}

static void put_head(const struct profile_table *t, struct buffer *out)
{
	buffer_puts(out, "<thead><tr><th>line</th><th title=\"of all warp "
			 "instructions\">share</th><th style=\"text-align:left\">source</th>");
	for (size_t i = 0; t->columns[i]; i++)
		buffer_printf(out, "<th title=\"%s\">%s</th>", t->columns[i]->hint,
			      t->columns[i]->title);
	buffer_puts(out, "</tr></thead>\n");
}

static void put_note(const struct profile_table *t, const char *text, struct buffer *out)
{
	buffer_printf(out, "<tr><td colspan=\"%zu\" style=\"text-align:left;opacity:.6\">",
		      column_count(t) + 3);
	utf8_html(text, strlen(text), out);
	buffer_puts(out, "</td></tr>\n");
}

static void put_figures(const struct profile_table *t, const struct profile_row *r,
			struct buffer *out)
{
	for (size_t i = 0; t->columns[i]; i++) {
		const struct profile_column *c = t->columns[i];
		char text[PROFILE_CELL_MAX] = "";

		if (r->counts)
			c->put(r->counts, text);
		buffer_printf(out, "<td%s>%s</td>",
			      r->counts && c->is_bad && c->is_bad(r->counts) ? BAD : "", text);
	}
}

static void put_row(const struct profile_table *t, const struct profile_row *r, struct buffer *out)
{
	double red = heat(t, r);

	if (r->opens_file)
		put_note(t, *r->file ? r->file : "code without lines of source", out);
	if (r->gap)
		put_note(t, "...", out);
	buffer_printf(out, "<tr><td>%u</td>", r->line);
	if (r->counts)
		buffer_printf(out,
			      "<td style=\"background:rgba(234,67,53,%.2f)\">%.1f&#160;%%</td>",
			      red, profile_table_share(t, r));
	else
		buffer_puts(out, "<td></td>");
	buffer_printf(out, "<td style=\"" SOURCE ";background:rgba(234,67,53,%.2f)\">", red);
	if (r->text)
		utf8_html(r->text, r->len, out);
	buffer_puts(out, "</td>");
	put_figures(t, r, out);
	buffer_puts(out, "</tr>\n");
}

static void put_summary(const struct profile_table *t, struct buffer *out)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	profile_table_summary(t->kernel, &text);
	for (const char *at = buffer_text(&text); *at;) {
		size_t len = strcspn(at, "\n");

		buffer_puts(out, "<div>");
		utf8_html(at, len, out);
		buffer_puts(out, "</div>");
		at += len + (at[len] == '\n');
	}
	out->failed |= text.failed;
}

void profile_table_html(const struct profile_table *t, struct buffer *out)
{
	buffer_puts(out, "<details open=\"open\"><summary><b><code>");
	utf8_html(t->kernel->name, strlen(t->kernel->name), out);
	buffer_puts(out, "</code></b></summary>\n");
	put_summary(t, out);
	buffer_puts(out,
		    "<div style=\"overflow-x:auto\"><table cellpadding=\"4\" style=\"" TABLE "\">");
	put_head(t, out);
	buffer_puts(out, "<tbody>\n");
	for (size_t i = 0; i < t->n_rows; i++)
		put_row(t, &t->rows[i], out);
	buffer_puts(out, "</tbody></table></div></details>\n");
}
