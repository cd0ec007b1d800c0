/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses how much optimisation a cell's machine code is worth, by its text. Most cells run for
 * less time than it takes to optimise them.
 */
#ifndef CGPU_COMPILER_EFFORT_H
#define CGPU_COMPILER_EFFORT_H

#include "compiler/clang/job/clang-shim.h"
#include "compiler/text/token.h"

enum clang_effort effort_of(const struct token_list *tokens);
/* Returns the effort for a C++ cell: whether its code is short can be seen only in its module. */
enum clang_effort effort_of_cpp(const struct token_list *tokens);

#endif
