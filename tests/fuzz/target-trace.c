/* SPDX-License-Identifier: Apache-2.0 */
/* device_trace_decode() and the table of it: what a worker says its cell has asked of the device.
 */
#include "common/base/buffer.h"
#include "kernel/views/trace-table.h"
#include "tests/fuzz/fuzz.h"

static bool one(const uint8_t *data, size_t size)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct device_trace t;

	if (device_trace_decode(data, size, &t, NULL))
		return false;
	trace_table_text(&t, &out);
	trace_table_html(&t, &out);
	for (size_t i = 0; i < t.n_rows; i++)
		trace_table_subject(&t.rows[i], &out);
	device_trace_release(&t);
	return true;
}

static bool seed(unsigned i, struct buffer *to)
{
	struct device_trace_row rows[TRACE_KINDS];
	struct device_trace t = { .emulated = true, .rows = rows, .n_rows = i ? TRACE_KINDS : 0 };

	if (i > 1)
		return false;
	for (uint32_t k = 0; k < TRACE_KINDS; k++) {
		rows[k] = (struct device_trace_row){ .kind = k,
						     .line = 3,
						     .stream = k % 3,
						     .call = "cudaMemcpy",
						     .error = k % 2 ? "" : "cudaErrorUnknown",
						     .name = "d_x",
						     .from = k % 2 ? "x" : "",
						     .place = k % TRACE_PLACES,
						     .grid = { 4, 2, 1 },
						     .block = { 256, 1, 1 },
						     .bytes = 4000000,
						     .timed = k % 2,
						     .begin_ns = 1000000,
						     .end_ns = 1500000 };
		t.counts[k] = k;
		t.bytes[k] = k * 1000;
	}
	device_trace_encode(&t, to);
	return true;
}

const struct fuzz_target fuzz_trace = { one, seed, 20000 };
