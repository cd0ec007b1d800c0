/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What pragmas still hold: the cells of a session are one file to them. The state of a family, such
 * as #pragma pack, is the shortest list of directives that makes it. The session keeps it as a
 * declaration under the family's name, so it rolls back, and goes with the cell that has made it
 * when that is run again.
 */
#ifndef CGPU_COMPILER_PRAGMA_STATE_H
#define CGPU_COMPILER_PRAGMA_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct mem_pool;
struct session;

struct pragma_kind;

#define PRAGMA_FAMILIES 16 /* at most, see pragmas.def */

struct pragma_line {
	const struct pragma_kind *kind;
	const char *text; /* what stands behind #pragma */
};

struct pragma_state {
	struct mem_pool *pool;
	struct pragma_line *at; /* owned */
	size_t n, cap;
	bool failed; /* memory is out: something is missing */
};

/* What holds where the cell begins. Release with pragma_state_release(). */
void pragma_state_init(struct pragma_state *s, const struct session *session,
		       struct mem_pool *pool);
void pragma_state_release(struct pragma_state *s);
/* A directive by its text behind "#pragma", which may go on over several lines. */
void pragma_state_add(struct pragma_state *s, const char *text);
/* Go on from another state. */
void pragma_state_copy(struct pragma_state *s, const struct pragma_state *from);
/* Directives that make the state. device: those that device code takes. */
void pragma_state_write(const struct pragma_state *s, bool device, struct buffer *out);

/*
 * What is another state in s than it was before: told by family with the directives that make it,
 * for host and device code, whose texts live as long as the pool of s. -1: memory is out.
 */
int pragma_state_changes(const struct pragma_state *s, const struct pragma_state *before,
			 void *context,
			 void (*changed)(void *context, const char *family, const char *host,
					 const char *device));

#endif
