/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The watched way to run a warp. Operations are dispatched by number through the table of handlers:
 * what an operation's own pointers lead to may be code for several operations, made by a compiler
 * for hot loops. Prefixes are resolved here, so that a guarded operation is seen under its own mask
 * and one that no lane runs is not seen at all.
 */
#include "emulator/launch/observer-run.h"

#include "emulator/memory/access.h"
#include "emulator/warp/exec.h"
#include "emulator/warp/observer.h"

/* Who of the observers wants to know of an access: bits of their places in worker->observers. */
struct telling {
	struct machine_worker *worker;
	uint32_t wanted;
};

static void tell_access(void *data, struct warp *w, const struct op *o, const struct memory_step *s)
{
	const struct telling *t = data;

	for (uint32_t i = 0; i < t->worker->observer_count; i++)
		if (t->wanted >> i & 1)
			t->worker->observers[i]->class->access(t->worker->observers[i], w, o, s);
}

static void tell_accesses(struct machine_worker *k, struct warp *w, const struct op *o)
{
	struct telling t = { k, 0 };

	for (uint32_t i = 0; i < k->observer_count; i++) {
		struct observer *x = k->observers[i];

		if (x->class->access && !(x->class->skip && x->class->skip(x, w, o)))
			t.wanted |= 1u << i;
	}
	if (t.wanted)
		access_list(w, o, tell_access, &t);
}

static void tell_sync(struct machine_worker *k, struct warp *w, const struct op *o)
{
	for (uint32_t i = 0; i < k->observer_count; i++)
		if (k->observers[i]->class->sync)
			k->observers[i]->class->sync(k->observers[i], w, o);
}

static const struct op *run_op(struct warp *w, const struct op *o, enum access_family family)
{
	struct machine_worker *k = w->worker;
	const struct op_handlers *h = &k->handlers[o->id];
	uint32_t mask = w->mask;
	const struct op *next;

	if (k->steps_wanted)
		for (uint32_t i = 0; i < k->observer_count; i++)
			if (k->observers[i]->class->step)
				k->observers[i]->class->step(k->observers[i], w, o);
	if (k->accesses_wanted && (family == ACCESS_MEMORY || family == ACCESS_BOTH))
		tell_accesses(k, w, o);
	if (family < ACCESS_SYNC)
		return mask == ALL_LANES ? h->full(w, o) : h->masked(w, o);
	tell_sync(k, w, o);
	next = h->masked(w, o);
	/* Done at once: the lanes named were all here. Else exec_warp_check_joint() tells it later.
	 */
	if (next && o->id != OP_fence && o->id != OP_barrier && o->id != OP_mbarrier)
		observer_warp_sync(w, mask);
	return next;
}

static const struct op *run_prefix(struct warp *w, const struct op *o);

static inline const struct op *run_any(struct warp *w, const struct op *o)
{
	enum access_family family = access_family(o);

	return family == ACCESS_PREFIX ? run_prefix(w, o) : run_op(w, o, family);
}

/* The same as the handlers of these operations, but for what comes next. */
static const struct op *run_prefix(struct warp *w, const struct op *o)
{
	uint32_t mask = w->mask, set;
	const struct op *next;

	if (o->id == OP_mode) {
		unsigned saved = mode_enter(o);

		next = run_any(w, o + 1);
		mode_leave(saved);
		return next;
	}
	set = (PREDICATE(w, o->a) ^ (o->id == OP_guard ? 0 : ALL_LANES)) & mask;
	if (!set)
		return o + 2;
	if (set != mask)
		warp_set_mask(w, set);
	next = run_any(w, o + 1);
	if (!next && w->event == WARP_RESUME)
		w->next = o;
	if ((next || w->event == WARP_RESUME) && set != mask)
		warp_set_mask(w, mask);
	return next;
}

const struct op *observer_run(struct warp *w, const struct op *pc, uintptr_t end, uint64_t *steps)
{
	const struct op_handlers *handlers = w->worker->handlers;
	bool all = w->mask == ALL_LANES, quiet = !w->worker->steps_wanted;
	uint64_t ran = 0;

	/* Lanes change only where NULL is returned. */
	do {
		const struct op_handlers *h = &handlers[pc->id];
		enum access_family family = access_family(pc);

		ran++;
		if (quiet && family == ACCESS_MEMORY && w->worker->accesses_wanted)
			tell_accesses(w->worker, w, pc);
		if (quiet && (family == ACCESS_NONE || family == ACCESS_MEMORY))
			pc = all ? h->full(w, pc) : h->masked(w, pc);
		else
			pc = run_any(w, pc);
	} while ((uintptr_t)pc - 1 < end);
	*steps += ran;
	return pc;
}
