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

struct clang_job;

/* Asks clang about a place in a unit; what the question is for is the job's context. */
typedef void cell_question(const struct clang_job *job, uint32_t line, uint32_t column);

/* Does what compiler_compile() does, for a text that cpp_cell_is() accepts. */
int compile_cpp(struct compiler *c, const struct compile_request *request,
		struct compile_result *ret, struct error *err);

/* Calls ask() with the job of the cell, whose context is `data`, and the place in it of this byte
 * of the text. */
int compile_cpp_ask(struct compiler *c, const char *text, uint32_t at, cell_question *ask,
		    void *data, struct error *err);

#endif
