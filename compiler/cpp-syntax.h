/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What host code of CUDA programs takes from C++ although C has it in other words: static_cast<T>(x), `auto x = f();`, std::max
 * and the functions of C by their names in std, new and delete of plain data. Edits of a cell's host code make C of it. Words
 * stay names of C where they are used as such.
 */
#ifndef CGPU_COMPILER_CPP_SYNTAX_H
#define CGPU_COMPILER_CPP_SYNTAX_H

#include "compiler/split.h"
#include "compiler/unit-text.h"

struct mem_pool;

/* Something of that may begin at token i. */
void cpp_syntax_edit(const struct token_list *l, uint32_t i, struct mem_pool *pool, struct edit_list *edits);
/* `auto x = ...`: the type is that of the value. */
bool cpp_syntax_is_auto(const struct token_list *l, uint32_t i);
/* `delete p;`, `delete[] p;` */
bool cpp_syntax_is_delete(const struct token_list *l, uint32_t i);
/* The cell with `k<< <1, 1>> >()` written as `k<<<1, 1>>> ()`, in the pool; places stay. The text itself when there is none. */
const char *cpp_syntax_close_launches(const char *text, struct mem_pool *pool);

#endif
