/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The precompiled headers of C++ declare names that nobody has asked for: `sync`, `access`,
 * `clone`, `link`. A C++ cell, and what the session has in C++, may have these for its own, as C
 * cells do (compiler/text/own-names.h). That it does is seen by what clang refuses: the unit is
 * compiled again with CLANG_OWN for the name, in front of its first declaration, so that what
 * stands before that means the header's. Of a header that the cell itself includes the names are
 * what it wants.
 */
#ifndef CGPU_COMPILER_CPP_OWN_H
#define CGPU_COMPILER_CPP_OWN_H

#include <stdbool.h>

#include "common/base/buffer.h"

struct clang_diagnostic;

struct cpp_own {
	struct buffer session; /* names of its declarations, each with its NUL */
	struct buffer clash;   /* the name that the last error is at; "" for none */
	bool in_session;       /* it is one of those, not the cell's */
	long offset;           /* of the clash in the unit */
};

void cpp_own_release(struct cpp_own *o);
/* An error at this place of the unit's text; -1: it is none that a name of a header may be the
 * cause of. */
void cpp_own_error(struct cpp_own *o, const char *text, long offset, bool in_session);
/*
 * A note of that error: is its name to be the session's? That of the session's own declarations
 * then is. includes: the cell's own `#include <...>` lines. When there is no memory, the error
 * stands.
 */
bool cpp_own_take(struct cpp_own *o, const struct clang_diagnostic *note, const char *includes);
/* In front of all that the unit has. */
void cpp_own_write(const struct cpp_own *o, struct buffer *out);
/* Behind the directives that a piece begins with (compiler/clang/clang-pieces.hh). */
const char *cpp_own_behind(const char *piece);

#endif
