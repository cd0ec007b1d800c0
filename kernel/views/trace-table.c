/* SPDX-License-Identifier: Apache-2.0 */
/* Each row is first converted to the texts of its columns; the text and HTML forms differ only in
 * what surrounds them. */
#include "kernel/views/trace-table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "kernel/base/utf8.h"
#include "kernel/settings/size-text.h"

#define TABLE "border-collapse:collapse;margin:.6em 0;text-align:right;white-space:nowrap"
#define LEFT "text-align:left"
#define BAD "background:rgba(234,67,53,.25)"

enum column { LINE, AT, TOOK, CALL, WHAT, BYTES, RATE, COLUMNS };

static const struct {
	const char *title, *hint;
	int width; /* of the text; < 0: left-justified */
} columns[COLUMNS] = {
	[LINE] = { "line", "of the cell", 5 },
	[AT] = { "at ms", "since the cell began", 11 },
	[TOOK] = { "took ms", "on the device, or on the host of a call that waits", 10 },
	[CALL] = { "call", "of the runtime API", -22 },
	[WHAT] = { "what", "the variable, the CUDA kernel with grid and block, the stream", -44 },
	[BYTES] = { "bytes", "of the buffer, or moved", 9 },
	[RATE] = { "GB/s", "bytes by time", 7 },
};

static const char *const places[TRACE_PLACES] = {
	[TRACE_HOST_SIDE] = "host",
	[TRACE_DEVICE_SIDE] = "device",
	[TRACE_ARRAY_SIDE] = "array",
};

static const char *or_place(const char *name, uint32_t place)
{
	return *name ? name : places[place];
}

void trace_table_subject(const struct device_trace_row *w, struct buffer *out)
{
	switch ((enum trace_kind)w->kind) {
	case TRACE_LAUNCH:
		buffer_puts(out, *w->name ? w->name : "a CUDA kernel");
		break;
	case TRACE_COPY:
		buffer_printf(out, "%s to %s", or_place(w->from, w->from_place),
			      or_place(w->name, w->place));
		break;
	case TRACE_FILL:
	case TRACE_ALLOCATION:
	case TRACE_FREE:
		buffer_puts(out, or_place(w->name, w->place));
		break;
	case TRACE_HOST:
	case TRACE_WAIT:
	case TRACE_KINDS:
		buffer_puts(out, trace_kind_name((enum trace_kind)w->kind, 1));
	}
}

static void put_shape(const uint32_t n[3], struct buffer *out)
{
	buffer_printf(out, n[2] > 1 ? "(%u,%u,%u)" : n[1] > 1 ? "(%u,%u)" : "%u", n[0], n[1], n[2]);
}

static void put_what(const struct device_trace_row *w, struct buffer *out)
{
	trace_table_subject(w, out);
	if (w->kind == TRACE_LAUNCH) {
		buffer_puts(out, "<<<");
		put_shape(w->grid, out);
		buffer_puts(out, ", ");
		put_shape(w->block, out);
		if (w->shared)
			buffer_printf(out, ", %" PRIu64, w->shared);
		buffer_puts(out, ">>>");
	} else if (w->kind == TRACE_COPY) {
		buffer_printf(out, ", %s to %s", places[w->from_place], places[w->place]);
	}
	if (w->stream)
		buffer_printf(out, ", stream %" PRIu32, w->stream);
	if (*w->error)
		buffer_printf(out, ": %s", w->error);
}

static void put_column(const struct device_trace_row *w, enum column c, struct buffer *out)
{
	uint64_t ns = w->end_ns - w->begin_ns;
	char size[SIZE_TEXT_MAX];

	switch (c) {
	case LINE:
		if (w->line)
			buffer_printf(out, "%" PRIu32, w->line);
		break;
	case AT:
		if (w->timed)
			buffer_printf(out, "%.3f", (double)w->begin_ns / 1e6);
		break;
	case TOOK:
		if (w->timed)
			buffer_printf(out, "%.3f", (double)ns / 1e6);
		break;
	case CALL:
		buffer_puts(out, w->call);
		break;
	case WHAT:
		put_what(w, out);
		break;
	case BYTES:
		if (w->bytes)
			buffer_puts(out, size_text(w->bytes, size));
		break;
	case RATE:
		if (w->timed && ns && w->bytes && (w->kind == TRACE_COPY || w->kind == TRACE_FILL))
			buffer_printf(out, "%.2f", (double)w->bytes / (double)ns);
		break;
	case COLUMNS:
		break;
	}
}

