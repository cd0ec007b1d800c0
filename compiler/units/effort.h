/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much work a cell's machine code is worth. Most cells run for less time than it takes to
 * optimise them, and their text tells.
 */
#ifndef CGPU_COMPILER_EFFORT_H
#define CGPU_COMPILER_EFFORT_H

#include "compiler/clang/clang-shim.h"
#include "compiler/text/token.h"

enum clang_effort effort_of(const struct token_list *tokens);
/* Of a C++ cell: what is short there only its module tells. */
enum clang_effort effort_of_cpp(const struct token_list *tokens);

#endif
