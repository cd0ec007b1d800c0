/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of pragmas: to them, the cells of a session are one file. The state of a family, such
 * as #pragma pack, is the shortest list of directives that produces it. The session keeps it as a
 * declaration under the family's name, so it rolls back, and is dropped when the cell that has made
 * it is run again.
 */
#ifndef CGPU_COMPILER_PRAGMA_STATE_H
#define CGPU_COMPILER_PRAGMA_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct mem_pool;
struct compiler_session;

struct pragma_kind;

#define PRAGMA_FAMILIES 16 /* maximum, see pragmas.def */

struct pragma_line {
	const struct pragma_kind *kind;
	const char *text; /* the text behind #pragma */
};

struct pragma_state {
	struct mem_pool *pool;
	struct pragma_line *at; /* owned */
	size_t n, cap;
	bool failed; /* memory is out: the state is incomplete */
};

/* Sets s to the state at the beginning of the cell. Release with pragma_state_release(). */
void pragma_state_init(struct pragma_state *s, const struct compiler_session *session,
		       struct mem_pool *pool);
void pragma_state_release(struct pragma_state *s);
/* Adds a directive by its text behind "#pragma", which may have several lines. */
void pragma_state_add(struct pragma_state *s, const char *text);
/* Copies another state. */
void pragma_state_copy(struct pragma_state *s, const struct pragma_state *from);
/* Appends directives that produce the state. device: only those for device code. */
void pragma_state_write(const struct pragma_state *s, bool device, struct buffer *out);

/*
 * Calls changed() for each family whose state in s differs from before, with the directives that
 * produce it for host and device code; their texts live as long as the pool of s. -1: memory is
 * out.
 */
int pragma_state_changes(const struct pragma_state *s, const struct pragma_state *before,
			 void *context,
			 void (*changed)(void *context, const char *family, const char *host,
					 const char *device));

#endif
