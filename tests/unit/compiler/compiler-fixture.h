/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler in the process of a test, with a cache of the test's own. */
#ifndef CGPU_TESTS_COMPILER_FIXTURE_H
#define CGPU_TESTS_COMPILER_FIXTURE_H

#include <stdint.h>

#include "compiler/frontend/compile.h"

/* Of all tests of the program: the folder of its caches is made and goes again. */
int compiler_fixture_set_up(void **state);
int compiler_fixture_tear_down(void **state);
const char *compiler_fixture_folder(void);

/* Fails the test when it does not start. Release with compiler_release(). */
struct compiler compiler_fixture_start(void);
/* Fails the test when the cell does not compile; the compiler rests behind it. Release with
 * compile_result_release(). */
struct compile_result compiler_fixture_compile(struct compiler *c, uint32_t cell, const char *text,
					       const char *cflags);

#endif
