/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiles a C++ cell (compiler/text/cpp-cell.h) to a unit. The cell is a translation unit of its
 * own; in front of its first line are, in extern "C" blocks, those declarations of the session that
 * it mentions and that are valid C++, and the declarations of earlier C++ cells
 * (compiler/session/cpp-pieces.h).
 */
#ifndef CGPU_COMPILER_COMPILE_CPP_H
#define CGPU_COMPILER_COMPILE_CPP_H

#include "compiler/frontend/compile.h"

struct clang_completion;

/* Does what compiler_compile() does, for a text that cpp_cell_is() accepts. */
int compile_cpp(struct compiler *c, const struct compile_request *request,
		struct compile_result *ret, struct error *err);

/* Calls found() for each completion at this byte of the text, where a word begins that starts with
 * prefix. */
int compile_cpp_complete(struct compiler *c, const char *text, uint32_t at, const char *prefix,
			 void *context,
			 void (*found)(void *context, const struct clang_completion *found),
			 struct error *err);

#endif
