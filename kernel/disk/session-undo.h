/* SPDX-License-Identifier: Apache-2.0 */
/* Undo: the session goes back to the state that an earlier commit has made, as far as old content
 * is kept (kernel/state/undo-log.h). */
#ifndef CGPU_KERNEL_DISK_SESSION_UNDO_H
#define CGPU_KERNEL_DISK_SESSION_UNDO_H

#include <stdint.h>

#include "common/memory/arena-layout.h"
#include "kernel/units/unit-table.h"

struct error;
struct supervisor;

struct session_undo_room {
	uint64_t oldest; /* state that can be returned to */
	uint64_t bytes;  /* that are kept for it */
	uint64_t bytes_max;
};
void session_undo_room(const struct supervisor *s, struct session_undo_room *ret);
/* Between cells: go back to an earlier state. ERROR_STATE: it is not kept. */
int session_undo(struct supervisor *s, uint64_t state, struct error *err);

/* What takes the place of a session; all zero but memfd: an empty one. */
struct session_state {
	int memfd;
	struct unit_table units;
	uint64_t heap_freed;
	uint64_t top[ARENA_REGIONS];
};

/*
 * The session is `to` from here on, without device memory, and the old one the newest entry of the
 * undo log. No worker may have the arena mapped. On error nothing has changed; otherwise `to` is
 * taken over.
 */
int session_replace(struct supervisor *s, const struct session_state *to, struct error *err);

#endif
