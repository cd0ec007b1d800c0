/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last cells that have changed the session, as %undo counts them: one step a cell, whatever
 * number of units and checkpoints it had. The supervisor keeps the memory to go back to, this the
 * declarations.
 */
#ifndef CGPU_KERNEL_SESSION_UNDO_H
#define CGPU_KERNEL_SESSION_UNDO_H

#include <stdint.h>

#include "common/base/buffer.h"
#include "kernel/declarations/declarations.h"

struct cell;
struct error;
struct session;

#define UNDO_STEPS_MAX 64

struct undo_step {
	uint32_t cell;
	uint64_t state; /* supervisor_state() before it */
	struct declarations_kept declarations;
	struct buffer beside; /* session_state_keep(), of what replaces the whole session; empty for
				 others */
};

struct undo {
	struct undo_step steps[UNDO_STEPS_MAX]; /* oldest first */
	unsigned n;
};

void undo_release(struct undo *u);
/* Before the cell's first commit is accepted: the declarations are still as they were. */
void undo_note(struct session *s, struct cell *c);
/* For what replaces the whole session, flags and cells that run again included; before that. */
void undo_note_all(struct session *s, struct cell *c);
/* Takes the last n cells back; a report for the user is appended to `report`. */
int undo_cells(struct session *s, unsigned n, struct buffer *report, struct error *err);

#endif
