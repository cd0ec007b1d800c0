/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of the user that clash with those of precompiled C++ headers: `sync`, `access`, `clone`,
 * `link`. A C++ cell, and the session's C++ declarations, may define these, as C cells may
 * (compiler/text/own-names.h). Clang's errors show the clash: the unit is compiled again with
 * CLANG_OWN for the name, in front of its first declaration, so that text before that means the
 * header's name. Names of headers that the cell itself includes are wanted, and excluded from this.
 */
#ifndef CGPU_COMPILER_CPP_OWN_H
#define CGPU_COMPILER_CPP_OWN_H

#include <stdbool.h>

#include "common/base/buffer.h"

struct clang_diagnostic;

struct cpp_own {
	struct buffer session; /* names of the session's declarations, each with its NUL */
	struct buffer clash;   /* the name at the last error; "" for none */
	bool in_session;       /* the name is declared by the session, not by the cell */
	long offset;           /* offset of the clash in the unit */
};

void cpp_own_release(struct cpp_own *o);
/* Notes an error at this place of the unit's text; -1: a name of a header cannot be its cause. */
void cpp_own_error(struct cpp_own *o, const char *text, long offset, bool in_session);
/*
 * Handles a note of that error: tells whether the name must become the session's, and for a
 * declaration of the session makes it so. includes: the cell's own `#include <...>` lines. When
 * there is no memory, the error remains.
 */
bool cpp_own_take(struct cpp_own *o, const struct clang_diagnostic *note, const char *includes);
/* Writes the pragmas that go in front of the unit. */
void cpp_own_write(const struct cpp_own *o, struct buffer *out);
/* Returns the text behind the directives at the start of a piece
 * (compiler/clang/cells/clang-pieces.hh). */
const char *cpp_own_behind(const char *piece);

#endif
