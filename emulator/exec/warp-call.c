/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of device functions. A frame is taken from those that the warp has made before; lanes that
 * return at different times share it until the last of them is gone.
 */
#include "emulator/exec/warp-call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "emulator/decode/ptx-function.h"
#include "emulator/exec/barrier.h"
#include "emulator/exec/exec-warp.h"
#include "emulator/memory/block-memory.h"
#include "emulator/memory/taint.h"
#include "emulator/memory/worker-caches.h"
#include "emulator/ptx/ptx-syntax.h"

const struct op *warp_exit(struct warp *w, uint32_t mask)
{
	w->live &= ~mask;
	w->block->live_threads -= lane_count(mask);
	w->event = WARP_GONE;
	if (w->parked_count)
		exec_warp_check_joint(w);
	barrier_check(w->block);
	return NULL;
}

static size_t frame_capacity(const struct ptx_program *p)
{
	return ((size_t)p->frame_bytes + (size_t)p->param_area * LANES + 127) / 64 * 64;
}

static struct frame *take_frame(struct warp *w, const struct ptx_program *p)
{
	size_t wanted = frame_capacity(p);
	struct frame **at, *f;

	for (at = &w->free_frames; *at; at = &(*at)->next_free)
		if ((*at)->capacity >= wanted) {
			f = *at;
			*at = f->next_free;
			return f;
		}
	f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	f->rows = aligned_alloc(64, wanted);
	if (!f->rows) {
		free(f);
		return NULL;
	}
	memset(f->rows, 0, wanted);
	f->capacity = wanted;
	f->next_made = w->made_frames;
	w->made_frames = f;
	return f;
}

static void copy_arguments(struct machine_worker *k, uint32_t lanes, const struct frame *from,
			   const struct ptx_call_argument *a, struct frame *to,
			   const struct ptx_call_argument *b, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t size = a[i].size < b[i].size ? a[i].size : b[i].size;

		for (uint32_t left = lanes; left; left &= left - 1) {
			size_t l = (size_t)__builtin_ctz(left);

			memcpy(to->params + l * to->program->param_area + b[i].offset,
			       from->params + l * from->program->param_area + a[i].offset, size);
			taint_copy_params(k, (uint32_t)l, from, a[i].offset, to, b[i].offset, size);
		}
	}
}

const struct op *warp_call(struct warp *w, const struct op *o, struct ptx_function *callee)
{
	struct frame *caller = w->frame, *f;
	struct ptx_program *p;
	const struct ptx_call *call = o->call;
	struct error err;
	char note[160];

	if (ptx_function_prepare(callee, &err)) {
		snprintf(note, sizeof(note), "%.150s", err.text);
		return warp_fault(w, o, GPU_FAULT_ILLEGAL_INSTRUCTION, w->mask, note);
	}
	p = callee->body->program;
	if (p->formal_count != call->argument_count || p->return_count < call->return_count)
		return warp_fault(w, o, GPU_FAULT_INVALID_PC, w->mask,
				  "the function called has another number of parameters");
	if (caller->local_base + caller->program->local_bytes + caller->dynamic + p->local_bytes >
		    w->local_size ||
	    caller->depth >= MACHINE_CALL_DEPTH_MAX)
		return warp_fault(w, o, GPU_FAULT_STACK, w->mask,
				  "the call needs more local memory than cudaLimitStackSize "
				  "allows, or recursion does not end");
	f = take_frame(w, p);
	if (!f)
		return warp_fault(w, o, GPU_FAULT_MEMORY, w->mask, "");
	f->caches = worker_caches(w->worker, p);
	if (!f->caches)
		return warp_fault(w, o, GPU_FAULT_MEMORY, w->mask, "");
	f->program = p;
	f->parent = caller;
	f->params = f->rows + p->frame_bytes;
	f->return_to = o + 1;
	f->call = call;
	f->local_base = (caller->local_base + caller->program->local_bytes + caller->dynamic + 15) /
			16 * 16;
	f->dynamic = 0;
	f->depth = caller->depth + 1;
	f->live = w->mask;
	warp_fill_constants(w, f, false);
	warp_forget_locals(w, w->mask, f->local_base, p->local_bytes);
	copy_arguments(w->worker, w->mask, caller, call->arguments, f, p->formals,
		       call->argument_count);
	w->frame = f;
	w->rows = f->rows;
	w->caches = f->caches;
	w->next = p->ops;
	w->event = WARP_RESUME;
	return NULL;
}

const struct op *warp_return(struct warp *w, const struct op *o)
{
	struct frame *f = w->frame;

	(void)o;
	if (!f->parent)
		return warp_exit(w, w->mask);
	copy_arguments(w->worker, w->mask, f, f->program->returns, f->parent, f->call->returns,
		       f->call->return_count);
	f->live &= ~w->mask;
	w->frame = f->parent;
	w->rows = w->frame->rows;
	w->caches = w->frame->caches;
	w->next = f->return_to;
	w->event = WARP_RESUME;
	if (!(f->live & w->live)) {
		taint_drop(w->worker, f);
		f->next_free = w->free_frames;
		w->free_frames = f;
	}
	return NULL;
}
