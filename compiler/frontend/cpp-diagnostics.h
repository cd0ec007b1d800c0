/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters clang's diagnostics for a C++ unit. An error inside a template of a header is reported at
 * the line of the cell that caused it, once for each place; the path through the header, and
 * further errors on it, are left out.
 */
#ifndef CGPU_COMPILER_CPP_DIAGNOSTICS_H
#define CGPU_COMPILER_CPP_DIAGNOSTICS_H

#include <stdbool.h>

#include "common/base/buffer.h"
#include "compiler/clang/job/clang-shim.h"

struct diagnostics;
struct unit_text;

struct cpp_diagnostics {
	struct diagnostics *to;
	const struct unit_text *text;
	/* An error in a header that waits for a note with the place in the cell. */
	bool waits;
	struct buffer message, place, hint;
	unsigned line, column;
	bool all;       /* nothing is left out */
	bool told_here; /* the last error was in a header, and has a place in the cell */
	bool silent;    /* the notes that follow are redundant */
	/* Notes of the last error that are shown; how many of them are in headers. */
	unsigned notes, header_notes;
	unsigned folded; /* number of notes that were left out */
	/* Headers that were reported as missing: further errors may be consequences. */
	struct buffer missing;
	/* Owned: bytes of the cell at which an error of a header was reported. */
	long *told;
	size_t n_told;
};

/* Clang's flag for unlimited notes; with it nothing is left out here either. */
#define CPP_DIAGNOSTICS_ALL "-ftemplate-backtrace-limit=0"

void cpp_diagnostics_init(struct cpp_diagnostics *c, struct diagnostics *to,
			  const struct unit_text *text, bool all);
/* Adds a diagnostic. False: an error is left out, since it may be a consequence of a missing
 * header, which was reported. */
bool cpp_diagnostics_add(struct cpp_diagnostics *c, const struct clang_diagnostic *d);
/* Reports an error that still waits. */
void cpp_diagnostics_end(struct cpp_diagnostics *c);

#endif
