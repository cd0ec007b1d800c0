/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The step loop and the fragments of a warp. Ready fragments are kept sorted with the next one to
 * run last: those that have not given their turn away first, then the innermost call, then the
 * lowest place. The running fragment goes on until it reaches w->limit, the place of the next one
 * in its frame; there they merge or change places.
 */
#include "emulator/warp/observer.h"
#include "emulator/memory/taint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "emulator/decode/ptx-function.h"
#include "emulator/ptx/ptx-lines.h"
#include "emulator/ptx/ptx-syntax.h"

void warp_set_mask(struct warp *w, uint32_t mask)
{
	w->mask = mask;
	for (int l = 0; l < LANES; l++)
		w->lanes[l] = mask >> l & 1 ? ~0u : 0;
}

/* a runs before b */
static bool before(const struct fragment *a, const struct fragment *b)
{
	if (a->yielded != b->yielded)
		return b->yielded;
	if (a->frame->depth != b->frame->depth)
		return a->frame->depth > b->frame->depth;
	return a->pc < b->pc;
}

static void update_limit(struct warp *w)
{
	const struct fragment *next = w->ready_count ? &w->ready[w->ready_count - 1] : NULL;

	w->limit = next && next->frame == w->frame ? next->pc : NULL;
}

void warp_ready(struct warp *w, struct fragment f)
{
	uint32_t i;

	for (i = 0; i < w->ready_count; i++)
		if (w->ready[i].pc == f.pc && w->ready[i].frame == f.frame) {
			w->ready[i].mask |= f.mask;
			return;
		}
	i = w->ready_count++;
	while (i > 0 && before(&w->ready[i - 1], &f)) {
		w->ready[i] = w->ready[i - 1];
		i--;
	}
	w->ready[i] = f;
}

/* Take the best ready fragment as the running one; false when there is none. */
static bool select_fragment(struct warp *w, const struct op **pc)
{
	struct fragment f;

	if (!w->ready_count)
		return false;
	f = w->ready[--w->ready_count];
	if (w->mask != f.mask)
		warp_set_mask(w, f.mask);
	if (w->frame != f.frame) {
		w->frame = f.frame;
		w->rows = f.frame->rows;
		w->caches = f.frame->caches;
	}
	update_limit(w);
	*pc = f.pc;
	return true;
}

static void forget_yields(struct warp *w)
{
	struct fragment all[LANES];
	uint32_t count = w->ready_count;

	memcpy(all, w->ready, count * sizeof(all[0]));
	w->ready_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		all[i].yielded = false;
		warp_ready(w, all[i]);
	}
}

/*
 * The running fragment used up its budget of back edges. Others of the warp get a turn, so that
 * lanes which spin until another lane of the same warp does something let it. False: the whole
 * warp's turn is over.
 */
static bool yield_fragment(struct warp *w, const struct op **pc)
{
	bool alone = w->ready_count == 0;
	bool all_yielded = true;

	warp_ready(w, (struct fragment){ w->next, w->frame, w->mask, !alone });
	if (alone) {
		w->yield_budget = MACHINE_SLICE;
		w->turn = 0;
		return false;
	}
	w->turn -= (int32_t)w->yield_budget;
	if (w->yield_budget > MACHINE_YIELD_MIN)
		w->yield_budget /= 2;
	for (uint32_t i = 0; i < w->ready_count; i++)
		all_yielded &= w->ready[i].yielded;
	if (all_yielded)
		forget_yields(w);
	w->budget = (int32_t)w->yield_budget;
	if (w->turn <= 0)
		return false;
	return select_fragment(w, pc);
}

/* The running fragment got to the limit, or lanes changed: put it in order with the others. */
static bool reorder(struct warp *w, const struct op **pc)
{
	if (w->ready_count) {
		const struct fragment *next = &w->ready[w->ready_count - 1];
		struct fragment mine = { *pc, w->frame, w->mask, false };

		if (next->frame != w->frame || next->pc <= *pc || !before(&mine, next)) {
			warp_ready(w, mine);
			return select_fragment(w, pc);
		}
	}
	update_limit(w);
	return true;
}

bool warp_part(struct warp *w, const struct op *branch, uint32_t back)
{
	struct fragment mine = { branch->target, w->frame, back, false };
	const struct fragment *next;

	warp_ready(w, (struct fragment){ branch + 1, w->frame, w->mask & ~back, false });
	warp_set_mask(w, back);
	w->next = branch->target;
	w->event = --w->budget < 0 ? WARP_SLICE : WARP_RESUME;
	next = &w->ready[w->ready_count - 1];
	if (w->event == WARP_SLICE || !before(&mine, next) || next->frame != w->frame ||
	    next->pc <= mine.pc)
		return false;
	update_limit(w);
	return true;
}

