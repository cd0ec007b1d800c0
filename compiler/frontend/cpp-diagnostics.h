/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clang's words about a C++ unit. An error inside a template of a header is told at the line of the
 * cell that brought it about, once for each place; how the header got there, and what else goes
 * wrong on the way, is left out.
 */
#ifndef CGPU_COMPILER_CPP_DIAGNOSTICS_H
#define CGPU_COMPILER_CPP_DIAGNOSTICS_H

#include <stdbool.h>

#include "common/base/buffer.h"
#include "compiler/clang/clang-shim.h"

struct diagnostics;
struct unit_text;

struct cpp_diagnostics {
	struct diagnostics *to;
	const struct unit_text *text;
	/* An error in a header, until a note says where the cell comes in. */
	bool waits;
	struct buffer message, place, hint;
	unsigned line, column;
	bool all;       /* nothing is left out */
	bool told_here; /* the last error was one of a header, and has its place in the cell */
	bool silent;    /* the notes that follow say nothing new */
	unsigned notes,
		header_notes;  /* of the last error, those shown; how many of them lie in headers */
	unsigned folded;       /* that were left out */
	struct buffer missing; /* headers that names were told to be of: what else is wrong may come
				  of these */
	long *told;            /* owned: bytes of the cell that an error of a header was told at */
	size_t n_told;
};

/* Clang's flag for notes without end; with it nothing is left out here either. */
#define CPP_DIAGNOSTICS_ALL "-ftemplate-backtrace-limit=0"

void cpp_diagnostics_init(struct cpp_diagnostics *c, struct diagnostics *to,
			  const struct unit_text *text, bool all);
/* False: an error that is left out, since it may come of a header that is missing, which has been
 * told. */
bool cpp_diagnostics_add(struct cpp_diagnostics *c, const struct clang_diagnostic *d);
/* What still waits is told as it is. */
void cpp_diagnostics_end(struct cpp_diagnostics *c);

#endif
