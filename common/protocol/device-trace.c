/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encoder and decoder go through the same fields in the same order, with no tags, so put_row() and
 * read_row() must change together, and ROW_LEAST with them. Before rows are allocated, their count
 * is checked against the bytes that are left, of which each row needs ROW_LEAST. Enumerations out
 * of range and an end before its begin mark the record as failed, so that whoever shows a trace
 * may index tables with its values.
 */
#include "common/protocol/device-trace.h"

#include <stdlib.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/record.h"

#define ROW_LEAST 97 /* bytes of a row with empty texts */

static const char *const names[TRACE_KINDS][2] = {
#define TRACE_KIND(symbol, name, names) { name, names },
#include "common/protocol/trace-kinds.def"
#undef TRACE_KIND
};

const char *trace_kind_name(enum trace_kind kind, uint64_t n)
{
	return names[kind][n != 1];
}

static void put_row(const struct device_trace_row *w, struct buffer *out)
{
	record_put_u32(out, w->kind);
	record_put_u32(out, w->line);
	record_put_u32(out, w->stream);
	record_put_str(out, w->call);
	record_put_str(out, w->error);
	record_put_str(out, w->name);
	record_put_str(out, w->from);
	record_put_u32(out, w->place);
	record_put_u32(out, w->from_place);
	for (int i = 0; i < 3; i++) {
		record_put_u32(out, w->grid[i]);
		record_put_u32(out, w->block[i]);
	}
	record_put_u64(out, w->shared);
	record_put_u64(out, w->bytes);
	record_put_u8(out, w->timed);
	record_put_u64(out, w->begin_ns);
	record_put_u64(out, w->end_ns);
}

static void read_row(struct record *r, struct device_trace_row *ret)
{
	ret->kind = record_u32(r);
	ret->line = record_u32(r);
	ret->stream = record_u32(r);
	ret->call = record_str(r);
	ret->error = record_str(r);
	ret->name = record_str(r);
	ret->from = record_str(r);
	ret->place = record_u32(r);
	ret->from_place = record_u32(r);
	for (int i = 0; i < 3; i++) {
		ret->grid[i] = record_u32(r);
		ret->block[i] = record_u32(r);
	}
	ret->shared = record_u64(r);
	ret->bytes = record_u64(r);
	ret->timed = record_u8(r) != 0;
	ret->begin_ns = record_u64(r);
	ret->end_ns = record_u64(r);
	r->failed |= ret->kind >= TRACE_KINDS || ret->place >= TRACE_PLACES ||
		     ret->from_place >= TRACE_PLACES || ret->end_ns < ret->begin_ns;
}

void device_trace_encode(const struct device_trace *t, struct buffer *out)
{
	record_put_u8(out, t->emulated);
	record_put_u32(out, (uint32_t)t->n_rows);
	for (size_t i = 0; i < t->n_rows; i++)
		put_row(&t->rows[i], out);
	record_put_u64(out, t->left_out);
	for (int i = 0; i < TRACE_KINDS; i++) {
		record_put_u64(out, t->counts[i]);
		record_put_u64(out, t->bytes[i]);
	}
}

int device_trace_decode(const void *data, size_t len, struct device_trace *ret, struct error *err)
{
	struct record r = record_open(data, len);
	struct device_trace t = { .emulated = record_u8(&r) != 0 };

	t.n_rows = record_count(&r, ROW_LEAST);
	t.rows = calloc(t.n_rows + 1, sizeof(*t.rows));
	if (!t.rows)
		return error_set(err, ERROR_MEMORY, "out of memory for a trace");
	for (size_t i = 0; i < t.n_rows; i++)
		read_row(&r, &t.rows[i]);
	t.left_out = record_u64(&r);
	for (int i = 0; i < TRACE_KINDS; i++) {
		t.counts[i] = record_u64(&r);
		t.bytes[i] = record_u64(&r);
	}
	if (record_check(&r, "trace", err)) {
		device_trace_release(&t);
		return -1;
	}
	*ret = t;
	return 0;
}

void device_trace_release(struct device_trace *t)
{
	free(t->rows);
	*t = (struct device_trace){ 0 };
}
