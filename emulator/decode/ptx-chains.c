/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A long chain of floating-point operations, each of which needs the one before it, leaves a
 * processor waiting: it could begin eight of them while one takes its four cycles, and a warp has
 * two or four to give. Compiled code can run two warps side by side there. So that the order in
 * which warps run does not depend on what is compiled, the place where two meet is an operation of
 * the program, before each such chain; interpreted, the two go on one after the other.
 *
 * Only code that runs once is looked at, since a meeting costs as much as a few dozen operations.
 */
#include "emulator/decode/ptx-decode.h"

#include <stdlib.h>

#define FLOAT_CYCLES 4
#define CHAIN_CYCLES 256 /* that are worth a meeting */
#define CYCLES_EACH                                                                                \
	3 /* of the operations of a chain on average: fewer, and a warp keeps the processor busy   \
	     alone */

struct chains {
	struct decoder *d;
	uint8_t *leader, *before;
	uint32_t *depth; /* cycles until a register is there; old when its run is another one */
	uint32_t *run;   /* register -> the run that wrote it */
	uint32_t current;
};

static bool belongs(const struct draft *t)
{
	return op_table[t->id].shape != SHAPE_HAND && !t->jumps && !t->ends && !t->partial;
}

static uint32_t cycles_of(const struct draft *t)
{
	uint8_t type = op_table[t->id].types[0];

	return type == TYPE_f32 || type == TYPE_f64 || type == TYPE_f16 || type == TYPE_bf16
		       ? FLOAT_CYCLES
		       : 1;
}

/* When the results of a draft are there. */
static uint32_t depth_behind(struct chains *x, const struct draft *t)
{
	uint32_t depth = 0;

	for (int i = 0; i < SLOTS; i++) {
		const struct ref *r = &t->slot[i];

		if (r->kind == REF_REGISTER && !(t->defines >> i & 1) &&
		    x->run[r->index] == x->current && x->depth[r->index] > depth)
			depth = x->depth[r->index];
	}
	depth += cycles_of(t);
	for (int i = 0; i < SLOTS; i++)
		if (t->slot[i].kind == REF_REGISTER && t->defines >> i & 1) {
			x->run[t->slot[i].index] = x->current;
			x->depth[t->slot[i].index] = depth;
		}
	return depth;
}

/* Drafts from `first` on that nothing but arithmetic is among; returns where they end. */
static uint32_t look_at(struct chains *x, uint32_t first)
{
	const struct decoder *d = x->d;
	uint32_t i = first, longest = 0;

	x->current++;
	for (; i < d->draft_count && belongs(&d->drafts[i]) && (i == first || !x->leader[i]); i++) {
		uint32_t depth = depth_behind(x, &d->drafts[i]);

		longest = depth > longest ? depth : longest;
	}
	x->before[first] = longest >= CHAIN_CYCLES && longest >= CYCLES_EACH * (i - first) &&
			   !d->repeats[d->drafts[first].source];
	return i > first ? i : first + 1;
}

int ptx_chains(struct decoder *d)
{
	struct chains x = { .d = d };
	uint32_t found = 0;
	int rc = 0;

	if (!d->function->is_kernel)
		return 0;
	x.leader = calloc(d->draft_count + 1, 2);
	x.depth = calloc(d->register_count + 1, 2 * sizeof(*x.depth));
	if (!x.leader || !x.depth) {
		d->out_of_memory = true;
		rc = -1;
	} else {
		x.before = x.leader + d->draft_count + 1;
		x.run = x.depth + d->register_count + 1;
		ptx_mark_leaders(d, x.leader);
		for (uint32_t i = 0; i < d->draft_count;) {
			uint32_t first = i;

			i = look_at(&x, first);
			found += x.before[first];
		}
		rc = found ? ptx_insert(d, x.before, OP_meet) : 0;
	}
	free(x.leader);
	free(x.depth);
	return rc;
}