/* The warp beside it when all its lanes are at one place of the entry, and are to run. */
static struct warp *whole_neighbour(const struct warp *w)
{
	uint32_t index = w->index ^ 1;
	struct warp *other = &w->cta->warps[index];

	if (index >= w->cta->warp_count || other->ready_count != 1 ||
	    other->ready[0].mask != ALL_LANES)
		return NULL;
	return other->frame == &other->entry && other->ready[0].frame == other->frame ? other
										      : NULL;
}

bool warp_meet(struct warp *w, const struct op *o)
{
	const struct warp *other = whole_neighbour(w);
	bool waited = w->met == o;

	w->met = NULL;
	if (waited || !other || other->ready[0].pc > o || other->met == o)
		return true;
	w->met = o;
	/* No lane is elsewhere. */
	w->ready[0] = (struct fragment){ o, w->frame, ALL_LANES, false };
	w->ready_count = 1;
	w->event = WARP_OTHERS;
	return false;
}

struct warp *warp_partner(struct warp *w, const struct op *o, const struct op *end)
{
	struct warp *other = whole_neighbour(w);

	if (!other || other->ready[0].pc != o || other->met != o)
		return NULL;
	other->met = NULL;
	other->ready[0].pc = end;
	return other;
}

bool warp_run(struct warp *w)
{
	const struct op *pc;
	uint64_t steps = 0;

	w->turn = w->cta->slice;
	w->budget = w->ready_count > 1 && (int32_t)w->yield_budget < w->turn
			    ? (int32_t)w->yield_budget
			    : w->turn;
	if (!select_fragment(w, &pc))
		return true;
	for (;;) {
		uintptr_t end = (uintptr_t)w->limit - 1;
		bool going;

		if (w->worker->observer_count) {
			pc = observer_run(w, pc, end, &steps);
		} else if (w->mask == ALL_LANES) {
			do {
				pc = pc->full(w, pc);
				steps++;
			} while ((uintptr_t)pc - 1 < end);
		} else {
			do {
				pc = pc->masked(w, pc);
				steps++;
			} while ((uintptr_t)pc - 1 < end);
		}
		if (pc) {
			going = reorder(w, &pc);
		} else if (w->event == WARP_RESUME) {
			pc = w->next;
			going = reorder(w, &pc);
		} else if (w->event == WARP_GONE) {
			going = select_fragment(w, &pc);
		} else if (w->event == WARP_SLICE) {
			going = yield_fragment(w, &pc);
		} else if (w->event == WARP_OTHERS) {
			going = false;
		} else {
			w->worker->instructions += steps;
			return false;
		}
		if (!going)
			break;
	}
	w->worker->instructions += steps;
	return true;
}

const struct op *warp_park(struct warp *w, const struct op *o, enum parked_kind kind,
			   uint32_t barrier, uint32_t need)
{
	w->parked[w->parked_count++] = (struct parked){
		.fragment = { o, w->frame, w->mask, false },
		.kind = kind,
		.barrier = barrier,
		.need = need,
	};
	w->event = WARP_GONE;
	return NULL;
}

void warp_wake(struct warp *w, uint32_t i, const struct op *pc)
{
	struct fragment f = w->parked[i].fragment;

	w->parked[i] = w->parked[--w->parked_count];
	f.pc = pc;
	warp_ready(w, f);
}

const struct op *warp_exit(struct warp *w, uint32_t mask)
{
	w->live &= ~mask;
	w->cta->live_threads -= lane_count(mask);
	w->event = WARP_GONE;
	if (w->parked_count)
		warp_check_joint(w);
	cta_check_barriers(w->cta);
	return NULL;
}

