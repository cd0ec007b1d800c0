/* SPDX-License-Identifier: Apache-2.0 */
/* What names cells and parts of variables for debuggers: murmur2(), struct debug_references. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "kernel/debugger/debug-references.h"
#include "kernel/debugger/murmur2.h"

/* ---- murmur2 ---- */

static void hashes_are_those_that_front_ends_compute(void **state)
{
	static const struct {
		const char *text;
		uint32_t seed, hash;
	} known[] = {
		{ "", 0, 0 },
		{ "", 1, 0x5bd15e36 },
		{ "a", 0x9747b28c, 0xa2d0b27c },
		{ "abc", 0x9747b28c, 0x1c94221b },
		{ "test", 0x9747b28c, 0x2ab0e07f },
		{ "Hello, world!", 0x9747b28c, 0xbeba9b12 },
		{ "\xff\xfe\xfd\xfc\xfb\xfa\xf9", 0x9747b28c, 0xf6176f45 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_int_equal(murmur2(known[i].text, strlen(known[i].text), known[i].seed),
				 known[i].hash);
}

/* ---- references ---- */

static struct debug_reference part(uint64_t address, const char *code)
{
	return (struct debug_reference){
		.part = { .name = "", .type = "int", .code = code, .address = address }
	};
}

static int32_t add(struct debug_references *r, uint64_t address, const char *code)
{
	const struct debug_reference what = part(address, code);

	return debug_references_add(r, &what);
}

static void the_same_part_has_the_same_number(void **state)
{
	struct debug_references r = { 0 };
	struct debug_reference range = part(8, "a9i4");
	char code[] = "a9i4";
	int32_t first = add(&r, 8, code);

	(void)state;
	assert_true(first > 0);
	memcpy(code, "gone", 4); /* the text is the table's own */
	assert_int_equal(add(&r, 8, "a9i4"), first);
	assert_int_not_equal(add(&r, 8, "a8i4"), first);
	assert_int_not_equal(add(&r, 9, "a9i4"), first);
	range.part.first = 3;
	range.part.count = 2;
	assert_int_not_equal(debug_references_add(&r, &range), first);
	assert_string_equal(debug_references_find(&r, first, NULL)->part.code, "a9i4");
	assert_int_equal(r.n, 4);
	debug_references_release(&r);
}

static void numbers_end_with_their_state_and_do_not_come_again(void **state)
{
	struct debug_references r = { 0 };
	struct error err = ERROR_INIT;
	int32_t old, other;

	(void)state;
	assert_true(debug_references_renew(&r, 7));
	old = add(&r, 8, "i4");
	assert_false(debug_references_renew(&r, 7));
	assert_non_null(debug_references_find(&r, old, &err));
	assert_true(debug_references_renew(&r, 8));
	assert_null(debug_references_find(&r, old, &err));
	assert_int_equal(err.code, ERROR_STATE);
	other = add(&r, 8, "i4");
	assert_int_not_equal(other, old);
	for (int64_t wrong = other + 1; wrong; wrong = wrong > 0 ? wrong * 2 : 0) {
		err = (struct error)ERROR_INIT;
		assert_null(debug_references_find(&r, wrong, &err));
		assert_int_equal(err.code, ERROR_INPUT);
		err = (struct error)ERROR_INIT;
		assert_null(debug_references_find(&r, -wrong, &err));
		assert_int_equal(err.code, ERROR_INPUT);
		if (wrong > INT64_MAX / 2)
			break;
	}
	debug_references_release(&r);
}

static void numbers_stay_small(void **state)
{
	struct debug_references r = { .base = INT32_MAX - DEBUG_REFERENCES_MAX };

	(void)state;
	debug_references_renew(&r, 1);
	assert_int_equal(add(&r, 8, "i4"), 1);
	debug_references_release(&r);
}

static void tables_are_bounded(void **state)
{
	static char code[1 << 20];
	struct debug_references r = { 0 };
	unsigned n = 0;

	(void)state;
	for (uint64_t i = 0; i < DEBUG_REFERENCES_MAX; i++)
		assert_int_equal(add(&r, i, "i4"), i + 1);
	assert_int_equal(add(&r, DEBUG_REFERENCES_MAX, "i4"), 0);
	assert_int_equal(add(&r, 5, "i4"), 6);
	debug_references_release(&r);

	r = (struct debug_references){ 0 };
	memset(code, 'p', sizeof(code) - 1);
	do {
		snprintf(code, sizeof(code), "%u", ++n); /* another one each time */
		code[strlen(code)] = 'p';
	} while (add(&r, n, code));
	assert_true(n > 10 && n <= DEBUG_REFERENCES_BYTES / sizeof(code) + 1);
	debug_references_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hashes_are_those_that_front_ends_compute),
		cmocka_unit_test(the_same_part_has_the_same_number),
		cmocka_unit_test(numbers_end_with_their_state_and_do_not_come_again),
		cmocka_unit_test(numbers_stay_small),
		cmocka_unit_test(tables_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
