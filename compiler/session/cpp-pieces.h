/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C++ view of a C++ cell for later ones: its declarations, one piece of text each, and its
 * directives. They are declarations of the session (DECLARATION_CPP) like those of C cells.
 *
 * A cell may redefine what earlier pieces depend on. Pieces that do not compile any more are taken
 * out of the session, and named, until their cells are run again.
 */
#ifndef CGPU_COMPILER_CPP_PIECES_H
#define CGPU_COMPILER_CPP_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/text/names.h"

struct buffer;
struct clang_piece;
struct cpp_cell;
struct error;
struct mem_pool;
struct compiler_session;
struct unit;

/* The reason why a declaration of the session is left out of a unit. */
enum cpp_drop {
	CPP_KEPT,
	/* A function that the cell redefines: only declared, for its callers. */
	CPP_DECLARED,
	/* It uses what the cell redefines: placed behind that, see cpp-dependents.h. */
	CPP_BEHIND,
	CPP_REFUSED, /* does not compile */
	CPP_CLASHED, /* the cell defines the name differently */
};

struct cpp_piece {
	const char *key, *name, *text, *written; /* in the pool */
	uint32_t line;
	uint32_t previous; /* index plus 1 of the one before with the same key; 0 for none */
};

struct cpp_pieces {
	struct mem_pool *pool;
	struct cpp_piece *at; /* owned */
	uint32_t *newest;     /* owned; index plus 1 of the last piece of each of `keys` */
	size_t n, cap, cap_keys;
	struct names keys;
	bool failed;
};

void cpp_pieces_init(struct cpp_pieces *l, struct mem_pool *pool);
void cpp_pieces_release(struct cpp_pieces *l);
/* written: its text in the cell, with the comment above, in the pool; NULL: there is no memory. */
void cpp_pieces_add(struct cpp_pieces *l, const struct clang_piece *p, const char *written);

struct declaration;

/* Tells whether the piece has a form without its body, CLANG_DECLARED. */
bool cpp_pieces_can_declare(const struct declaration *d);
/* Tells whether the piece is a function, or a function template. Its key includes the parameters
 * (clang-pieces.cc, key_of()). */
bool cpp_pieces_is_function(const struct declaration *d);
/* Tells whether the text contains the word. */
bool cpp_pieces_mentions(const char *text, const char *word);
/* Drops the session's types that the cell defines itself, which clash for certain, before clang
 * says so. */
void cpp_pieces_drop_types(const struct compiler_session *session, const struct cpp_cell *cell,
			   uint8_t *dropped);
/* Appends the `#include <...>` lines of earlier C++ cells. */
void cpp_pieces_includes(const struct compiler_session *session, struct buffer *out);
/*
 * Appends the pieces to the unit's declarations, and an empty one for each of the session's that is
 * removed. dropped: enum cpp_drop by entry. Lines about the removed ones are added to notes.
 */
int cpp_pieces_finish(struct cpp_pieces *l, const struct compiler_session *session,
		      const uint8_t *dropped, struct unit *u, struct buffer *notes,
		      struct error *err);
/*
 * Finds the kernels of earlier C++ cells that use, directly or through other functions, device code
 * which the pieces redefine, and that must be recompiled. stays: by entry, kernels that are known
 * not to compile. ret: by entry; true: the set has changed.
 */
bool cpp_pieces_follow(const struct cpp_pieces *l, const struct compiler_session *session,
		       const uint8_t *dropped, const bool *stays, bool *ret);
/*
 * Lets a declaration of a C cell replace the C++ declaration of that name at file scope. Appends to
 * the unit's declarations, in the pool.
 */
int cpp_pieces_replace(const struct compiler_session *session, struct unit *u,
		       struct mem_pool *pool, struct error *err);

#endif
