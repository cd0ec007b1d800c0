/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of arrays as a table. Of many rows the first and the last are shown. */
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "common/cell-display.h"
#include "common/text/html-text.h"
#include "runtime/display/display.h"
#include "runtime/display/numbers.h"
#include "runtime/display/plain-text.h"

#define ROWS_MAX 60
#define COLUMNS_MAX 256
#define GAP "..." /* stands for the rows between */

struct column {
	const char *name;
	bool is_text;
	size_t width;       /* in characters */
	struct buffer text; /* of each row that is shown, with its zero */
	const char *at;     /* the next of them */
};

struct table {
	size_t rows;  /* that there are */
	size_t shown; /* with the one for the gap */
	unsigned n;
	struct column *columns;
};

static size_t characters(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

static int read_row(struct column *c, struct numbers *a, struct error *err)
{
	double v;

	if (c->is_text)
		return numbers_next_text(a, &c->text, err);
	if (numbers_next(a, &v, err))
		return -1;
	plain_text_number(&c->text, v);
	buffer_putc(&c->text, '\0');
	return 0;
}

static int read_column(const struct table *t, struct column *c, struct cgpu_data data,
		       struct error *err)
{
	cleanup_numbers struct numbers a = { 0 };

	if (numbers_open(&a, c->name, data, t->rows, false, err))
		return -1;
	c->is_text = numbers_are_text(&a);
	for (size_t row = 0; row < t->shown; row++) {
		size_t begin = c->text.len, width;

		if (t->shown < t->rows && row == ROWS_MAX / 2) {
			buffer_append(&c->text, GAP, sizeof(GAP));
			a.at = t->rows - (t->shown - row - 1);
		} else if (read_row(c, &a, err)) {
			return -1;
		}
		if (buffer_check(&c->text, err))
			return -1;
		width = characters(c->text.data + begin);
		c->width = width > c->width ? width : c->width;
	}
	return 0;
}

static const char *next_text(struct column *c)
{
	const char *text = c->at;

	c->at += strlen(text) + 1;
	return text;
}

static void put_html(struct table *t, struct buffer *out)
{
	buffer_puts(out, "<table>\n<thead><tr>");
	for (unsigned i = 0; i < t->n; i++) {
		buffer_puts(out, "<th>");
		html_text(out, t->columns[i].name, strlen(t->columns[i].name));
		buffer_puts(out, "</th>");
		t->columns[i].at = buffer_text(&t->columns[i].text);
	}
	buffer_puts(out, "</tr></thead>\n<tbody>\n");
	for (size_t row = 0; row < t->shown; row++) {
		buffer_puts(out, "<tr>");
		for (unsigned i = 0; i < t->n; i++) {
			const char *text = next_text(&t->columns[i]);

			buffer_puts(out, "<td>");
			html_text(out, text, strlen(text));
			buffer_puts(out, "</td>");
		}
		buffer_puts(out, "</tr>\n");
	}
	buffer_puts(out, "</tbody>\n</table>");
	if (t->shown < t->rows) {
		buffer_puts(out, "\n<p>");
		buffer_put_grouped(out, t->rows);
		buffer_puts(out, " rows</p>");
	}
}

/* Numbers to the right, words to the left. */
static void put_aligned(struct buffer *out, const struct column *c, const char *text, bool last)
{
	size_t blanks = c->width - characters(text);

	if (c->is_text)
		buffer_puts(out, text);
	for (; blanks && !(c->is_text && last); blanks--)
		buffer_putc(out, ' ');
	if (!c->is_text)
		buffer_puts(out, text);
	if (!last)
		buffer_puts(out, "  ");
}

static void put_plain(struct table *t, struct buffer *out)
{
	for (unsigned i = 0; i < t->n; i++) {
		put_aligned(out, &t->columns[i], t->columns[i].name, i + 1 == t->n);
		t->columns[i].at = buffer_text(&t->columns[i].text);
	}
	for (size_t row = 0; row < t->shown; row++) {
		buffer_putc(out, '\n');
		for (unsigned i = 0; i < t->n; i++)
			put_aligned(out, &t->columns[i], next_text(&t->columns[i]), i + 1 == t->n);
	}
	if (t->shown < t->rows) {
		buffer_puts(out, "\n(");
		buffer_put_grouped(out, t->rows);
		buffer_puts(out, " rows)");
	}
}

static int show(struct table *t, const struct cgpu_column *columns, struct error *err)
{
	cleanup_bundle struct display_bundle b = DISPLAY_BUNDLE_INIT;
	cleanup_buffer struct buffer html = BUFFER_INIT, plain = BUFFER_INIT;

	for (unsigned i = 0; i < t->n; i++) {
		struct column *c = &t->columns[i];

		c->name = columns[i].name ? columns[i].name : "";
		c->width = characters(c->name);
		if (read_column(t, c, columns[i].data, err))
			return -1;
	}
	put_html(t, &html);
	put_plain(t, &plain);
	display_put_buffer(&b, "text/html", &html);
	display_put_buffer(&b, "text/plain", &plain);
	return display_send(&b, NULL, false, err);
}

void cgpu_table_show(unsigned long rows, const struct cgpu_column *columns, unsigned n)
{
	struct display_call call = display_begin("cgpu_table");
	struct error err = ERROR_INIT;
	struct table t = { .rows = rows, .n = n };
	int rc;

	t.shown = rows > ROWS_MAX ? ROWS_MAX + 1 : rows;
	t.columns = n && n <= COLUMNS_MAX ? calloc(n, sizeof(*t.columns)) : NULL;
	if (n > COLUMNS_MAX)
		rc = error_set(&err, ERROR_LIMIT, "%u columns: there can be %d", n, COLUMNS_MAX);
	else if (!n)
		rc = error_set(&err, ERROR_INPUT, "there are no columns");
	else
		rc = t.columns ? show(&t, columns, &err)
			       : error_set(&err, ERROR_MEMORY, "out of memory");
	for (unsigned i = 0; t.columns && i < n; i++)
		buffer_release(&t.columns[i].text);
	free(t.columns);
	display_end(&call, rc, &err);
}
