/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inline functions and instances of templates of the C++ library whose code units of the session
 * have: a unit that has compiled some declares them (DECLARATION_INSTANCES), and later units of the
 * same header and options call them. As declarations they are there for as long as the unit that
 * has them: a cell that fails, or is taken back, takes them along, and snapshots have them.
 */
#ifndef CGPU_COMPILER_INSTANCES_H
#define CGPU_COMPILER_INSTANCES_H

#include "common/base/buffer.h"

struct error;
struct mem_pool;
struct session;
struct unit;

struct instances {
	char prefix[64];     /* of their symbols in the session; "": nothing is given or taken */
	struct buffer given; /* symbols that the session has, without it, a line each */
	struct buffer made;  /* those of the unit for others, the same */
};

#define INSTANCES_INIT { .prefix = "", .given = BUFFER_INIT, .made = BUFFER_INIT }

void instances_release(struct instances *i);
/* For a unit made so: what unit_cache_made_by() says, with the precompiled header, which stands for
 * the options, too. */
void instances_find(struct instances *i, const struct session *session,
		    const struct buffer *made_by);
/* What another try has made counts no more. */
void instances_begin(struct instances *i);
void instances_add(struct instances *i, const char *symbol);
/* Declares what was added, if anything was. The unit's cell is known; i must outlive the unit. */
int instances_declare(const struct instances *i, struct unit *u, struct mem_pool *pool,
		      struct error *err);

#endif
