/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fault of a warp is described where it happens, from the text of its instruction and the calls
 * that its lanes are in. The launch ends with it.
 */
#include "emulator/warp/warp.h"

#include <stdio.h>
#include <string.h>

#include "emulator/ptx/ptx-lines.h"
#include "emulator/ptx/ptx-syntax.h"

static void copy_text(char *to, size_t size, const char *from, size_t len)
{
	size_t n = 0;

	/* Runs of blanks and line ends of the PTX text become one blank. */
	for (size_t i = 0; i < len && n + 1 < size; i++) {
		char c = from[i] == '\n' || from[i] == '\t' || from[i] == '\r' ? ' ' : from[i];

		if (c != ' ' || (n && to[n - 1] != ' '))
			to[n++] = c;
	}
	to[n] = '\0';
}

void warp_describe_place(const struct ptx_function *function, const struct op *o,
			 struct gpu_fault *f)
{
	const struct ptx_instruction *in;

	snprintf(f->function, sizeof(f->function), "%s", function->name);
	f->frame_count = 0;
	if (o->source >= function->body->instruction_count)
		return;
	in = &function->body->instructions[o->source];
	copy_text(f->instruction, sizeof(f->instruction), in->text, in->text_len);
	f->offset = o->source * 16;
	f->frame_count = ptx_lines_frames(function->module, in->loc, function->name, f->frames,
					  GPU_FAULT_FRAMES);
}

void warp_describe(const struct warp *w, const struct op *o, enum gpu_fault_kind kind,
		   uint32_t lanes, const char *note, struct gpu_fault *f)
{
	const struct launch *launch = w->worker->launch;
	uint32_t lane = (uint32_t)first_lane(lanes);

	memset(f, 0, sizeof(*f));
	f->kind = kind;
	snprintf(f->kernel, sizeof(f->kernel), "%s", launch->spec->kernel->name);
	snprintf(f->note, sizeof(f->note), "%s", note);
	memcpy(f->block, w->block->id, sizeof(f->block));
	f->thread[0] = (uint32_t)warp_special(w, PTX_SPECIAL_TID_X, lane);
	f->thread[1] = (uint32_t)warp_special(w, PTX_SPECIAL_TID_Y, lane);
	f->thread[2] = (uint32_t)warp_special(w, PTX_SPECIAL_TID_Z, lane);
	f->lanes = lanes;
	warp_describe_place(w->frame->program->function, o, f);
	/* The frames of real calls come behind the inlined ones. */
	for (const struct frame *up = w->frame; up->parent; up = up->parent) {
		const struct ptx_function *caller = up->parent->program->function;
		uint32_t source = (up->return_to - 1)->source;

		if (source >= caller->body->instruction_count)
			continue;
		if (f->caller_count < GPU_FAULT_CALLERS) {
			snprintf(f->callers[f->caller_count].function,
				 sizeof(f->callers[0].function), "%s", caller->name);
			f->callers[f->caller_count++].offset = (source + 1) * 16;
		}
		if (f->frame_count < GPU_FAULT_FRAMES)
			f->frame_count += ptx_lines_frames(caller->module,
							   caller->body->instructions[source].loc,
							   caller->name, &f->frames[f->frame_count],
							   GPU_FAULT_FRAMES - f->frame_count);
	}
}

const struct op *warp_fault(struct warp *w, const struct op *o, enum gpu_fault_kind kind,
			    uint32_t lanes, const char *note)
{
	warp_describe(w, o, kind, lanes, note, &w->worker->fault);
	w->event = WARP_FAULT;
	return NULL;
}