uint64_t warp_special(const struct warp *w, enum ptx_special s, uint32_t lane)
{
	const struct launch *l = w->worker->launch;
	const uint32_t *block = l->spec->block, *grid = l->spec->grid;
	uint32_t thread = w->index * LANES + lane;

	switch (s) {
	case PTX_SPECIAL_TID_X:
		return thread % block[0];
	case PTX_SPECIAL_TID_Y:
		return thread / block[0] % block[1];
	case PTX_SPECIAL_TID_Z:
		return thread / block[0] / block[1];
	case PTX_SPECIAL_NTID_X:
		return block[0];
	case PTX_SPECIAL_NTID_Y:
		return block[1];
	case PTX_SPECIAL_NTID_Z:
		return block[2];
	case PTX_SPECIAL_CTAID_X:
		return w->cta->id[0];
	case PTX_SPECIAL_CTAID_Y:
		return w->cta->id[1];
	case PTX_SPECIAL_CTAID_Z:
		return w->cta->id[2];
	case PTX_SPECIAL_NCTAID_X:
		return grid[0];
	case PTX_SPECIAL_NCTAID_Y:
		return grid[1];
	case PTX_SPECIAL_NCTAID_Z:
		return grid[2];
	case PTX_SPECIAL_LANEID:
		return lane;
	case PTX_SPECIAL_WARPID:
		return w->index;
	case PTX_SPECIAL_NWARPID:
		return MACHINE_THREADS_PER_SM / LANES;
	case PTX_SPECIAL_LANEMASK_EQ:
		return 1u << lane;
	case PTX_SPECIAL_LANEMASK_LE:
		return (2u << lane) - 1;
	case PTX_SPECIAL_LANEMASK_LT:
		return (1u << lane) - 1;
	case PTX_SPECIAL_LANEMASK_GE:
		return ALL_LANES << lane;
	case PTX_SPECIAL_LANEMASK_GT:
		return ~((2u << lane) - 1);
	case PTX_SPECIAL_SMID:
		return w->cta->linear % MACHINE_SM_COUNT;
	case PTX_SPECIAL_NSMID:
		return MACHINE_SM_COUNT;
	case PTX_SPECIAL_ENVREG1:
		return l->spec->cooperative ? MACHINE_WORKSPACE >> 32 : 0;
	case PTX_SPECIAL_ENVREG2:
		return l->spec->cooperative ? MACHINE_WORKSPACE & 0xffffffffu : 0;
	case PTX_SPECIAL_DYNAMIC_SMEM_SIZE:
		return l->spec->dynamic_shared;
	case PTX_SPECIAL_TOTAL_SMEM_SIZE:
		return l->shared_counted;
	case PTX_SPECIAL_ONE:
		return 1;
	case PTX_SPECIAL_GRIDID:
	case PTX_SPECIAL_ZERO:
		return 0;
	}
	return 0;
}

static uint64_t param_value(const struct launch *l, const struct ptx_constant *c)
{
	const uint8_t *at = (const uint8_t *)l->spec->params + c->value;
	uint64_t v = 0;
	uint32_t size = c->load == PTX_LOAD_64    ? 8
			: c->load == PTX_LOAD_32  ? 4
			: c->load >= PTX_LOAD_U16 ? 2
						  : 1;

	if (c->value + size > l->spec->params_size)
		return 0;
	memcpy(&v, at, size);
	if (c->load == PTX_LOAD_S8)
		v = (uint64_t)(int64_t)(int8_t)v;
	if (c->load == PTX_LOAD_S16)
		v = (uint64_t)(int64_t)(int16_t)v;
	return v;
}

static void fill_row(uint8_t *row, bool wide, uint64_t value)
{
	if (wide)
		for (uint32_t lane = 0; lane < LANES; lane++)
			((uint64_t *)row)[lane] = value;
	else
		for (uint32_t lane = 0; lane < LANES; lane++)
			((uint32_t *)row)[lane] = (uint32_t)value;
}

static void fill_constant(const struct warp *w, const struct frame *f, const struct ptx_constant *c)
{
	const struct launch *launch = w->worker->launch;
	uint8_t *row = f->rows + c->row;
	uint64_t value = c->value;

	if (ptx_constant_by_lane(c)) {
		for (uint32_t lane = 0; lane < LANES; lane++) {
			value = warp_special(w, (enum ptx_special)c->value, lane);
			if (c->wide)
				((uint64_t *)row)[lane] = value;
			else
				((uint32_t *)row)[lane] = (uint32_t)value;
		}
		return;
	}
	if (c->kind == PTX_CONSTANT_SPECIAL)
		value = warp_special(w, (enum ptx_special)c->value, 0);
	else if (c->kind == PTX_CONSTANT_PARAM)
		value = param_value(launch, c);
	else if (c->kind == PTX_CONSTANT_DYNAMIC_SHARED)
		value += launch->dynamic_offset;
	else if (c->kind == PTX_CONSTANT_LOCAL)
		value += f->local_base;
	fill_row(row, c->wide, value);
}

void warp_fill_constants(struct warp *w, struct frame *f, bool ctas_only)
{
	const struct ptx_program *p = f->program;
	uint32_t count = ctas_only ? p->cta_constant_count : p->constant_count;

	for (uint32_t i = 0; i < count; i++)
		fill_constant(w, f, &p->constants[i]);
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

static void copy_arguments(struct worker *k, uint32_t lanes, const struct frame *from,
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
	snprintf(f->entry, sizeof(f->entry), "%s", launch->spec->entry->name);
	snprintf(f->note, sizeof(f->note), "%s", note);
	memcpy(f->cta, w->cta->id, sizeof(f->cta));
	f->thread[0] = (uint32_t)warp_special(w, PTX_SPECIAL_TID_X, lane);
	f->thread[1] = (uint32_t)warp_special(w, PTX_SPECIAL_TID_Y, lane);
	f->thread[2] = (uint32_t)warp_special(w, PTX_SPECIAL_TID_Z, lane);
	f->lanes = lanes;
	warp_describe_place(w->frame->program->function, o, f);
	/* What the frames of real calls add behind the inlined ones. */
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
