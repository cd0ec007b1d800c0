/* SPDX-License-Identifier: Apache-2.0 */
/* The texts are kept in one buffer in the order of their arrival, since both forms need them, and
 * the width of a column is known behind the last one only. */
#include "kernel/base/text-table.h"

#include <string.h>

#include "kernel/base/utf8.h"

#define TABLE "border-collapse:collapse;margin:.6em 0;text-align:right;white-space:nowrap"
#define LEFT "text-align:left"
#define BAD "background:rgba(234,67,53,.25)"
#define BETWEEN "  "

enum row_kind { ROW = 'r', BAD_ROW = 'b', NOTE = 'n' };

static size_t chars(const char *text)
{
	return utf8_chars(text, strlen(text));
}

void text_table_init(struct text_table *t, const struct text_column *columns, size_t n)
{
	*t = (struct text_table){ .columns = columns, .n_columns = n, .rows = BUFFER_INIT };
	for (size_t c = 0; c < n; c++)
		t->longest[c] = chars(columns[c].title);
}

void text_table_release(struct text_table *t)
{
	buffer_release(&t->rows);
}

void text_table_begin_row(struct text_table *t, bool is_bad)
{
	buffer_putc(&t->rows, is_bad ? BAD_ROW : ROW);
	t->next = 0;
}

void text_table_add(struct text_table *t, const char *text)
{
	if (chars(text) > t->longest[t->next])
		t->longest[t->next] = chars(text);
	t->next++;
	buffer_append(&t->rows, text, strlen(text) + 1);
}

void text_table_note(struct text_table *t, const char *text)
{
	buffer_putc(&t->rows, NOTE);
	buffer_append(&t->rows, text, strlen(text) + 1);
}

/* Returns the text at *at, and moves on. */
static const char *next(const char **at)
{
	const char *text = *at;

	*at += strlen(text) + 1;
	return text;
}

/* ---- text ---- */

static size_t width_of(const struct text_table *t, size_t c)
{
	const struct text_column *column = &t->columns[c];
	size_t width = t->longest[c] < column->most ? t->longest[c] : column->most;

	return width > column->least ? width : column->least;
}

static void put_blanks(size_t n, struct buffer *out)
{
	while (n--)
		buffer_putc(out, ' ');
}

static void put_padded(const struct text_table *t, size_t c, const char *text, struct buffer *out)
{
	size_t used = chars(text), width = width_of(t, c), room = used < width ? width - used : 0;

	if (!t->columns[c].left)
		put_blanks(room, out);
	buffer_puts(out, text);
	if (t->columns[c].left)
		put_blanks(room, out);
	buffer_puts(out, BETWEEN);
}

/* Ends the line that begins at this offset, without trailing blanks. */
static void end_line(size_t begin, struct buffer *out)
{
	while (out->len > begin && out->data[out->len - 1] == ' ')
		out->len--;
	buffer_putc(out, '\n');
}

void text_table_text(const struct text_table *t, struct buffer *out)
{
	const char *at = t->rows.data, *end = at + t->rows.len;
	size_t begin = out->len;

	for (size_t c = 0; c < t->n_columns; c++)
		put_padded(t, c, t->columns[c].title, out);
	end_line(begin, out);
	while (at < end) {
		bool is_note = *at++ == NOTE;

		begin = out->len;
		if (is_note)
			buffer_printf(out, BETWEEN "%s", next(&at));
		for (size_t c = 0; !is_note && c < t->n_columns; c++)
			put_padded(t, c, next(&at), out);
		end_line(begin, out);
	}
	out->failed |= t->rows.failed;
}

/* ---- HTML ---- */

static void put_escaped(const char *text, struct buffer *out)
{
	utf8_html(text, strlen(text), out);
}

static void put_head(const struct text_table *t, struct buffer *out)
{
	buffer_puts(out, "<div style=\"overflow-x:auto\"><table cellpadding=\"4\" style=\"" TABLE
			 "\"><thead><tr>");
	for (size_t c = 0; c < t->n_columns; c++) {
		buffer_puts(out, "<th");
		if (*t->columns[c].hint)
			buffer_printf(out, " title=\"%s\"", t->columns[c].hint);
		buffer_printf(out, "%s>%s</th>", t->columns[c].left ? " style=\"" LEFT "\"" : "",
			      t->columns[c].title);
	}
	buffer_puts(out, "</tr></thead><tbody>\n");
}

void text_table_html(const struct text_table *t, struct buffer *out)
{
	const char *at = t->rows.data, *end = at + t->rows.len;

	put_head(t, out);
	while (at < end) {
		char kind = *at++;

		buffer_printf(out, "<tr%s>", kind == BAD_ROW ? " style=\"" BAD "\"" : "");
		if (kind == NOTE) {
			buffer_printf(out, "<td colspan=\"%zu\" style=\"" LEFT ";opacity:.6\">",
				      t->n_columns);
			put_escaped(next(&at), out);
			buffer_puts(out, "</td>");
		}
		for (size_t c = 0; kind != NOTE && c < t->n_columns; c++) {
			buffer_puts(out, t->columns[c].left ? "<td style=\"" LEFT "\">" : "<td>");
			put_escaped(next(&at), out);
			buffer_puts(out, "</td>");
		}
		buffer_puts(out, "</tr>\n");
	}
	buffer_puts(out, "</tbody></table></div>\n");
	out->failed |= t->rows.failed;
}
