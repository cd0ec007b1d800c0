/* SPDX-License-Identifier: Apache-2.0 */
/* struct error: codes, wrapping order, texts longer than the buffer, NULL. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/error.h"

static void set_returns_minus_one(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(error_set(&err, ERROR_INPUT, "bad %s at %d", "frame", 3), -1);
	assert_int_equal(err.code, ERROR_INPUT);
	assert_string_equal(err.text, "bad frame at 3");
	assert_int_equal(error_set(NULL, ERROR_INPUT, "nobody asks"), -1);
}

static void errno_is_named_and_kept(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	errno = ENOENT;
	assert_int_equal(error_errno(&err, "open `%s`", "x"), -1);
	assert_int_equal(err.code, ERROR_SYSTEM);
	assert_string_equal(err.text, "open `x`: No such file or directory");
	assert_int_equal(errno, ENOENT);
}

static void wrap_puts_context_in_front(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	error_set(&err, ERROR_LIMIT, "inner");
	assert_int_equal(error_wrap(&err, "outer %d", 1), -1);
	assert_string_equal(err.text, "outer 1: inner");
	assert_int_equal(err.code, ERROR_LIMIT);
}

static void long_texts_are_cut(void **state)
{
	struct error err = ERROR_INIT;
	char text[3000];

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	error_set(&err, ERROR_INPUT, "%s", text);
	assert_int_equal(strlen(err.text), ERROR_TEXT_MAX - 1);
	error_wrap(&err, "%s", text);
	assert_true(strlen(err.text) < ERROR_TEXT_MAX);
	assert_non_null(strstr(err.text, ": aaa"));
}

static void codes_have_names(void **state)
{
	(void)state;
	assert_string_equal(error_code_name(ERROR_PEER_GONE), "peer-gone");
	assert_string_equal(error_code_name((enum error_code)999), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_returns_minus_one),
		cmocka_unit_test(errno_is_named_and_kept),
		cmocka_unit_test(wrap_puts_context_in_front),
		cmocka_unit_test(long_texts_are_cut),
		cmocka_unit_test(codes_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
