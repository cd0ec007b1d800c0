/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of %undo: one for each of the last cells that have changed the session, whatever number
 * of units and checkpoints it had. And that of %redo, for what the last %undo or an interrupt has
 * taken back. The supervisor keeps the old memory, this file the old declarations.
 */
#ifndef CGPU_KERNEL_SESSION_UNDO_H
#define CGPU_KERNEL_SESSION_UNDO_H

#include <stdint.h>

#include "common/base/buffer.h"
#include "kernel/declarations/declarations.h"

struct cell;
struct declaration_source;
struct error;
struct session;
struct unit;

#define UNDO_STEPS_MAX 64

struct undo_step {
	uint32_t cell;
	uint64_t state; /* supervisor_state() before it */
	struct declarations_kept declarations;
	/* The result of session_state_keep(), for a step that replaces the whole session; empty for
	 * others. */
	struct buffer beside;
};

struct undo {
	struct undo_step steps[UNDO_STEPS_MAX]; /* oldest first */
	unsigned n;
	/* The session's part of the state that session_redo() brings back, as
	 * session_state_describe() has it; empty for none. */
	struct buffer redo;
};

void undo_release(struct undo *u);
/* Records a step before the cell's first commit is accepted, while the declarations are still the
 * old ones. */
void undo_note(struct session *s, struct cell *c);
/* Records a step before the whole session is replaced, flags and %%on_restart cells included. */
void undo_note_all(struct session *s, struct cell *c);
/* Takes the last n cells back and appends a report for the user. */
int undo_cells(struct session *s, unsigned n, struct buffer *report, struct error *err);

/* A cell begins to run: what was taken back is not kept any more. */
void undo_forget_redo(struct undo *u);
/* Notes, for a cell that was interrupted and set aside, the declarations of its unit, and appends
 * to out which variables a %redo would change. */
void undo_set_aside(struct session *s, const struct declaration_source *from,
		    const struct unit *unit, struct buffer *out);
/* Brings back what was taken back last, as cell `c`, and appends a report for the user. */
int undo_redo(struct session *s, struct cell *c, struct buffer *report, struct error *err);

#endif
