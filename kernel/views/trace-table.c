/* SPDX-License-Identifier: Apache-2.0 */
/* Each row is first converted to the texts of its columns, for kernel/base/text-table.h. */
#include "kernel/views/trace-table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "kernel/base/text-table.h"
#include "kernel/base/utf8.h"
#include "kernel/settings/size-text.h"

enum column { LINE, AT, TOOK, CALL, WHAT, BYTES, RATE, COLUMNS };

static const struct text_column columns[COLUMNS] = {
	[LINE] = { "line", "of the cell", 5, 5, false },
	[AT] = { "at ms", "since the cell began", 11, 11, false },
	[TOOK] = { "took ms", "on the device, or on the host of a call that waits", 10, 10, false },
	[CALL] = { "call", "of the runtime API", 22, 22, true },
	[WHAT] = { "what", "the variable, the CUDA kernel with grid and block, the stream", 44, 44,
		   true },
	[BYTES] = { "bytes", "of the buffer, or moved", 9, 9, false },
	[RATE] = { "GB/s", "bytes by time", 7, 7, false },
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

static void fill(const struct device_trace *t, struct text_table *ret)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	text_table_init(ret, columns, COLUMNS);
	for (size_t i = 0; i < t->n_rows; i++) {
		if (t->left_out && i == DEVICE_TRACE_HEAD) {
			buffer_clear(&text);
			buffer_printf(&text, "... %" PRIu64 " more ...", t->left_out);
			text_table_note(ret, buffer_text(&text));
		}
		text_table_begin_row(ret, *t->rows[i].error);
		for (int c = 0; c < COLUMNS; c++) {
			buffer_clear(&text);
			put_column(&t->rows[i], (enum column)c, &text);
			text_table_add(ret, buffer_text(&text));
		}
	}
	ret->rows.failed |= text.failed;
}

void trace_table_text(const struct device_trace *t, struct buffer *out)
{
	struct text_table table;

	fill(t, &table);
	put_summary(t, out);
	text_table_text(&table, out);
	text_table_release(&table);
}

void trace_table_html(const struct device_trace *t, struct buffer *out)
{
	cleanup_buffer struct buffer summary = BUFFER_INIT;
	struct text_table table;

	fill(t, &table);
	put_summary(t, &summary);
	buffer_puts(out, "<details open=\"open\"><summary>");
	utf8_html(buffer_text(&summary), summary.len, out);
	buffer_puts(out, "</summary>\n");
	text_table_html(&table, out);
	buffer_puts(out, "</details>\n");
	out->failed |= summary.failed;
	text_table_release(&table);
}
