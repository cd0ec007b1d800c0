/* SPDX-License-Identifier: Apache-2.0 */
/*
 * float(x), as C++ writes a conversion, in host code of C cells: an edit makes (float)(x) of it. A declaration such as int (*p)
 * or int (f)(int) is none: its type stands alone, and no operator in front of it waits for a value.
 */
#ifndef CGPU_COMPILER_CAST_SYNTAX_H
#define CGPU_COMPILER_CAST_SYNTAX_H

#include "compiler/split.h"
#include "compiler/unit-text.h"

/* The token i may be the type of one. */
void cast_syntax_edit(const struct token_list *l, uint32_t i, struct edit_list *edits);

#endif
