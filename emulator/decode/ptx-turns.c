/* SPDX-License-Identifier: Apache-2.0 */
/*
 * On hardware the warps of a block leave a barrier together, so what they read behind it is read by
 * all before the first one comes to its next store. Here warps run one after the other, each as far
 * as it gets. So a warp that may have read shared memory behind a barrier gives its turn away once
 * before it writes there. A program that lacks a barrier between the two has a race, which is
 * reported, and the result that it has on hardware.
 *
 * Where a store can come behind a load is found by going over the drafts until nothing changes.
 * Loops without a barrier are left as they are: they would be no loops any more for the compiler of
 * hot code.
 */
#include "emulator/decode/ptx-decode.h"

#include <stdlib.h>
#include <string.h>

/* The events that may have come before a draft is reached; none: no barrier yet, or the turn was
 * given away since. */
enum {
	AT_BARRIER = 1, /* nothing was read since the last barrier */
	HAS_READ = 2,
};

struct turns {
	struct decoder *d;
	uint8_t *leader;
	uint8_t *state;  /* at leaders */
	uint8_t *skip;   /* in a loop without a barrier */
	uint8_t *before; /* the turn is given away before this draft */
	bool changed;
};

static bool is_form(const struct draft *t, const char *start)
{
	return !strncmp(op_table[t->id].form, start, strlen(start));
}

static void reach(struct turns *x, uint32_t draft, uint8_t state)
{
	x->changed |= state & ~x->state[draft];
	x->state[draft] |= state;
}

/* The state behind draft i. */
static uint8_t pass(struct turns *x, uint32_t i, uint8_t state)
{
	const struct draft *t = &x->d->drafts[i];

	if (t->id == OP_barrier)
		return AT_BARRIER;
	if (t->id == OP_call || t->id == OP_call_indirect)
		return AT_BARRIER | HAS_READ;
	if (state & AT_BARRIER && (is_form(t, "(ld).shared") || t->id == OP_ldmatrix))
		return state | HAS_READ;
	x->before[i] = state & HAS_READ && !x->skip[i] && is_form(t, "(st).shared");
	return x->before[i] ? 0 : state;
}

static void pass_all(struct turns *x)
{
	const struct decoder *d = x->d;
	uint8_t state = x->state[0];

	for (uint32_t i = 0; i < d->draft_count; i++) {
		const struct draft *t = &d->drafts[i];

		if (x->leader[i]) {
			reach(x, i, state);
			state = x->state[i];
		}
		state = pass(x, i, state);
		if (t->jumps)
			reach(x, d->first_draft[t->imm], state);
		for (uint32_t k = 0; t->targets && k < t->target_count; k++)
			reach(x, d->first_draft[t->targets[k]], state);
		if (t->ends || t->id == OP_bra)
			state = 0;
	}
}

static void mark_loop(struct turns *x, uint32_t first, uint32_t last)
{
	for (uint32_t i = first; i <= last; i++)
		if (x->d->drafts[i].id == OP_barrier || x->d->drafts[i].id == OP_call)
			return;
	memset(x->skip + first, 1, last - first + 1);
}

static void mark_loops(struct turns *x)
{
	for (uint32_t i = 0; i < x->d->draft_count; i++) {
		const struct draft *t = &x->d->drafts[i];

		if (t->jumps && x->d->first_draft[t->imm] <= i)
			mark_loop(x, x->d->first_draft[t->imm], i);
	}
}

/* The operation behind a guard belongs to it. */
static void move_before_guards(struct turns *x)
{
	for (uint32_t i = 1; i < x->d->draft_count; i++) {
		const struct draft *guard = &x->d->drafts[i - 1];

		if (x->before[i] && (guard->id == OP_guard || guard->id == OP_guard_not)) {
			x->before[i] = 0;
			x->before[i - 1] = 1;
		}
	}
}

static void find_places(struct turns *x)
{
	ptx_mark_leaders(x->d, x->leader);
	mark_loops(x);
	x->state[0] = x->d->function->is_kernel ? 0 : AT_BARRIER | HAS_READ;
	do {
		x->changed = false;
		pass_all(x);
	} while (x->changed);
}

static bool has(const struct decoder *d, enum ptx_op id)
{
	for (uint32_t i = 0; i < d->draft_count; i++)
		if (d->drafts[i].id == id)
			return true;
	return false;
}

int ptx_turns(struct decoder *d)
{
	size_t n = d->draft_count + 1;
	struct turns x = { .d = d };
	int rc;

	/* Who calls a function may have left a barrier. */
	if (d->function->is_kernel && !has(d, OP_barrier) && !d->calls)
		return 0;
	x.leader = calloc(n, 4);
	if (!x.leader) {
		d->out_of_memory = true;
		return -1;
	}
	x.state = x.leader + n;
	x.skip = x.state + n;
	x.before = x.skip + n;
	find_places(&x);
	move_before_guards(&x);
	rc = ptx_insert(d, x.before, OP_give_turn);
	free(x.leader);
	return rc;
}
