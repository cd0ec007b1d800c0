/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared code of inline functions and template instances of the C++ library: a unit that has
 * compiled some declares them (DECLARATION_INSTANCES), and later units with the same header and
 * options call them. As declarations they exist as long as the unit that contains them: they are
 * dropped with a cell that fails or is undone, and are part of snapshots.
 */
#ifndef CGPU_COMPILER_INSTANCES_H
#define CGPU_COMPILER_INSTANCES_H

#include "common/base/buffer.h"

struct error;
struct mem_pool;
struct compiler_session;
struct unit;

struct instances {
	char prefix[64];     /* prefix of their symbols in the session; "": no code is shared */
	struct buffer given; /* symbols that the session has, without the prefix, a line each */
	struct buffer made;  /* symbols of this unit for others, in the same form */
};

#define INSTANCES_INIT { .prefix = "", .given = BUFFER_INIT, .made = BUFFER_INIT }

void instances_release(struct instances *i);
/* Finds the shared symbols for a unit. made_by is from unit_cache_made_by(), with the precompiled
 * header, which includes the options. */
void instances_find(struct instances *i, const struct compiler_session *session,
		    const struct buffer *made_by);
/* Starts over with another try. */
void instances_begin(struct instances *i);
void instances_add(struct instances *i, const char *symbol);
/* Declares the added symbols, if there are any. The unit's cell must be set; i must outlive the
 * unit. */
int instances_declare(const struct instances *i, struct unit *u, struct mem_pool *pool,
		      struct error *err);

#endif
