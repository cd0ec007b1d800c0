/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Make the n-th allocation fail. A test binary that links failing-malloc.c with
 * -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc runs an action for n = 0, 1, ... until it succeeds
 * without having met a failure; each failed run must have reported its error and kept its
 * invariants.
 */
#ifndef CGPU_TESTS_UNIT_FAILING_MALLOC_H
#define CGPU_TESTS_UNIT_FAILING_MALLOC_H

#include <stdbool.h>

/* The n-th allocation from here on (0: the next) returns NULL; -1: none fails any more. */
void failing_malloc_arm(long n);
/* Whether the armed failure has happened. */
bool failing_malloc_hit(void);

/* Runs action(data) until it passes unharmed; it returns 0 on success, -1 on a clean error. */
void failing_malloc_run(int (*action)(void *data), void *data);

#endif
