/* SPDX-License-Identifier: Apache-2.0 */
/* What is given back is given out again, in parts and joined; what is too small, too much or
 * stretched. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "kernel/state/kept-memory.h"

#define MEBI ((size_t)1024 * 1024)

static int drop(void **state)
{
	(void)state;
	kept_memory_drop();
	return kept_memory_bytes() != 0;
}

static char *take(size_t size)
{
	struct error err = ERROR_INIT;
	char *p = kept_memory_take(size, &err);

	assert_non_null(p);
	memset(p, 7, size);
	return p;
}

static void test_is_given_again(void **state)
{
	char *p = take(8 * MEBI), *q;

	(void)state;
	kept_memory_give(p, 8 * MEBI);
	assert_int_equal(kept_memory_bytes(), 8 * MEBI);
	q = take(8 * MEBI);
	assert_ptr_equal(q, p);
	assert_int_equal(kept_memory_bytes(), 0);
	kept_memory_give(q, 8 * MEBI);
}

static void test_parts_are_joined(void **state)
{
	char *p = take(8 * MEBI);

	(void)state;
	kept_memory_give(p, 2 * MEBI);
	kept_memory_give(p + 6 * MEBI, 2 * MEBI);
	assert_int_equal(kept_memory_bytes(), 4 * MEBI);
	kept_memory_give(p + 2 * MEBI, 4 * MEBI);
	assert_int_equal(kept_memory_bytes(), 8 * MEBI);
	assert_ptr_equal(take(8 * MEBI), p);
	kept_memory_give(p, 8 * MEBI);
}

static void test_smallest_piece_that_fits(void **state)
{
	char *p = take(32 * MEBI);

	(void)state;
	kept_memory_give(p, 16 * MEBI);
	kept_memory_give(p + 20 * MEBI, 4 * MEBI);
	kept_memory_give(p + 26 * MEBI, 6 * MEBI);
	assert_ptr_equal(take(3 * MEBI), p + 20 * MEBI);
	assert_int_equal(kept_memory_bytes(), 23 * MEBI);
	kept_memory_give(p + 16 * MEBI, 7 * MEBI);
	kept_memory_give(p + 24 * MEBI, 2 * MEBI);
	assert_int_equal(kept_memory_bytes(), 32 * MEBI);
}

static void test_small_ones_are_not_kept(void **state)
{
	char *p = take(4 * MEBI), *small;

	(void)state;
	kept_memory_give(p, 4 * MEBI);
	small = take(4096);
	assert_int_equal(kept_memory_bytes(), 4 * MEBI);
	munmap(small, 4096);
}

static void test_what_is_kept_grows(void **state)
{
	char *p = take(8 * MEBI), *q;

	(void)state;
	kept_memory_give(p, 8 * MEBI);
	q = take(9 * MEBI);
	assert_int_equal(kept_memory_bytes(), 0);
	kept_memory_give(q, 9 * MEBI);
}

static void test_a_bound(void **state)
{
	size_t most = (size_t)sysconf(_SC_PHYS_PAGES) / 8 * (size_t)sysconf(_SC_PAGESIZE);
	struct error err = ERROR_INIT;
	char *p = kept_memory_take(most + MEBI, &err);

	(void)state;
	assert_non_null(p);
	kept_memory_give(p, most + MEBI);
	assert_int_equal(kept_memory_bytes(), 0);
}

/* More than there are addresses: a sanitizer has memory of its own to take meanwhile. */
static void test_no_memory(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	assert_null(kept_memory_take((size_t)1 << 62, &err));
	assert_int_not_equal(err.code, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_is_given_again, drop),
		cmocka_unit_test_teardown(test_parts_are_joined, drop),
		cmocka_unit_test_teardown(test_smallest_piece_that_fits, drop),
		cmocka_unit_test_teardown(test_small_ones_are_not_kept, drop),
		cmocka_unit_test_teardown(test_what_is_kept_grows, drop),
		cmocka_unit_test_teardown(test_a_bound, drop),
		cmocka_unit_test_teardown(test_no_memory, drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
