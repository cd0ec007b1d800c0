/* SPDX-License-Identifier: Apache-2.0 */
/* The shadow of memory against a plain list of which bytes are allowed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "runtime/memcheck/shadow.h"

#define BYTES 256u

static _Alignas(64) unsigned char memory[BYTES];
static bool allowed[BYTES];

static uint64_t at(unsigned i)
{
	return (uint64_t)(uintptr_t)memory + i;
}

static int set_up(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(shadow_map(&err), 0);
	return 0;
}

static void expect_all(void)
{
	static const unsigned sizes[] = { 1, 2, 4, 8, 16 };

	for (unsigned i = 0; i < BYTES - 16; i++) {
		for (unsigned k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
			unsigned bad = i;

			/* Accesses that compilers make do not cross two objects. */
			if (i % sizes[k])
				continue;
			while (bad < i + sizes[k] && allowed[bad])
				bad++;
			assert_int_equal(shadow_allows(at(i), sizes[k]), bad == i + sizes[k]);
			assert_int_equal(shadow_first_bad(at(i), sizes[k]),
					 bad == i + sizes[k] ? 0 : at(bad));
		}
	}
}

/* Objects of every size from 0 to 40 with what is left to the next one out of bounds. */
static void test_objects(void **state)
{
	(void)state;
	for (unsigned size = 0; size <= 40; size++) {
		shadow_poison(at(0), BYTES, SHADOW_HEAP);
		memset(allowed, 0, sizeof(allowed));
		for (unsigned i = 0; i + 48 <= BYTES; i += 48) {
			shadow_allow(at(i), size);
			memset(allowed + i, true, size);
		}
		expect_all();
	}
}

static void test_the_end_of_an_object_stays_when_what_follows_is_taken(void **state)
{
	(void)state;
	shadow_allow(at(0), BYTES);
	memset(allowed, true, sizeof(allowed));
	shadow_poison(at(21), 19, SHADOW_GLOBAL);
	memset(allowed + 21, false, 19);
	expect_all();
	assert_int_equal(*shadow_of(at(24)), SHADOW_GLOBAL);
}

static void test_long_ranges(void **state)
{
	(void)state;
	shadow_allow(at(0), BYTES);
	assert_int_equal(shadow_first_bad(at(3), 200), 0);
	for (unsigned end = 8; end < BYTES; end += 8) {
		shadow_allow(at(0), BYTES);
		shadow_poison(at(end), 8, SHADOW_FREED);
		assert_int_equal(shadow_first_bad(at(1), BYTES - 1), at(end));
		assert_int_equal(shadow_first_bad(at(1), end - 1), 0);
	}
	shadow_allow(at(0), BYTES);
}

static void test_what_no_program_has_is_left_to_the_processor(void **state)
{
	(void)state;
	assert_true(shadow_allows(0xdeadbeefdeadbeef, 8));
	assert_int_equal(shadow_first_bad(UINT64_MAX - 3, 100), 0);
	assert_int_equal(shadow_first_bad(at(0), 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objects),
		cmocka_unit_test(test_the_end_of_an_object_stays_when_what_follows_is_taken),
		cmocka_unit_test(test_long_ranges),
		cmocka_unit_test(test_what_no_program_has_is_left_to_the_processor),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
