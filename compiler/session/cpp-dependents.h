/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces of earlier C++ cells that use what the current cell redefines. If the new definition has
 * the same layout as the old one, code compiled with either of them is compatible, so these pieces
 * stay valid with the new one: they are placed behind it, in the middle of the cell. Clang's errors
 * in front of the cell show which pieces these are.
 */
#ifndef CGPU_COMPILER_CPP_DEPENDENTS_H
#define CGPU_COMPILER_CPP_DEPENDENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/clang/job/clang-shim.h"

struct error;
struct mem_pool;
struct compiler_session;
struct unit;

struct cpp_dependents {
	struct mem_pool *pool;
	/* Definitions of the cell in the last try; the array is owned, the texts are in the
	 * pool. */
	struct clang_definition *definitions;
	size_t n, cap;
	/* By the session's entry, in the pool: the byte of the cell behind which it is placed; 0:
	 * it was not moved. */
	uint32_t *places, n_entries;
	bool *fits; /* by entry, for the last try: its layout is unchanged */
};

/* Returns 0, or -1: there is no memory. */
int cpp_dependents_init(struct cpp_dependents *l, const struct compiler_session *session,
			struct mem_pool *pool);
void cpp_dependents_release(struct cpp_dependents *l);
/* Begins a try: the definitions are forgotten, the places are kept. */
void cpp_dependents_begin(struct cpp_dependents *l);
/* Adds a definition; d->end is a byte of the cell. */
void cpp_dependents_add(struct cpp_dependents *l, const struct clang_definition *d);
/*
 * Moves pieces: those that are CPP_REFUSED in dropped (enum cpp_drop, by entry), were not moved
 * before, and use what the cell redefines with an unchanged layout, become CPP_BEHIND and get a
 * place. A moved piece that is refused again stays CPP_REFUSED. A moved piece may have another
 * layout, such as an array whose size is a redefined constant: see cpp_dependents_refuse().
 */
void cpp_dependents_move(struct cpp_dependents *l, const struct compiler_session *session,
			 uint8_t *dropped);
/* Notes that in this try the entry declares something with this layout. */
void cpp_dependents_look_at(struct cpp_dependents *l, const struct compiler_session *session,
			    uint32_t entry, uint64_t layout);
/* Makes moved pieces CPP_REFUSED whose layout has changed behind the new definition. True: there
 * are some. */
bool cpp_dependents_refuse(struct cpp_dependents *l, uint8_t *dropped);
/*
 * Returns a definition of the cell that the text uses, and that is incompatible with it, since its
 * layout has changed; NULL: none.
 */
const char *cpp_dependents_changed(const struct cpp_dependents *l,
				   const struct compiler_session *session, const char *text);
/* Returns the first place of a piece behind this byte of the cell; UINT32_MAX: there is none. */
uint32_t cpp_dependents_next(const struct cpp_dependents *l, const struct compiler_session *session,
			     const uint8_t *dropped, uint32_t from);

/* Stores the names of the moved pieces, in the order of their text, in u->behind, in the pool. */
int cpp_dependents_finish(const struct cpp_dependents *l, const struct compiler_session *session,
			  const uint8_t *dropped, struct unit *u, struct error *err);

#endif
