/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of a cell that stands. A frame's id is its place in the list, from 1; its scope has a
 * reference of its own, beyond those of parts. Both are good until the cell goes on.
 */
#ifndef CGPU_KERNEL_DEBUGGER_DEBUG_STACK_H
#define CGPU_KERNEL_DEBUGGER_DEBUG_STACK_H

#include <stdint.h>

#include "common/base/buffer.h"
#include "kernel/debugger/debug-references.h"
#include "kernel/views/presenter-frame.h"

struct debug_call;
struct error;

/* The reference of the scope of frame 0; that of the session; that of the warp of frame 0. */
#define DEBUG_STACK_SCOPES DEBUG_REFERENCES_END
#define DEBUG_STACK_SESSION (DEBUG_STACK_SCOPES + PRESENTER_FRAMES_MAX + 1)
#define DEBUG_STACK_WARPS DEBUG_STACK_SESSION

struct debug_stack {
	uint64_t sight; /* supervisor_sight() when it was listed; 0: never */
	struct buffer answer;
	struct presenter_frames frames; /* texts are those of the answer */
};

void debug_stack_release(struct debug_stack *s);
/* Returns the frame with this id. NULL with ERROR_STATE: no cell stands; ERROR_INPUT: no such
 * frame. */
const struct presenter_frame *debug_stack_frame(struct debug_call *c, int64_t id,
						struct error *err);

int debug_stack_trace(struct debug_call *c, struct error *err);
int debug_stack_scopes(struct debug_call *c, struct error *err);

#endif
