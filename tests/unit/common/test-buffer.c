/* SPDX-License-Identifier: Apache-2.0 */
/* struct buffer: growth, formatting, consuming, sizes that overflow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/error.h"

static void appends_stay_terminated(void **state)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	(void)state;
	assert_string_equal(buffer_text(&b), "");
	for (int i = 0; i < 1000; i++)
		buffer_printf(&b, "%d,", i);
	assert_int_equal(buffer_check(&b, NULL), 0);
	assert_int_equal(b.len, 3890);
	assert_int_equal(strlen(b.data), b.len);
	assert_memory_equal(b.data + b.len - 8, "998,999,", 8);
}

static void numbers_are_grouped(void **state)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	static const uint64_t numbers[] = { 0, 999, 1000, 4194300, 1000007, UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		buffer_put_grouped(&b, numbers[i]);
		buffer_putc(&b, ' ');
	}
	assert_string_equal(buffer_text(&b),
			    "0 999 1,000 4,194,300 1,000,007 18,446,744,073,709,551,615 ");
}

static void consume_drops_the_front(void **state)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	(void)state;
	buffer_puts(&b, "hello world");
	buffer_consume(&b, 6);
	assert_string_equal(b.data, "world");
	buffer_consume(&b, 99);
	assert_string_equal(b.data, "");
	assert_int_equal(b.len, 0);
}

static void overflow_is_remembered(void **state)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	buffer_puts(&b, "x");
	assert_null(buffer_extend(&b, (size_t)-1));
	buffer_puts(&b, "dropped");
	assert_int_equal(b.len, 1);
	assert_int_equal(buffer_check(&b, &err), -1);
	assert_int_equal(err.code, ERROR_MEMORY);
}

static void steal_hands_over(void **state)
{
	struct buffer b = BUFFER_INIT;
	char *text;

	(void)state;
	text = buffer_steal(&b);
	assert_string_equal(text, "");
	free(text);
	buffer_puts(&b, "kept");
	text = buffer_steal(&b);
	assert_null(b.data);
	assert_string_equal(text, "kept");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(appends_stay_terminated), cmocka_unit_test(numbers_are_grouped),
		cmocka_unit_test(consume_drops_the_front), cmocka_unit_test(overflow_is_remembered),
		cmocka_unit_test(steal_hands_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