static void put_summary(const struct device_trace *t, struct buffer *out)
{
	const char *before = "";
	char size[SIZE_TEXT_MAX];

	for (int i = 0; i < TRACE_KINDS; i++) {
		if (!t->counts[i])
			continue;
		buffer_printf(out, "%s%" PRIu64 " %s", before, t->counts[i],
			      trace_kind_name((enum trace_kind)i, t->counts[i]));
		if (t->bytes[i])
			buffer_printf(out, " (%s)", size_text(t->bytes[i], size));
		before = ", ";
	}
	buffer_printf(out, "; times are those of %s\n",
		      t->emulated ? "the emulated device, which say nothing of a GPU's"
				  : "the device");
}

static bool opens_gap(const struct device_trace *t, size_t i)
{
	return t->left_out && i == DEVICE_TRACE_HEAD;
}

static void put_padded(const char *text, int width, struct buffer *out)
{
	size_t chars = utf8_chars(text, strlen(text)), room = (size_t)(width < 0 ? -width : width);

	if (width < 0)
		buffer_puts(out, text);
	for (; chars < room; chars++)
		buffer_putc(out, ' ');
	if (width > 0)
		buffer_puts(out, text);
}

/* Ends a line without trailing blanks. */
static void end_line(struct buffer *line, struct buffer *out)
{
	while (line->len && line->data[line->len - 1] == ' ')
		line->len--;
	buffer_append(out, line->data, line->len);
	buffer_putc(out, '\n');
	out->failed |= line->failed;
	buffer_clear(line);
}

void trace_table_text(const struct device_trace *t, struct buffer *out)
{
	cleanup_buffer struct buffer line = BUFFER_INIT, text = BUFFER_INIT;

	put_summary(t, out);
	for (int c = 0; c < COLUMNS; c++) {
		put_padded(columns[c].title, columns[c].width, &line);
		buffer_puts(&line, "  ");
	}
	end_line(&line, out);
	for (size_t i = 0; i < t->n_rows; i++) {
		if (opens_gap(t, i))
			buffer_printf(out, "  ... %" PRIu64 " more ...\n", t->left_out);
		for (int c = 0; c < COLUMNS; c++) {
			buffer_clear(&text);
			put_column(&t->rows[i], (enum column)c, &text);
			put_padded(buffer_text(&text), columns[c].width, &line);
			buffer_puts(&line, "  ");
		}
		end_line(&line, out);
	}
	out->failed |= text.failed;
}

static void put_escaped(const struct buffer *text, struct buffer *out)
{
	utf8_html(buffer_text(text), text->len, out);
	out->failed |= text->failed;
}

static void put_html_row(const struct device_trace_row *w, struct buffer *out)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	buffer_printf(out, "<tr%s>", *w->error ? " style=\"" BAD "\"" : "");
	for (int c = 0; c < COLUMNS; c++) {
		buffer_clear(&text);
		put_column(w, (enum column)c, &text);
		buffer_puts(out, columns[c].width < 0 ? "<td style=\"" LEFT "\">" : "<td>");
		put_escaped(&text, out);
		buffer_puts(out, "</td>");
	}
	buffer_puts(out, "</tr>\n");
}

void trace_table_html(const struct device_trace *t, struct buffer *out)
{
	cleanup_buffer struct buffer summary = BUFFER_INIT;

	put_summary(t, &summary);
	buffer_puts(out, "<details open=\"open\"><summary>");
	put_escaped(&summary, out);
	buffer_puts(
		out,
		"</summary>\n<div style=\"overflow-x:auto\"><table cellpadding=\"4\" style=\"" TABLE
		"\"><thead><tr>");
	for (int c = 0; c < COLUMNS; c++)
		buffer_printf(out, "<th title=\"%s\"%s>%s</th>", columns[c].hint,
			      columns[c].width < 0 ? " style=\"" LEFT "\"" : "", columns[c].title);
	buffer_puts(out, "</tr></thead><tbody>\n");
	for (size_t i = 0; i < t->n_rows; i++) {
		if (opens_gap(t, i))
			buffer_printf(out,
				      "<tr><td colspan=\"%d\" style=\"" LEFT
				      ";opacity:.6\">... %" PRIu64 " more ...</td></tr>\n",
				      COLUMNS, t->left_out);
		put_html_row(&t->rows[i], out);
	}
	buffer_puts(out, "</tbody></table></div></details>\n");
}
