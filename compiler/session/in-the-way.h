/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declarations of the session that keep a cell from compiling, found by where clang's errors are
 * and what they are about: one that does not compile any more in front of this cell, one that says
 * something else by a name of the cell, a macro that takes a name of the cell for its own. A cell
 * that compiles without them does not need them.
 */
#ifndef CGPU_COMPILER_IN_THE_WAY_H
#define CGPU_COMPILER_IN_THE_WAY_H

#include <stdbool.h>
#include <stdint.h>

struct clang_diagnostic;
struct error;
struct mem_pool;
struct session;
struct unit;

#define IN_THE_WAY_MAX 32

struct in_the_way {
	uint32_t entries[IN_THE_WAY_MAX]; /* of the session */
	uint32_t n;
	uint32_t last;     /* how many of them there were before the last error */
	bool last_clashed; /* it is about two declarations, of which the next note names one */
};

/* session: NULL, nothing is found. */
void in_the_way_look_at(struct in_the_way *w, const struct session *session,
			const struct clang_diagnostic *d);
/* Leaves out of the session those of `found` that are seen in it, and adds them to w; false: there
 * are none, or no more room. */
bool in_the_way_leave_out(struct in_the_way *w, const struct in_the_way *found,
			  struct session *session);
/*
 * The cell that has compiled without a macro declares something of that name: for later cells the
 * macro is undefined, in front of the unit's declarations, which are copied to the pool. -1:
 * ERROR_MEMORY.
 */
int in_the_way_undefine(const struct session *session, struct unit *u, struct mem_pool *pool,
			struct error *err);
/* All of them are there again. */
void in_the_way_put_back(struct in_the_way *w, struct session *session);

#endif
