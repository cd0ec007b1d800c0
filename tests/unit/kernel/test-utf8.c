/* SPDX-License-Identifier: Apache-2.0 */
/* kernel/session/utf8: whole, cut, wrong and mixed sequences; the two counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "kernel/base/utf8.h"

#define BAD "\xef\xbf\xbd"

static void replaces_what_is_not_utf8(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "plain ascii, longer than eight", "plain ascii, longer than eight" },
		{ "\xc3\xa9t\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
		  "\xc3\xa9t\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80" },
		{ "a\xff"
		  "b",
		  "a" BAD "b" },
		{ "\x80\x80", BAD BAD },
		{ "\xc0\xaf", BAD BAD },                 /* an overlong slash */
		{ "\xed\xa0\x80", BAD BAD BAD },         /* a surrogate */
		{ "\xf4\x90\x80\x80", BAD BAD BAD BAD }, /* beyond the last character */
		{ "cut \xe2\x82", "cut " BAD BAD },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cleanup_buffer struct buffer out = BUFFER_INIT;

		assert_int_equal(utf8_clean(cases[i].in, strlen(cases[i].in), true, &out),
				 strlen(cases[i].in));
		assert_string_equal(buffer_text(&out), cases[i].out);
	}
}

/* However a text is cut into two, what comes out is the same. */
static void any_cut_gives_the_same(void **state)
{
	static const char text[] = "x\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xff\xe2\x28\xa1z\xf1\x80";
	size_t len = strlen(text);
	cleanup_buffer struct buffer whole = BUFFER_INIT;

	(void)state;
	utf8_clean(text, len, true, &whole);
	for (size_t cut = 0; cut <= len; cut++) {
		cleanup_buffer struct buffer out = BUFFER_INIT;
		size_t took = utf8_clean(text, cut, false, &out);

		assert_true(cut - took < 4);
		assert_int_equal(utf8_clean(text + took, len - took, true, &out), len - took);
		assert_string_equal(buffer_text(&out), buffer_text(&whole));
	}
}

/* What can never become a character is not held back. */
static void holds_back_only_beginnings(void **state)
{
	static const char *const never[] = { "\xff", "\xe0\x80", "\xed\xa0", "\xf4\x90", "\xc0" };
	static const char *const maybe[] = { "\xc3",     "\xe0\xa0",     "\xed\x9f",
					     "\xf4\x8f", "\xf0\x9f\x98", "\xe2" };

	(void)state;
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
		cleanup_buffer struct buffer out = BUFFER_INIT;

		assert_true(utf8_clean(never[i], strlen(never[i]), false, &out) > 0);
	}
	for (size_t i = 0; i < sizeof(maybe) / sizeof(maybe[0]); i++) {
		cleanup_buffer struct buffer out = BUFFER_INIT;

		assert_int_equal(utf8_clean(maybe[i], strlen(maybe[i]), false, &out), 0);
	}
}

static void counts_characters_and_bytes(void **state)
{
	static const char text[] = "a\xc3\xa9\xf0\x9f\x98\x80z";
	static const size_t starts[] = { 0, 1, 3, 7, 8 };

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(utf8_bytes(text, i), starts[i]);
		assert_int_equal(utf8_chars(text, starts[i]), i);
	}
	assert_int_equal(utf8_bytes(text, 99), 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replaces_what_is_not_utf8),
		cmocka_unit_test(any_cut_gives_the_same),
		cmocka_unit_test(holds_back_only_beginnings),
		cmocka_unit_test(counts_characters_and_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
