/* SPDX-License-Identifier: Apache-2.0 */
/* Undo: the session goes back to the state after an earlier commit, as far as the undo log keeps
 * old content (kernel/state/undo-log.h). */
#ifndef CGPU_KERNEL_DISK_SESSION_UNDO_H
#define CGPU_KERNEL_DISK_SESSION_UNDO_H

#include <stdbool.h>
#include <stdint.h>

#include "common/memory/arena-layout.h"
#include "kernel/state/arena-file.h"
#include "kernel/units/unit-table.h"

struct error;
struct supervisor;

struct session_undo_room {
	uint64_t oldest; /* the oldest state that can be returned to */
	uint64_t bytes;  /* kept for undo */
	uint64_t bytes_max;
	uint32_t redo; /* the newest cell that session_redo() brings back; 0: there is none */
};
void session_undo_room(const struct supervisor *s, struct session_undo_room *ret);
/* Goes back to an earlier state, between cells. ERROR_STATE: that state is not kept. What is taken
 * back becomes the redo image, unless it is too large or goes over a replaced session. */
int session_undo(struct supervisor *s, uint64_t state, struct error *err);
/* Brings back what the redo image holds, as one commit, between cells. ERROR_STATE: there is none.
 */
int session_redo(struct supervisor *s, struct error *err);

/* Tells whether session_redo() would change one of these committed bytes. */
bool session_redo_changes(const struct supervisor *s, uint64_t address, uint64_t len);
/* Calls fn for the symbols that session_redo() brings back. */
void session_redo_symbols(const struct supervisor *s,
			  void (*fn)(void *data, const struct unit_symbol *symbol), void *data);

/* The replacement of a session. With all zero but the arena it is an empty session. */
struct session_state {
	struct arena_file arena;
	struct unit_table units;
	uint64_t heap_freed;
	uint64_t top[ARENA_REGIONS];
};

/*
 * Replaces the session by `to`, without device memory; the old session becomes the newest entry of
 * the undo log. No worker may have the arena mapped. On error nothing has changed; otherwise `to`
 * is taken over.
 */
int session_replace(struct supervisor *s, const struct session_state *to, struct error *err);

#endif
