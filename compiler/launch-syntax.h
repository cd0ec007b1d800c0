/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDA's spellings in host code, as edits that make C of them (what they become:
 * common/launch-glue.h): k<<<grid, block, shared, stream>>>(arguments), dim3(a, b) and dim3 g(a,
 * b). Strings and comments are never touched, and launches may stand inside each other's arguments.
 */
#ifndef CGPU_COMPILER_LAUNCH_SYNTAX_H
#define CGPU_COMPILER_LAUNCH_SYNTAX_H

#include "compiler/split.h"
#include "compiler/unit-text.h"

struct mem_pool;

void launch_syntax_edit(const struct split *s, struct mem_pool *pool, struct edit_list *edits);

/* Is there a `<<<` that cannot be a launch? */
bool launch_syntax_is_wrong(const struct split *s);
/* The cell with `k<< <1, 1>> >()` written as `k<<<1, 1>>> ()`, in the pool; places stay. The text itself when there is none. */
const char *launch_syntax_close(const char *text, struct mem_pool *pool);

#endif
