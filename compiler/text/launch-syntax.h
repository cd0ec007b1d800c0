/* SPDX-License-Identifier: Apache-2.0 */
/* The brackets of a launch as clang wants them: CUDA programs that went through a formatter have
 * blanks in between. */
#ifndef CGPU_COMPILER_LAUNCH_SYNTAX_H
#define CGPU_COMPILER_LAUNCH_SYNTAX_H

struct mem_pool;

/* The cell with `k<< <1, 1>> >()` written as `k<<<1, 1>>> ()`, in the pool; places stay. The text
 * itself when there is none. */
const char *launch_syntax_close(const char *text, struct mem_pool *pool);

#endif
