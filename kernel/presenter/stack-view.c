/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of device code stand before those of the host, which has launched it. */
#include "kernel/presenter/stack-view.h"

#include <dwarf.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/presenter/device-view.h"
#include "kernel/presenter/fault-frames.h"
#include "kernel/presenter/local-view.h"
#include "kernel/presenter/session-view.h"
#include "kernel/presenter/unit-debug.h"
#include "kernel/views/presenter-frame.h"
#include "kernel/views/presenter-part.h"

#define OWN "cgpu_" /* names so are not the user's */

/* ---- calls ---- */

static struct presenter_frame frame_of(const struct fault_call *c, uint32_t frame, uint32_t call)
{
	struct presenter_frame made = { .function = c->top_level ? "" : c->function,
					.cell = "",
					.file = "",
					.frame = frame,
					.call = call };

	if (c->unit && c->line) {
		made.cell = c->unit->record->unit.cell_name;
		made.line = c->line;
	} else if (c->file) {
		made.line = c->file_line;
		presenter_frame_set_text(&made, c->file);
	}
	return made;
}

/* Tells whether the call is not worth a line: clang has a function that runs the statements of a
 * cell one after another, and helpers of the display of values are not the user's. below: the unit
 * whose statements are the call before this one. */
static bool is_hidden(const struct fault_frame *frame, const struct fault_call *c,
		      const struct session_unit *below)
{
	return (c->top_level && (!c->line || c->unit == below)) ||
	       !strcmp(frame->name, FAULT_FRAME_HIDDEN) ||
	       !strncmp(frame->name, FAULT_FRAME_SHOWS, strlen(FAULT_FRAME_SHOWS));
}

void stack_view_calls(const struct fault_record *f, struct session_view *view, struct buffer *out)
{
	struct fault_call calls[FAULT_CALLS_MAX];
	const struct session_unit *below = NULL;
	uint32_t n = f->n_frames;

	if (f->device)
		device_view_calls(f->device, view, out);
	/* Frames outside the outermost call in a cell are cgpu's own. */
	while (n && !session_view_unit(view, f->frames[n - 1].cell))
		n--;
	for (uint32_t i = 0; i < n; i++) {
		unsigned inlined = fault_frames_calls(f, i, view, calls);

		for (unsigned k = 0; k < inlined; k++) {
			struct presenter_frame made = frame_of(&calls[k], i, k);

			if (!is_hidden(&f->frames[i], &calls[k], below))
				presenter_frame_put(&made, out);
			below = calls[k].top_level ? calls[k].unit : NULL;
		}
	}
}

/* ---- variables ---- */

struct locals {
	const struct fault_call *call;
	struct session_view *view;
	struct buffer *out;
	unsigned n;
};

/* place: see debug_value_of(). */
static bool put_variable(struct locals *l, const char *name, Dwarf_Die *variable, uint64_t place)
{
	local_view_put(&l->call->scene.frame, l->call->unit->record->unit.cell, name, variable,
		       place, l->out);
	return ++l->n < LOCAL_VIEWS_MAX;
}

static bool put_local(void *data, const char *name, Dwarf_Die *variable)
{
	/* Such names are the compiler's, for what a loop over a range is made of, and cgpu's. */
	if (!strncmp(name, "__", 2) || !strncmp(name, OWN, strlen(OWN)))
		return true;
	return put_variable(data, name, variable, 0);
}

/* A variable that the statements of a cell have at top level becomes one of the session when the
 * cell has ended. */
static bool put_own(void *data, const char *name, Dwarf_Die *variable)
{
	struct locals *l = data;

	if (dwarf_hasattr(variable, DW_AT_declaration) || !strncmp(name, OWN, strlen(OWN)))
		return true;
	return put_variable(l, name, variable,
			    session_view_address(l->view, unit_debug_symbol(variable, name)));
}

void stack_view_locals(const struct fault_record *f, uint32_t frame, uint32_t call,
		       struct session_view *view, struct buffer *out)
{
	struct fault_call calls[FAULT_CALLS_MAX];
	struct locals l = { .view = view, .out = out };
	unsigned n = frame < f->n_frames ? fault_frames_calls(f, frame, view, calls) : 0;
	struct unit_debug *debug;

	if (frame >= PRESENTER_FRAME_DEVICE && f->device)
		device_view_locals(f->device, frame - PRESENTER_FRAME_DEVICE, call, view, out);
	if (call < n && calls[call].unit && calls[call].has_scene) {
		l.call = &calls[call];
		debug = session_unit_debug(l.call->unit);
		if (debug)
			unit_debug_each_local(debug, l.call->scene.frame.address,
					      l.call->scene.place, put_local, &l);
		if (debug && l.call->top_level)
			unit_debug_each_global(debug, put_own, &l);
	}
	presenter_parts_end(0, out);
}
