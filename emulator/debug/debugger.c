/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each operation of the followed thread is looked at before it runs: does a step end there, does a
 * breakpoint stand there? Values of variables are in memory then, since code for a debugger is
 * neither optimised by the compiler nor taken together by the decoder. An operation that is seen
 * twice with nothing of the thread between has not run yet: its warp gave its turn away, or waited
 * there for other lanes.
 *
 * Calls are compared by their depth. The thread returns through all calls between, so one of the
 * same depth is the same call as long as no smaller depth was seen.
 */
#include "emulator/debug/debugger.h"

#include <stdio.h>
#include <string.h>

#include "emulator/ptx/ptx-lines.h"
#include "emulator/ptx/ptx-ops.h"
#include "emulator/ptx/ptx-syntax.h"

static struct debugger *debugger_of(struct observer *x)
{
	return OBSERVER_OF(x, struct debugger, observer);
}

/* ---- the thread ---- */

static void follow(struct debugger *d, const struct machine_launch *l, const uint32_t block[3],
		   const uint32_t thread[3])
{
	d->follows = true;
	d->launch = l;
	memcpy(d->block, block, sizeof(d->block));
	memcpy(d->thread, thread, sizeof(d->thread));
	d->seen = NULL;
}

static void follow_lane(struct debugger *d, const struct warp *w, uint32_t lane)
{
	const uint32_t thread[3] = { (uint32_t)warp_special(w, PTX_SPECIAL_TID_X, lane),
				     (uint32_t)warp_special(w, PTX_SPECIAL_TID_Y, lane),
				     (uint32_t)warp_special(w, PTX_SPECIAL_TID_Z, lane) };

	follow(d, w->worker->launch->spec, w->block->id, thread);
}

static bool in_followed_block(const struct debugger *d, const struct block *c)
{
	return d->follows && !memcmp(c->id, d->block, sizeof(c->id)) &&
	       (!d->launch || d->launch == c->warps[0].worker->launch->spec);
}

/* The followed thread is among the lanes that run. */
static bool runs(const struct debugger *d, const struct warp *w)
{
	const uint32_t *size = w->worker->launch->spec->block, *t = d->thread;
	uint32_t number;

	if (!in_followed_block(d, w->block) || t[0] >= size[0] || t[1] >= size[1] ||
	    t[2] >= size[2])
		return false;
	number = (t[2] * size[1] + t[1]) * size[0] + t[0];
	return w->index == number / LANES && w->mask >> (number % LANES) & 1;
}

static uint32_t followed_lane(const struct debugger *d, const struct warp *w)
{
	const uint32_t *size = w->worker->launch->spec->block;

	return ((d->thread[2] * size[1] + d->thread[1]) * size[0] + d->thread[0]) % LANES;
}

/* ---- code ---- */

/* NULL: out of memory, and nobody stops there. */
static struct debug_code *find_code(struct debugger *d, const struct ptx_program *p)
{
	struct debug_code *c = d->last;

	if (c && c->program == p)
		return c;
	for (c = d->codes; c && c->program != p;)
		c = c->next;
	if (!c && (c = debug_code_new(p))) {
		debug_code_set(c, &d->wish);
		c->next = d->codes;
		d->codes = c;
	}
	return d->last = c;
}

static void take_wish(struct debugger *d, const struct device_debugger *now)
{
	bool same;

	d->wish = *now;
	if (d->wish.n > DEBUG_BREAKPOINTS_MAX)
		d->wish.n = DEBUG_BREAKPOINTS_MAX;
	for (struct debug_code *c = d->codes; c; c = c->next)
		debug_code_set(c, &d->wish);
	same = d->follows && !memcmp(d->block, now->block, sizeof(d->block)) &&
	       !memcmp(d->thread, now->thread, sizeof(d->thread));
	if (now->has_thread && !same)
		follow(d, NULL, now->block, now->thread);
}

/* ---- steps ---- */

static bool is_line(const struct debug_place *p)
{
	return p && p->code && p->cell;
}

