/* SPDX-License-Identifier: Apache-2.0 */
/* common/record: what was written comes back; every cut of a valid record is an error and never
 * reads past the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "common/protocol/run-options.h"

static void write_sample(struct buffer *b)
{
	record_put_u8(b, 7);
	record_put_u32(b, 1u << 31);
	record_put_u64(b, 1ull << 63);
	record_put_str(b, "text");
	record_put_str(b, NULL);
	record_put_bytes(b, "\0\1\2", 3);
}

static void read_sample(struct record *r)
{
	size_t len;

	record_u8(r);
	record_u32(r);
	record_u64(r);
	record_str(r);
	record_str(r);
	record_bytes(r, &len);
}

static void round_trip(void **state)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct record r;
	size_t len;

	(void)state;
	write_sample(&b);
	r = record_open(b.data, b.len);
	assert_int_equal(record_u8(&r), 7);
	assert_int_equal(record_u32(&r), 1u << 31);
	assert_true(record_u64(&r) == 1ull << 63);
	assert_string_equal(record_str(&r), "text");
	assert_string_equal(record_str(&r), "");
	assert_memory_equal(record_bytes(&r, &len), "\0\1\2", 3);
	assert_int_equal(len, 3);
	assert_int_equal(record_check(&r, "sample", NULL), 0);
}

static void every_cut_is_an_error(void **state)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	(void)state;
	write_sample(&b);
	for (size_t cut = 0; cut < b.len; cut++) {
		struct error err = ERROR_INIT;
		char *copy = malloc(
			cut ? cut : 1); /* exact size: AddressSanitizer sees a read past the end */
		struct record r;

		memcpy(copy, b.data, cut);
		r = record_open(copy, cut);
		read_sample(&r);
		assert_int_equal(record_check(&r, "sample", &err), -1);
		assert_int_equal(err.code, ERROR_PROTOCOL);
		free(copy);
	}
}

static void left_over_bytes_are_an_error(void **state)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct record r;

	(void)state;
	write_sample(&b);
	buffer_putc(&b, 'x');
	r = record_open(b.data, b.len);
	read_sample(&r);
	assert_int_equal(record_check(&r, "sample", NULL), -1);
}

static void absurd_counts_are_refused(void **state)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct record r;

	(void)state;
	record_put_u32(&b, 1000000000);
	r = record_open(b.data, b.len);
	assert_int_equal(record_count(&r, 8), 0);
	assert_true(r.failed);
}

static void strings_need_their_end(void **state)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct record r;

	(void)state;
	record_put_bytes(&b, "abc", 3);
	buffer_putc(&b, 'd');
	r = record_open(b.data, b.len);
	assert_string_equal(record_str(&r), "");
	assert_true(r.failed);
}

/* What a cell's worker is told of it: each word by itself arrives as that. */
static void run_options(void **state)
{
	static const struct run_options all[] = {
		{ 0 },
		{ .checked = true },
		{ .unsaved = true },
		{ .profiled = true },
		{ .traced = true },
		{ .device_checks = 5 },
		{ true, true, true, true, 1u << 31 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		cleanup_buffer struct buffer b = BUFFER_INIT;
		struct record r;
		struct run_options o;

		run_options_put(&all[i], &b);
		r = record_open(b.data, b.len);
		o = run_options_take(&r);
		assert_int_equal(record_check(&r, "options", NULL), 0);
		assert_true(o.checked == all[i].checked && o.unsaved == all[i].unsaved &&
			    o.profiled == all[i].profiled && o.traced == all[i].traced &&
			    o.device_checks == all[i].device_checks);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(run_options),
		cmocka_unit_test(every_cut_is_an_error),
		cmocka_unit_test(left_over_bytes_are_an_error),
		cmocka_unit_test(absurd_counts_are_refused),
		cmocka_unit_test(strings_need_their_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
