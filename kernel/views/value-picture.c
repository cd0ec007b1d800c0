/* SPDX-License-Identifier: Apache-2.0 */
/* Of many numbers some are taken at equal distances, so that an array of any length costs the same;
 * the picture says how many. */
#include "kernel/views/value-picture.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/base/utf8.h"
#include "kernel/views/presenter-part.h"
#include "kernel/views/value-parts.h"

#define ROWS_MAX 200
#define POINTS_MAX 500
#define WIDTH 640.0
#define HEIGHT 240.0
#define MARGIN 24.0 /* above and below the line, for the texts */

/* ---- the table ---- */

void value_picture_image(const char *svg, struct buffer *out)
{
	buffer_puts(out, "<p><img src=\"data:image/svg+xml,");
	for (; *svg; svg++) {
		if (strchr("<>\"#%", *svg))
			buffer_printf(out, "%%%02x", (unsigned char)*svg);
		else
			buffer_putc(out, *svg);
	}
	buffer_puts(out, "\"></p>");
}

static void put_cell(const char *text, struct buffer *out)
{
	buffer_puts(out, "<td style=\"text-align:left\">");
	utf8_html(text, strlen(text), out);
	buffer_puts(out, "</td>");
}

void value_picture_table(const struct presenter_part *p, const struct parts_reader *reader,
			 struct buffer *out)
{
	const struct presenter_range all = { .is_given = true };
	cleanup_buffer struct buffer list = BUFFER_INIT;
	struct presenter_parts parts = { 0 };
	size_t shown;

	value_parts_list(p, &all, reader, &list);
	if (!list.failed && !presenter_parts_take(list.data, list.len, &parts, NULL) && parts.n) {
		buffer_puts(out, "<table><tr><th>name</th><th>type</th><th>value</th></tr>");
		shown = parts.n < ROWS_MAX ? parts.n : ROWS_MAX;
		for (size_t i = 0; i < shown; i++) {
			buffer_puts(out, "<tr>");
			put_cell(parts.at[i].name, out);
			put_cell(parts.at[i].type, out);
			put_cell(parts.at[i].text, out);
			buffer_puts(out, "</tr>");
		}
		if (parts.n + parts.more > shown)
			buffer_printf(out, "<tr><td colspan=\"3\">... %" PRIu64 " more</td></tr>",
				      parts.n + parts.more - shown);
		buffer_puts(out, "</table>");
	}
	presenter_parts_release(&parts);
}

/* ---- the line ---- */

struct line {
	double values[POINTS_MAX];
	bool is_there[POINTS_MAX];
	unsigned n;
	double least, most;
	uint64_t total;
};

static bool take(struct line *l, const struct parts_numbers *numbers,
		 const struct parts_reader *reader)
{
	bool any = false;

	l->total = numbers->n;
	l->n = numbers->n < POINTS_MAX ? (unsigned)numbers->n : POINTS_MAX;
	for (unsigned i = 0; i < l->n; i++) {
		uint64_t at =
			l->n > 1 ? (uint64_t)((unsigned __int128)(numbers->n - 1) * i / (l->n - 1))
				 : 0;
		double value;

		l->is_there[i] = value_parts_number(numbers, reader, at, &value);
		if (!l->is_there[i])
			continue;
		l->values[i] = value;
		l->least = !any || value < l->least ? value : l->least;
		l->most = !any || value > l->most ? value : l->most;
		any = true;
	}
	return any;
}

static void put_path(const struct line *l, struct buffer *out)
{
	double span = l->most - l->least;
	bool draws = false;

	buffer_puts(out, "<path fill=\"none\" stroke=\"#1976d2\" stroke-width=\"1.5\" d=\"");
	for (unsigned i = 0; i < l->n; i++) {
		double x = l->n > 1 ? WIDTH * i / (l->n - 1) : WIDTH / 2, y = 0.5;

		if (l->is_there[i]) {
			/* Halves, since the span of two finite numbers may not be one. */
			if (span > 0)
				y = (l->values[i] / 2 - l->least / 2) /
				    (l->most / 2 - l->least / 2);
			y = HEIGHT - MARGIN - y * (HEIGHT - 2 * MARGIN);
			buffer_printf(out, "%c%.1f %.1f", draws ? 'L' : 'M', x, y);
			/* A point alone is seen by the end of its line. */
			if (!draws)
				buffer_puts(out, "h1");
		}
		draws = l->is_there[i];
	}
	buffer_puts(out, "\"/>");
}

void value_picture_line(const struct presenter_part *p, const struct parts_reader *reader,
			struct buffer *out)
{
	struct parts_numbers numbers;
	struct line l = { 0 };

	if (!value_parts_numbers(p, reader, &numbers) || !take(&l, &numbers, reader))
		return;
	buffer_printf(out,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
		      "font-family=\"sans-serif\" font-size=\"12\">"
		      "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>",
		      WIDTH, HEIGHT);
	put_path(&l, out);
	buffer_printf(out,
		      "<text x=\"4\" y=\"16\" fill=\"#555\">%.6g</text>"
		      "<text x=\"4\" y=\"%.0f\" fill=\"#555\">%.6g</text>"
		      "<text x=\"%.0f\" y=\"16\" fill=\"#555\" text-anchor=\"end\">",
		      l.most, HEIGHT - 8, l.least, WIDTH - 4);
	if (l.n < l.total)
		buffer_printf(out, "%u of ", l.n);
	buffer_put_grouped(out, l.total);
	buffer_puts(out, " values</text></svg>");
}
