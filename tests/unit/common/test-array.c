/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that grow by one element at a time, also in a pool: what is in them stays, and without
 * memory nothing changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/base/array.h"
#include "common/base/mem-pool.h"
#include "tests/unit/failing-malloc.h"

static void elements_stay(void **state)
{
	size_t n = 0, cap = 0;
	int *at = NULL;

	(void)state;
	for (; n < 1000; n++) {
		assert_true(ARRAY_ROOM(at, n, &cap));
		assert_true(n < cap);
		at[n] = (int)n;
	}
	for (size_t i = 0; i < n; i++)
		assert_int_equal(at[i], i);
	free(at);
}

static void elements_in_a_pool_stay(void **state)
{
	struct mem_pool pool = MEM_POOL_INIT;
	uint32_t n = 0, cap = 0;
	uint64_t *at = NULL, *place;

	(void)state;
	for (; n < 5000; n++) {
		assert_true(MEM_POOL_ROOM(&pool, at, n, &cap));
		assert_true(n < cap);
		at[n] = n;
	}
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(at[i], i);
	n = cap;
	place = at;
	failing_malloc_arm(0);
	assert_false(MEM_POOL_ROOM(&pool, at, n, &cap));
	failing_malloc_arm(-1);
	assert_ptr_equal(at, place);
	assert_int_equal(cap, n);
	mem_pool_release(&pool);
}

static void without_memory_nothing_changes(void **state)
{
	size_t n = 0, cap = 0, before;
	int *at = NULL, *place;

	(void)state;
	do
		assert_true(ARRAY_ROOM(at, n, &cap));
	while (++n < cap);
	at[0] = 7;
	place = at;
	before = cap;
	failing_malloc_arm(0);
	assert_false(ARRAY_ROOM(at, n, &cap));
	assert_ptr_equal(at, place);
	assert_int_equal(at[0], 7);
	assert_int_equal(cap, before);
	/* There is still room for what had room. */
	assert_true(ARRAY_ROOM(at, n - 1, &cap));
	failing_malloc_arm(-1);
	free(at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_stay),
		cmocka_unit_test(elements_in_a_pool_stay),
		cmocka_unit_test(without_memory_nothing_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