/* p: where w is about to run on; NULL: unknown. */
static bool step_ends(struct debugger_step *s, const struct warp *w, const struct debug_place *p)
{
	bool differs;

	if (s->goal == GOAL_NONE)
		return false;
	if (s->goal == GOAL_LINE)
		return is_line(p);
	if (w->frame->depth < s->depth) {
		s->depth = w->frame->depth;
		s->returned = true;
	}
	if (!is_line(p))
		return false;
	if (w->frame->depth > s->depth)
		return s->goal == GOAL_IN;
	if (s->returned || p->inlined < s->inlined)
		return true;
	differs = p->line != s->line || p->file != s->file;
	if (s->goal == GOAL_OUT || (p->inlined > s->inlined && s->goal != GOAL_IN))
		return false;
	return differs;
}

static void begin_step(struct debugger *d, enum debug_command command, const struct warp *w,
		       const struct debug_place *p)
{
	static const enum debugger_goal goals[DEBUG_COMMANDS] = {
		[DEBUG_NEXT] = GOAL_NEXT, [DEBUG_STEP_IN] = GOAL_IN, [DEBUG_STEP_OUT] = GOAL_OUT
	};

	d->step = (struct debugger_step){ .goal = goals[command], .depth = w->frame->depth };
	if (p) {
		d->step.file = p->file;
		d->step.line = p->line;
		d->step.inlined = p->inlined;
	}
}

/* ---- a stop ---- */

static void add_frame(struct device_stop *s, const struct ptx_lines_frame *l, const char *function,
		      uint64_t address, uint64_t local)
{
	struct device_stop_frame *f = &s->frames[s->n_frames++];

	*f = (struct device_stop_frame){ .address = address, .local = local };
	snprintf(f->function, sizeof(f->function), "%s", function);
	if (l) {
		snprintf(f->file, sizeof(f->file), "%s", l->file);
		f->line = l->line;
	}
}

/* A call with those that are inlined where it is. */
static void add_call(struct debugger *d, const struct warp *w, const struct frame *at,
		     uint32_t source, uint32_t lane)
{
	const struct ptx_function *f = at->program->function;
	struct ptx_lines_frame lines[DEVICE_STOP_FRAMES];
	struct device_stop *s = &d->stop;
	uint32_t n = 0, room = DEVICE_STOP_FRAMES - s->n_frames;
	uint64_t local =
		(uint64_t)(uintptr_t)(w->local + (uint64_t)lane * w->local_size + at->local_base);
	uint64_t address = debug_image_address(&d->image, f, source);

	if (source < f->body->instruction_count)
		n = ptx_lines_frames(f->module, f->body->instructions[source].loc, f->name, lines,
				     room);
	for (uint32_t i = 0; i < n; i++)
		add_frame(s, &lines[i], *lines[i].symbol ? lines[i].symbol : lines[i].function,
			  address, local);
	if (!n && room)
		add_frame(s, NULL, f->name, address, local);
}

static void describe(struct debugger *d, const struct warp *w, const struct op *o)
{
	const struct launch *launch = w->worker->launch;
	const struct machine_launch *l = launch->spec;
	const struct ptx_module *m = w->frame->program->function->module;
	struct device_stop *s = &d->stop;

	if (d->image.module != m) {
		debug_image_release(&d->image);
		debug_image_init(&d->image, m, launch->dynamic_offset);
	}
	*s = (struct device_stop){
		.lane = followed_lane(d, w),
		.lanes = w->mask,
		.lane_stride = w->local_size,
		.image = (uint64_t)(uintptr_t)d->image.file.data,
		.image_size = d->image.file.len,
	};
	s->windows[DEVICE_WINDOW_SHARED] =
		(struct device_stop_window){ MACHINE_SHARED_WINDOW, w->block->shared_size,
					     (uint64_t)(uintptr_t)w->block->shared };
	s->windows[DEVICE_WINDOW_LOCAL] = (struct device_stop_window){
		MACHINE_LOCAL_WINDOW, w->local_size,
		(uint64_t)(uintptr_t)(w->local + (uint64_t)s->lane * w->local_size)
	};
	snprintf(s->kernel, sizeof(s->kernel), "%s", l->kernel->name);
	memcpy(s->grid, l->grid, sizeof(s->grid));
	memcpy(s->block_size, l->block, sizeof(s->block_size));
	memcpy(s->block, d->block, sizeof(s->block));
	memcpy(s->thread, d->thread, sizeof(s->thread));
	add_call(d, w, w->frame, o->source, s->lane);
	for (const struct frame *at = w->frame; at->parent; at = at->parent)
		add_call(d, w, at->parent, (at->return_to - 1)->source, s->lane);
}

