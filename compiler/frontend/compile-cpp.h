/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiles a C++ cell (compiler/text/cpp-cell.h) to a unit. The cell is a translation unit of its
 * own; in front of its first line are, in extern "C" blocks, those declarations of the session that
 * it mentions and that are valid C++, and the declarations of earlier C++ cells
 * (compiler/session/cpp-pieces.h).
 */
#ifndef CGPU_COMPILER_COMPILE_CPP_H
#define CGPU_COMPILER_COMPILE_CPP_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/frontend/compile.h"

struct clang_job;

/* A question about a place in a cell. */
struct cell_question {
	/* Asks clang; the job's context is `data`. */
	void (*ask)(const struct clang_job *job, uint32_t line, uint32_t column);
	void *data;
	/* The text has been compiled, and may be what the session has its declarations from: those
	 * that it makes anew are left out. */
	bool has_run;
};

/* Does what compiler_compile() does, for a text that cpp_cell_is() accepts. */
int compile_cpp(struct compiler *c, const struct compile_request *request,
		struct compile_result *ret, struct error *err);

/* Asks with the job of the cell and the place in it of this byte of the text. */
int compile_cpp_ask(struct compiler *c, const char *text, uint32_t at,
		    const struct cell_question *q, struct error *err);

#endif
