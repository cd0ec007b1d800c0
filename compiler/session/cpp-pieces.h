/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What later C++ cells see of a C++ cell: its declarations, one piece of text each, and its
 * directives. They are declarations of the session (DECLARATION_CPP) like those of C cells.
 *
 * A cell may say something else than what earlier pieces were written with. Those that depend on it
 * no longer compile: they are taken out of the session, and named, until their cells are run again.
 */
#ifndef CGPU_COMPILER_CPP_PIECES_H
#define CGPU_COMPILER_CPP_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct clang_piece;
struct cpp_cell;
struct error;
struct mem_pool;
struct session;
struct unit;

/* Why a declaration of the session is left out of a unit. */
enum cpp_drop {
	CPP_KEPT,
	CPP_DECLARED, /* a function that the cell defines anew: without its body, for those that
			 call it */
	CPP_BEHIND,  /* uses what the cell defines anew: stands behind that, see cpp-dependents.h */
	CPP_REFUSED, /* does not compile */
	CPP_CLASHED, /* the cell says something else by its name */
};

struct cpp_piece {
	const char *key, *name, *text; /* in the pool */
	uint32_t line;
};

struct cpp_pieces {
	struct mem_pool *pool;
	struct cpp_piece *at; /* owned */
	size_t n, cap;
	bool failed;
};

void cpp_pieces_release(struct cpp_pieces *l);
void cpp_pieces_add(struct cpp_pieces *l, const struct clang_piece *p);

struct declaration;

/* Has the piece a form without its body, CLANG_DECLARED? */
bool cpp_pieces_can_declare(const struct declaration *d);
/* Is the piece a function, or a template of one? Its key has the parameters (clang-pieces.cc,
 * key_of()). */
bool cpp_pieces_is_function(const struct declaration *d);
/* Is it a word of the text? */
bool cpp_pieces_mentions(const char *text, const char *word);
/* The types that the cell defines itself clash with the session's of that name: known before clang
 * says so. */
void cpp_pieces_drop_types(const struct session *session, const struct cpp_cell *cell,
			   uint8_t *dropped);
/* Appends the `#include <...>` lines of earlier C++ cells. */
void cpp_pieces_includes(const struct session *session, struct buffer *out);
/*
 * Appends the pieces to the unit's declarations, and an empty one for each of the session's that
 * goes. dropped: enum cpp_drop by entry. Lines about those that go to notes.
 */
int cpp_pieces_finish(struct cpp_pieces *l, const struct session *session, const uint8_t *dropped,
		      struct unit *u, struct buffer *notes, struct error *err);
/*
 * The kernels of earlier C++ cells that use, over any number of calls, device code which the pieces
 * define anew: they are to be compiled again. stays: by entry, those that are known not to compile;
 * ret: by entry; true: there is another one than before.
 */
bool cpp_pieces_follow(const struct cpp_pieces *l, const struct session *session,
		       const uint8_t *dropped, const bool *stays, bool *ret);
/*
 * What a C cell declares takes the place of what C++ cells have by that name at file scope. Appends
 * to the unit's declarations, in the pool.
 */
int cpp_pieces_replace(const struct session *session, struct unit *u, struct mem_pool *pool,
		       struct error *err);

#endif
