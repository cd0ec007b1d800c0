/* SPDX-License-Identifier: Apache-2.0 */
/* Counts down over malloc, calloc and realloc together; per thread, so helper threads are not hit.
 */
#include "tests/unit/failing-malloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

static _Thread_local long left = -1;
static _Thread_local bool hit;

static bool fails(void)
{
	if (left < 0)
		return false;
	if (left-- > 0)
		return false;
	hit = true;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}

void failing_malloc_arm(long n)
{
	left = n;
	if (n >= 0)
		hit = false;
}

bool failing_malloc_hit(void)
{
	return hit;
}

void failing_malloc_run(int (*action)(void *data), void *data)
{
	for (long n = 0;; n++) {
		int result;

		failing_malloc_arm(n);
		result = action(data);
		left = -1;
		if (!hit) {
			assert_int_equal(result, 0);
			assert_true(n > 0); /* an action that allocates nothing proves nothing */
			return;
		}
		if (result == 0)
			fail_msg("allocation %ld failed and nobody noticed", n);
	}
}