static void give_up(struct debugger *d)
{
	d->gave_up = true;
	atomic_store(&d->observer.over, true);
}

/* The source is locked. False: nobody wants to hear of this launch any more. */
static bool tell(struct debugger *d, enum debug_reason reason, const struct warp *w,
		 const struct op *o, const struct debug_place *p)
{
	const struct device_debugger *now = atomic_load(&d->source->now);
	enum debug_command command;

	/* A thread of another launch may have stood meanwhile. */
	if (!now)
		return false;
	describe(d, w, o);
	command = d->wish.stopped(reason, &d->stop);
	now = atomic_load(&d->source->now);
	if (!now || command >= DEBUG_GIVE_UP)
		return false;
	if (command != DEBUG_PASS)
		begin_step(d, command, w, p);
	take_wish(d, now);
	/* Another thread is followed from here on: a step of it ends at the first line. */
	if (!d->seen)
		d->step.goal =
			command == DEBUG_NEXT || command == DEBUG_STEP_IN ? GOAL_LINE : GOAL_NONE;
	return true;
}

static void stop(struct debugger *d, enum debug_reason reason, const struct warp *w,
		 const struct op *o, const struct debug_place *p)
{
	pthread_mutex_lock(&d->source->lock);
	if (!tell(d, reason, w, o, p))
		give_up(d);
	pthread_mutex_unlock(&d->source->lock);
}

/* ---- the observer ---- */

/* A branch to itself comes to itself anew. */
static bool is_branch(const struct op *o)
{
	return o->id == OP_bra || o->id == OP_bra_back || o->id == OP_bra_if ||
	       o->id == OP_bra_unless || o->id == OP_brx;
}

static void on_step(struct observer *x, struct warp *w, const struct op *o)
{
	struct debugger *d = debugger_of(x);
	const struct debug_place *p;
	struct debug_code *c;
	bool breaks, again;

	if (d->gave_up || (d->follows && !runs(d, w)))
		return;
	c = find_code(d, w->frame->program);
	if (!c)
		return;
	p = debug_code_place(c, o);
	breaks = c->stops[o - c->program->ops];
	if (!d->follows) {
		if (!breaks && !(d->step.goal == GOAL_LINE && is_line(p)))
			return;
		follow_lane(d, w, (uint32_t)first_lane(w->mask));
	}
	again = d->seen == o && d->seen_frame == w->frame && !is_branch(o);
	d->seen = o;
	d->seen_frame = w->frame;
	if (again)
		return;
	if (step_ends(&d->step, w, p))
		stop(d, DEBUG_AT_STEP, w, o, p);
	else if (breaks)
		stop(d, DEBUG_AT_BREAKPOINT, w, o, p);
}

/* The first thread that came to a breakpoint has ended, and there is no second one. A named one may
 * be in the launches that device code asks for, too. */
static void on_block_end(struct observer *x, struct block *c)
{
	struct debugger *d = debugger_of(x);

	if (d->launch && in_followed_block(d, c))
		give_up(d);
}

static void on_block_begin(struct observer *x, struct block *c)
{
	(void)x;
	(void)c;
}

static const struct observer_class class = {
	.name = "debugger",
	.step = on_step,
	.block_begin = on_block_begin, /* so that its end is told */
	.block_end = on_block_end,
};

bool debugger_wants(const struct device_debugger *d, const struct ptx_function *kernel)
{
	if (!d->stopped)
		return false;
	if (d->steps_in)
		return debug_code_has_file(kernel->module, NULL);
	for (uint32_t i = 0; i < d->n && i < DEBUG_BREAKPOINTS_MAX; i++)
		if (debug_code_has_file(kernel->module, d->at[i].file))
			return true;
	return false;
}

void debugger_init(struct debugger *d, struct debugger_source *source,
		   const struct device_debugger *now)
{
	*d = (struct debugger){ .observer = { .class = &class }, .source = source };
	take_wish(d, now);
	if (now->steps_in)
		d->step.goal = GOAL_LINE;
}

void debugger_release(struct debugger *d)
{
	while (d->codes) {
		struct debug_code *c = d->codes;

		d->codes = c->next;
		debug_code_free(c);
	}
	debug_image_release(&d->image);
}
