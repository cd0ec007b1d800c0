/* SPDX-License-Identifier: Apache-2.0 */
/* Joins the brackets of a launch as clang expects them: a formatter may have put blanks between
 * them. */
#ifndef CGPU_COMPILER_LAUNCH_SYNTAX_H
#define CGPU_COMPILER_LAUNCH_SYNTAX_H

struct mem_pool;

/* Returns the cell with `k<< <1, 1>> >()` written as `k<<<1, 1>>> ()`, in the pool, with unchanged
 * offsets; the text itself when there is no such launch. */
const char *launch_syntax_close(const char *text, struct mem_pool *pool);

#endif
