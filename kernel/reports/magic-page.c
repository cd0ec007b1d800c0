/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The help of a magic is Markdown; its first line is what the list of all says of it. The plain
 * text is broken between words here, since notebooks break the lines of a text within them.
 */
#include "kernel/reports/magic-page.h"

#include <string.h>

#include "common/base/buffer.h"
#include "kernel/base/text-table.h"
#include "kernel/reports/markdown-html.h"
#include "kernel/session/magic.h"
#include "kernel/show/utf8-json.h"
#include "kernel/views/presenter-view.h"

#define LINE_CHARACTERS 96
#define USAGE_CHARACTERS 34

static const char list_head[] =
	"Commands stand at the top of a cell, before its code; `//%name` works on any line.";
static const char list_foot[] = "`%help NAME` and `%NAME?` say more of one.";

static const char *end_of_line(const char *text)
{
	return text + strcspn(text, "\n");
}

/* Puts a line of text that begins in column `indent`, and its continuations there, too. */
static void put_wrapped(struct buffer *out, const char *text, size_t len, size_t indent)
{
	while (len) {
		size_t room = LINE_CHARACTERS - indent, n = len;

		if (len > room) {
			n = room;
			while (n && text[n] != ' ')
				n--;
			n = n ? n : room;
		}
		buffer_append(out, text, n);
		text += n;
		len -= n;
		if (!len)
			return;
		buffer_printf(out, "\n%*s", (int)indent, "");
		len -= *text == ' ';
		text += *text == ' ';
	}
}

static void put_text(const struct magic *m, struct buffer *out)
{
	const char *line = m->help;

	buffer_puts(out, m->usage);
	while (*line) {
		const char *end = end_of_line(line);

		buffer_putc(out, '\n');
		put_wrapped(out, line, (size_t)(end - line), 0);
		line = end + strspn(end, "\n");
	}
	buffer_putc(out, '\n');
}

json_t *magic_page(const struct magic *m)
{
	cleanup_buffer struct buffer text = BUFFER_INIT, markdown = BUFFER_INIT, html = BUFFER_INIT;

	put_text(m, &text);
	buffer_printf(&markdown, "`%s`\n\n%s", m->usage, m->help);
	markdown_html(&html, buffer_text(&markdown));
	return json_pack("{so so so}", "text/plain", utf8_json(buffer_text(&text), text.len),
			 "text/markdown", utf8_json(buffer_text(&markdown), markdown.len),
			 "text/html", utf8_json(buffer_text(&html), html.len));
}

static void list_text(const struct magic *const *table, struct buffer *out)
{
	buffer_printf(out, "%s\n\n", list_head);
	for (; *table; table++) {
		const char *summary = (*table)->help;

		buffer_printf(out, "  %-*s ", USAGE_CHARACTERS, (*table)->usage);
		put_wrapped(out, summary, (size_t)(end_of_line(summary) - summary),
			    USAGE_CHARACTERS + 3);
		buffer_putc(out, '\n');
	}
	buffer_printf(out, "\n%s\n", list_foot);
}

static void list_html(const struct magic *const *table, struct buffer *out)
{
	static const struct text_column columns[] = { { "command", "", 0, 0, true },
						      { "what it does", "", 0, 0, true } };
	struct text_table t;

	text_table_init(&t, columns, sizeof(columns) / sizeof(columns[0]));
	for (; *table; table++) {
		cleanup_buffer struct buffer summary = BUFFER_INIT;

		buffer_append(&summary, (*table)->help, strcspn((*table)->help, "\n"));
		text_table_begin_row(&t, false);
		text_table_add(&t, (*table)->usage);
		text_table_add(&t, buffer_text(&summary));
	}
	markdown_html(out, list_head);
	text_table_html(&t, out);
	markdown_html(out, list_foot);
	text_table_release(&t);
}

void magic_page_list(const struct magic *const *table, struct presenter_view *view)
{
	list_text(table, &view->text);
	list_html(table, &view->html);
}
