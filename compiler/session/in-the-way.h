/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds declarations of the session that keep a cell from compiling, by the places and subjects of
 * clang's errors: a declaration that does not compile any more in front of this cell, one with
 * another meaning of a name of the cell, a macro with a name of the cell. A cell that compiles
 * without them does not need them.
 */
#ifndef CGPU_COMPILER_IN_THE_WAY_H
#define CGPU_COMPILER_IN_THE_WAY_H

#include <stdbool.h>
#include <stdint.h>

struct clang_diagnostic;
struct error;
struct mem_pool;
struct compiler_session;
struct unit;

#define IN_THE_WAY_MAX 32

struct in_the_way {
	uint32_t entries[IN_THE_WAY_MAX]; /* of the session */
	uint32_t n;
	uint32_t last;     /* their number before the last error */
	bool last_clashed; /* the error is about two declarations, of which the next note names one
			    */
};

/* Examines a diagnostic. With session NULL nothing is found. */
void in_the_way_look_at(struct in_the_way *w, const struct compiler_session *session,
			const struct clang_diagnostic *d);
/* Hides those of `found` that are visible in the session, and adds them to w; false: there are
 * none, or no more room. */
bool in_the_way_leave_out(struct in_the_way *w, const struct in_the_way *found,
			  struct compiler_session *session);
/*
 * Undefines, for later cells, a macro without which the cell has compiled and whose name the cell
 * declares: an #undef is put in front of the unit's declarations, which are copied to the pool. -1:
 * ERROR_MEMORY.
 */
int in_the_way_undefine(const struct compiler_session *session, struct unit *u,
			struct mem_pool *pool, struct error *err);
/* Shows all of them again. */
void in_the_way_put_back(struct in_the_way *w, struct compiler_session *session);

#endif
