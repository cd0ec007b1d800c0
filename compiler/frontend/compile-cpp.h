/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a C++ cell (compiler/text/cpp-cell.h) to a unit. The cell is a translation unit of its own;
 * before its first line stand, in extern "C" blocks, those of the session's declarations that it
 * mentions and that are C++ too, and what earlier C++ cells have declared
 * (compiler/session/cpp-pieces.h).
 */
#ifndef CGPU_COMPILER_COMPILE_CPP_H
#define CGPU_COMPILER_COMPILE_CPP_H

#include "compiler/frontend/compile.h"

struct clang_completion;

/* As compiler_compile(), for a text that cpp_cell_is() takes. */
int compile_cpp(struct compiler *c, const struct compile_request *request,
		struct compile_result *ret, struct error *err);

/* What may stand at this byte of the text, where a word begins, and starts with prefix. */
int compile_cpp_complete(struct compiler *c, const char *text, uint32_t at, const char *prefix,
			 void *context,
			 void (*found)(void *context, const struct clang_completion *found),
			 struct error *err);

#endif
