/* SPDX-License-Identifier: Apache-2.0 */
/* A trace on its way from the worker to the table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/protocol/device-trace.h"
#include "kernel/views/trace-table.h"

static struct device_trace_row row(enum trace_kind kind, const char *call, const char *name)
{
	return (struct device_trace_row){ .kind = kind,
					  .line = 3,
					  .call = call,
					  .name = name,
					  .from = "",
					  .error = "",
					  .place = TRACE_DEVICE_SIDE,
					  .timed = true,
					  .begin_ns = 1000000,
					  .end_ns = 1500000 };
}

static void decode_again(const struct device_trace *t, struct buffer *bytes,
			 struct device_trace *ret)
{
	struct error err = ERROR_INIT;

	device_trace_encode(t, bytes);
	assert_int_equal(device_trace_decode(bytes->data, bytes->len, ret, &err), 0);
}

static void every_kind_has_its_row(void **state)
{
	cleanup_buffer struct buffer bytes = BUFFER_INIT, text = BUFFER_INIT, html = BUFFER_INIT;
	struct device_trace_row rows[] = {
		row(TRACE_ALLOCATION, "cudaMalloc", "d_x"),
		row(TRACE_COPY, "cudaMemcpy", "d_x"),
		row(TRACE_LAUNCH, "launch", "add"),
		row(TRACE_WAIT, "cudaDeviceSynchronize", ""),
		row(TRACE_FREE, "cudaFree", "a<b"),
	};
	struct device_trace t = { .emulated = true,
				  .rows = rows,
				  .n_rows = 5,
				  .counts = { 1, 1, 1, 0, 1, 0, 1 },
				  .bytes = { [TRACE_COPY] = 4000000 } },
			    again;

	(void)state;
	rows[1].bytes = 4000000;
	rows[1].from = "x";
	rows[1].from_place = TRACE_HOST_SIDE;
	rows[2].stream = 2;
	memcpy(rows[2].grid, (uint32_t[3]){ 4, 2, 1 }, sizeof(rows[2].grid));
	memcpy(rows[2].block, (uint32_t[3]){ 256, 1, 1 }, sizeof(rows[2].block));
	rows[2].shared = 64;
	rows[3].error = "cudaErrorIllegalAddress";
	rows[4].timed = false;
	decode_again(&t, &bytes, &again);
	trace_table_text(&again, &text);
	assert_non_null(strstr(buffer_text(&text),
			       "1 allocation, 1 free, 1 copy (3.8 MB), 1 launch, 1 "
			       "wait; times are those of the emulated device"));
	assert_non_null(strstr(buffer_text(&text),
			       "\n    3        1.000       0.500  cudaMalloc              d_x\n"));
	assert_non_null(strstr(buffer_text(&text), "x to d_x, host to device"));
	assert_non_null(strstr(buffer_text(&text), "3.8 MB     8.00\n"));
	assert_non_null(strstr(buffer_text(&text), "add<<<(4,2), 256, 64>>>, stream 2\n"));
	assert_non_null(strstr(buffer_text(&text), "wait: cudaErrorIllegalAddress\n"));
	assert_non_null(strstr(buffer_text(&text),
			       "\n    3                           cudaFree                a<b\n"));
	trace_table_html(&again, &html);
	assert_non_null(strstr(buffer_text(&html), "a&lt;b"));
	assert_non_null(
		strstr(buffer_text(&html), "<tr style=\"background:rgba(234,67,53,.25)\">"));
	device_trace_release(&again);
}

static void the_middle_of_many_is_counted(void **state)
{
	cleanup_buffer struct buffer bytes = BUFFER_INIT, text = BUFFER_INIT, html = BUFFER_INIT;
	struct device_trace_row rows[2 * DEVICE_TRACE_HEAD];
	struct device_trace t = { .rows = rows,
				  .n_rows = 2 * DEVICE_TRACE_HEAD,
				  .left_out = 801,
				  .counts = { [TRACE_LAUNCH] = 1001 } },
			    again;
	const char *gap;
	size_t lines = 0;

	(void)state;
	for (size_t i = 0; i < 2 * DEVICE_TRACE_HEAD; i++)
		rows[i] = row(TRACE_LAUNCH, "launch", "k");
	decode_again(&t, &bytes, &again);
	trace_table_text(&again, &text);
	assert_non_null(
		strstr(buffer_text(&text), "1001 launches; times are those of the device\n"));
	gap = strstr(buffer_text(&text), "\n  ... 801 more ...\n");
	assert_non_null(gap);
	for (const char *at = buffer_text(&text); at < gap; at++)
		lines += *at == '\n';
	assert_int_equal(lines, 1 + DEVICE_TRACE_HEAD); /* the summary, the head and the rows, but
							   for the last end of line */
	trace_table_html(&again, &html);
	assert_non_null(strstr(buffer_text(&html), "... 801 more ..."));
	device_trace_release(&again);
}

static void bytes_of_a_broken_worker_are_refused(void **state)
{
	cleanup_buffer struct buffer bytes = BUFFER_INIT;
	struct device_trace_row one = row(TRACE_COPY, "cudaMemcpy", "d");
	struct device_trace t = { .rows = &one, .n_rows = 1 }, again = { 0 };
	struct error err = ERROR_INIT;

	(void)state;
	one.place = 77;
	device_trace_encode(&t, &bytes);
	assert_int_equal(device_trace_decode(bytes.data, bytes.len, &again, &err), -1);
	assert_int_equal(err.code, ERROR_PROTOCOL);
	for (size_t len = 0; len < bytes.len; len++)
		assert_int_equal(device_trace_decode(bytes.data, len, &again, NULL), -1);
	assert_null(again.rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_has_its_row),
		cmocka_unit_test(the_middle_of_many_is_counted),
		cmocka_unit_test(bytes_of_a_broken_worker_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
