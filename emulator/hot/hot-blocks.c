/* SPDX-License-Identifier: Apache-2.0 */
/* Leaders are what jumps get to, what follows a branch, and both sides of operations that a
 * fragment may wait at. */
#include "emulator/hot/hot-memory.h"

#include <stdlib.h>

#include "emulator/warp/exec.h"

#define WORTH 2 /* operations compiled, at least */
#define LENGTH                                                                                     \
	1000 /* operations of one block, at most: the time of LLVM grows faster than they do */

uint32_t hot_width(const struct op *o)
{
	return o->id == OP_guard || o->id == OP_guard_not || o->id == OP_mode ? 2 : 1;
}

/* A guarded operation that is compiled under a mask of its own. */
static bool hot_guards_native(const struct hot_meaning *meanings, const struct op *o)
{
	return (o->id == OP_guard || o->id == OP_guard_not) &&
	       meanings[o[1].id].shape != HOT_HAND && hot_way(meanings, o + 1) == WAY_NATIVE;
}

enum hot_way hot_way(const struct hot_meaning *meanings, const struct op *o)
{
	const struct hot_meaning *m = &meanings[o->id];
	enum hot_way inner;

	switch (o->id) {
	case OP_bra:
	case OP_bra_back:
	case OP_bra_if:
	case OP_bra_unless:
		return WAY_BRANCH;
	case OP_guard:
	case OP_guard_not:
		if (hot_guards_native(meanings, o))
			return WAY_NATIVE;
		/* fall through */
	case OP_mode:
		inner = hot_way(meanings, o + 1);
		return inner == WAY_NATIVE || inner == WAY_MEMORY ? WAY_CALL : inner;
	case OP_nop:
		return WAY_NATIVE;
	}
	if (m->family == FAMILY_ATOMIC)
		return WAY_LAST;
	if (m->family == FAMILY_OTHER)
		return WAY_OUT;
	if (hot_memory_knows(meanings, o))
		return WAY_MEMORY;
	return m->piece || m->shape == HOT_PICK ? WAY_NATIVE : WAY_CALL;
}

static void mark_leaders(const struct hot_program *p, const struct hot_meaning *meanings,
			 uint8_t *leader)
{
	for (uint32_t i = 0; i < p->op_count; i += hot_width(&p->ops[i])) {
		enum hot_way way = hot_way(meanings, &p->ops[i]);

		leader[i] |= p->targets[i];
		if (way == WAY_OUT)
			leader[i] = 1;
		if (way != WAY_NATIVE && way != WAY_MEMORY && way != WAY_CALL)
			leader[i + hot_width(&p->ops[i])] = 1;
	}
	leader[0] = 1;
}

/* depth[i]: back edges that jump over operation i. */
static void count_depth(const struct hot_program *p, int32_t *depth)
{
	for (uint32_t i = 0; i < p->op_count; i++) {
		const struct op *o = &p->ops[i];
		bool jumps = o->id == OP_bra_back || o->id == OP_bra_if || o->id == OP_bra_unless;
		uint32_t target = jumps ? (uint32_t)(o->target - p->place) : UINT32_MAX;

		if (target <= i) {
			depth[target]++;
			depth[i + 1]--;
		}
	}
	for (uint32_t i = 1; i < p->op_count; i++)
		depth[i] += depth[i - 1];
}

static bool is_conditional(const struct op *o)
{
	return o->id == OP_bra_if || o->id == OP_bra_unless;
}

/*
 * The end of a loop that starts at `first`, ends with a branch back there, and has nothing but
 * branches out of it before that; 0: there is none.
 */
static uint32_t loop_end(const struct hot_program *p, const struct hot_meaning *meanings,
			 uint32_t first)
{
	for (uint32_t i = first; i < p->op_count && i - first < LENGTH;
	     i += hot_width(&p->ops[i])) {
		const struct op *o = &p->ops[i];
		enum hot_way way = hot_way(meanings, o);

		/* Who jumps out of a part of the loop may jump into another part of it. */
		if ((i > first && p->targets[i]) || way == WAY_OUT || way == WAY_LAST)
			return 0;
		if (way != WAY_BRANCH)
			continue;
		if (is_conditional(o) && o->target == p->place + first)
			return i + 1;
		if (!is_conditional(o) || o->target <= p->place + i)
			return 0;
	}
	return 0;
}

/* The block that starts at `first`; end == first when there is nothing to compile. */
static struct hot_block block_at(const struct hot_program *p, const struct hot_meaning *meanings,
				 const uint8_t *leader, uint32_t first, bool *ret_worth)
{
	struct hot_block b = { .first = first,
			       .end = first,
			       .meets = first && p->ops[first - 1].id == OP_meet };
	uint32_t native = 0;

	while (b.end < p->op_count && b.end - first < LENGTH &&
	       (b.end == first || !leader[b.end])) {
		const struct op *o = &p->ops[b.end];
		enum hot_way way = hot_way(meanings, o);

		if (way == WAY_OUT || (b.meets && way != WAY_NATIVE))
			break;
		native += (way == WAY_NATIVE && o->id != OP_nop) || way == WAY_MEMORY;
		b.end += hot_width(o);
		if (way == WAY_BRANCH) {
			b.loops = is_conditional(o) && o->target == p->place + first;
			break;
		}
	}
	*ret_worth = native >= WORTH;
	return b;
}

static int deeper(const void *a, const void *b)
{
	const struct hot_block *x = a, *y = b;

	if (x->depth != y->depth)
		return x->depth > y->depth ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

int hot_blocks_init(struct hot_blocks *b, const struct hot_program *p,
		    const struct hot_meaning *meanings)
{
	uint8_t *leader = calloc(p->op_count + 3, 1);
	int32_t *depth = calloc(p->op_count + 2, sizeof(*depth));

	*b = (struct hot_blocks){ .list = calloc(p->op_count + 1, sizeof(*b->list)) };
	if (!leader || !depth || !b->list) {
		free(leader);
		free(depth);
		hot_blocks_release(b);
		return -1;
	}
	mark_leaders(p, meanings, leader);
	count_depth(p, depth);
	for (uint32_t i = 0; i < p->op_count;) {
		bool worth;
		struct hot_block made = block_at(p, meanings, leader, i, &worth);
		uint32_t end = made.end > i ? made.end : i + hot_width(&p->ops[i]);
		uint32_t whole = made.meets ? 0 : loop_end(p, meanings, i);

		made.depth = (uint32_t)depth[i];
		if (whole > made.end) {
			made.end = whole;
			made.loops = worth = true;
		}
		if (worth)
			b->list[b->count++] = made;
		i = end;
	}
	qsort(b->list, b->count, sizeof(*b->list), deeper);
	free(leader);
	free(depth);
	return 0;
}

void hot_blocks_release(struct hot_blocks *b)
{
	free(b->list);
	b->list = NULL;
}
