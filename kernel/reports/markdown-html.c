/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Front ends prefer HTML to Markdown, so a description has both. The text is taken line by line; a
 * line says by its beginning whether it belongs to what stands open: a paragraph, a list or a fence
 * (CommonMark 0.31, sections 4.5, 4.8, 5.2 and 6.1).
 */
#include "kernel/reports/markdown-html.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "common/base/buffer.h"
#include "kernel/base/utf8.h"

enum block { BLOCK_NONE, BLOCK_PARAGRAPH, BLOCK_LIST, BLOCK_FENCE };

struct markdown {
	struct buffer *out;
	enum block open;
	size_t fence; /* so many backquotes end it */
};

static void open_block(struct markdown *m, enum block block)
{
	static const char *const ends[] = { "", "</p>", "</li></ul>", "</code></pre>" };
	static const char *const begins[] = { "", "<p>", "<ul><li>", "<pre><code>" };

	buffer_puts(m->out, ends[m->open]);
	buffer_puts(m->out, begins[block]);
	m->open = block;
}

/* Returns the row of `n` backquotes, no more and no less, that ends a code span; NULL: none does.
 */
static const char *end_of_span(const char *at, const char *end, size_t n)
{
	while ((at = memchr(at, '`', (size_t)(end - at)))) {
		size_t row = strspn(at, "`");

		if (row == n)
			return at;
		at += row;
	}
	return NULL;
}

/* Puts a paragraph or an item, whose code spans may go over several lines. */
static void put_spans(struct markdown *m, const char *at, const char *end)
{
	while (at < end) {
		const char *code = memchr(at, '`', (size_t)(end - at)), *close;
		size_t n = code ? strspn(code, "`") : 0;

		utf8_html(at, (size_t)((code ? code : end) - at), m->out);
		if (!code)
			return;
		at = code + n;
		close = end_of_span(at, end, n);
		if (!close) {
			utf8_html(code, n, m->out);
			continue;
		}
		buffer_puts(m->out, "<code>");
		utf8_html(at, (size_t)(close - at), m->out);
		buffer_puts(m->out, "</code>");
		at = close + n;
	}
}

static const char *end_of_line(const char *line)
{
	return line + strcspn(line, "\n");
}

static bool is_item(const char *line)
{
	return line[0] == '-' && line[1] == ' ';
}

static size_t fence_of(const char *line)
{
	size_t n = strspn(line, "`");

	return n >= 3 && !memchr(line + n, '`', (size_t)(end_of_line(line) - line - n)) ? n : 0;
}

/* Returns the end of a paragraph or an item that begins at `line`. */
static const char *end_of_text(const char *line)
{
	const char *end = end_of_line(line);

	while (*end && end[1] && end[1] != '\n' && !is_item(end + 1) && !fence_of(end + 1))
		end = end_of_line(end + 1);
	return end;
}

/* Takes a line of a fence, or all of a paragraph or an item; returns its end. */
static const char *take(struct markdown *m, const char *line)
{
	const char *end = end_of_line(line);

	if (m->open == BLOCK_FENCE) {
		if (fence_of(line) >= m->fence) {
			open_block(m, BLOCK_NONE);
		} else {
			utf8_html(line, (size_t)(end - line), m->out);
			buffer_putc(m->out, '\n');
		}
		return end;
	}
	if (fence_of(line)) {
		open_block(m, BLOCK_FENCE);
		m->fence = fence_of(line);
		return end;
	}
	if (end == line) {
		open_block(m, BLOCK_NONE);
		return end;
	}
	end = end_of_text(line);
	if (!is_item(line))
		open_block(m, BLOCK_PARAGRAPH);
	else if (m->open == BLOCK_LIST)
		buffer_puts(m->out, "</li><li>");
	else
		open_block(m, BLOCK_LIST);
	put_spans(m, is_item(line) ? line + 2 : line, end);
	return end;
}

void markdown_html(struct buffer *out, const char *text)
{
	struct markdown m = { .out = out };

	while (*text) {
		text = take(&m, text);
		text += *text == '\n';
	}
	open_block(&m, BLOCK_NONE);
}
