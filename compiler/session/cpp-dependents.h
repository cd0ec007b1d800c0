/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces of earlier C++ cells that use what the cell defines anew. Where the new definition has the
 * layout of the old one, code that was compiled with either of them goes together, so these pieces
 * count on, with the new one: they stand behind it, in the middle of the cell. Which they are is
 * seen by what clang refuses in front of the cell.
 */
#ifndef CGPU_COMPILER_CPP_DEPENDENTS_H
#define CGPU_COMPILER_CPP_DEPENDENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/clang/clang-shim.h"

struct error;
struct mem_pool;
struct session;
struct unit;

struct cpp_dependents {
	struct mem_pool *pool;
	struct clang_definition *definitions; /* owned, their texts in the pool: of the cell, as the
						 last try has them */
	size_t n, cap;
	/* By the session's entry, in the pool: behind which byte of the cell it stands; 0: it has
	 * not been moved. */
	uint32_t *places, n_entries;
	bool *fits; /* by entry, of the last try: its layout is what it was */
};

/* 0, or -1: there is no memory. */
int cpp_dependents_init(struct cpp_dependents *l, const struct session *session,
			struct mem_pool *pool);
void cpp_dependents_release(struct cpp_dependents *l);
/* A try of its own begins: the definitions are forgotten, the places are not. */
void cpp_dependents_begin(struct cpp_dependents *l);
/* d->end is a byte of the cell. */
void cpp_dependents_add(struct cpp_dependents *l, const struct clang_definition *d);
/*
 * Of the pieces that are CPP_REFUSED in dropped (enum cpp_drop, by entry) those that have not been
 * moved, and use what the cell defines anew with the layout that it had, become CPP_BEHIND, and get
 * a place. Once moved, a piece that is refused stays so. A piece may have another layout there, as
 * an array of a constant has that is defined anew: see cpp_dependents_refuse().
 */
void cpp_dependents_move(struct cpp_dependents *l, const struct session *session, uint8_t *dropped);
/* In this try the entry declares something that has this layout. */
void cpp_dependents_look_at(struct cpp_dependents *l, const struct session *session, uint32_t entry,
			    uint64_t layout);
/* Those that have another layout behind the new definition become CPP_REFUSED. True: there are
 * some. */
bool cpp_dependents_refuse(struct cpp_dependents *l, uint8_t *dropped);
/*
 * A definition of the cell that the text uses, and that it does not go together with, since its
 * layout is another one than before; NULL: none.
 */
const char *cpp_dependents_changed(const struct cpp_dependents *l, const struct session *session,
				   const char *text);
/* The first place behind this byte of the cell that a piece has; UINT32_MAX: there is none. */
uint32_t cpp_dependents_next(const struct cpp_dependents *l, const struct session *session,
			     const uint8_t *dropped, uint32_t from);

/* Tells the unit which those are, in the order of their text: in u->behind, in the pool. */
int cpp_dependents_finish(const struct cpp_dependents *l, const struct session *session,
			  const uint8_t *dropped, struct unit *u, struct error *err);

#endif
