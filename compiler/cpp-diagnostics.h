/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clang's words about a C++ unit. An error inside a template of a header is told at the line of the cell that brought it
 * about, once for each place; how the header got there, and what else goes wrong on the way, is left out.
 */
#ifndef CGPU_COMPILER_CPP_DIAGNOSTICS_H
#define CGPU_COMPILER_CPP_DIAGNOSTICS_H

#include <stdbool.h>

#include "common/buffer.h"
#include "compiler/clang-shim.h"

struct diagnostics;
struct unit_text;

struct cpp_diagnostics {
	struct diagnostics *to;
	const struct unit_text *text;
	/* An error in a header, until a note says where the cell comes in. */
	bool waits;
	struct buffer message, place;
	unsigned line, column;
	bool silent;    /* the notes that follow say nothing new */
	unsigned notes; /* of the last error that lie in headers */
	long *told;     /* owned: bytes of the cell that an error of a header was told at */
	size_t n_told;
};

void cpp_diagnostics_init(struct cpp_diagnostics *c, struct diagnostics *to, const struct unit_text *text);
void cpp_diagnostics_add(struct cpp_diagnostics *c, const struct clang_diagnostic *d);
/* What still waits is told as it is. */
void cpp_diagnostics_end(struct cpp_diagnostics *c);

#endif
