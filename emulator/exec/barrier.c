/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barriers of a block (PTX ISA 9.7.13.1). Threads are counted one by one, as hardware since sm_70
 * does, so parts of a warp may arrive at different places; a thread that has exited is no longer
 * waited for.
 */
#include "emulator/exec/barrier.h"

#include "emulator/memory/block-memory.h"
#include "emulator/ptx/ptx-ops.h"
#include "emulator/warp/exec.h"
#include "emulator/warp/observer.h"

static void write_result(struct parked *p, const struct barrier *b)
{
	const struct op *o = p->fragment.pc;
	uint32_t mask = p->fragment.mask, *d = (uint32_t *)(p->fragment.frame->rows + o->d);
	bool r;

	switch (o->flags & BARRIER_MODE) {
	case BARRIER_POPC:
		for (int l = 0; l < LANES; l++)
			if (mask >> l & 1)
				d[l] = b->votes;
		return;
	case BARRIER_AND:
		r = b->votes == b->arrived;
		break;
	case BARRIER_OR:
		r = b->votes != 0;
		break;
	default:
		return;
	}
	*d = r ? *d | mask : *d & ~mask;
}

static void release(struct block *c, uint32_t id)
{
	struct barrier *b = &c->barriers[id];

	if (c->shared_size)
		block_settle_shadows(c);
	if (c->warps[0].worker->observer_count)
		observer_barrier(c, id);
	for (uint32_t i = 0; i < c->warp_count; i++) {
		struct warp *w = &c->warps[i];

		for (uint32_t k = w->parked_count; k-- > 0;) {
			if (w->parked[k].kind != PARKED_BARRIER || w->parked[k].barrier != id)
				continue;
			write_result(&w->parked[k], b);
			w->fresh = true;
			warp_wake(w, k, w->parked[k].fragment.pc + 1);
		}
	}
	*b = (struct barrier){ 0 };
	c->barriers_begun &= ~(1u << id);
}

static bool complete(const struct block *c, const struct barrier *b)
{
	return b->arrived && b->arrived >= (b->expected ? b->expected : c->live_threads);
}

void barrier_check(struct block *c)
{
	FOR_ACTIVE (id, c->barriers_begun)
		if (complete(c, &c->barriers[id]))
			release(c, id);
}

const struct op *barrier_arrive(struct warp *w, const struct op *o)
{
	uint32_t lane = (uint32_t)first_lane(w->mask), id = ROW(w, uint32_t, o->a)[lane];
	uint32_t mode = o->flags & BARRIER_MODE;
	struct barrier *b;

	if (id >= BARRIERS || (id == MACHINE_CLUSTER_BARRIER) != !!(o->flags & BARRIER_CLUSTER))
		return warp_fault(w, o, GPU_FAULT_BARRIER, w->mask,
				  "barrier numbers go from 0 to 15");
	b = &w->block->barriers[id];
	if (o->flags & BARRIER_COUNT)
		b->expected = ROW(w, uint32_t, o->b)[lane];
	b->arrived += lane_count(w->mask);
	w->block->barriers_begun |= 1u << id;
	if (mode >= BARRIER_POPC) {
		uint32_t p = PREDICATE(w, o->c) ^ (o->flags & BARRIER_NEGATED ? ALL_LANES : 0);

		b->votes += lane_count(p & w->mask);
	}
	if (mode == BARRIER_ARRIVE) {
		if (complete(w->block, b))
			release(w->block, id);
		return o + 1;
	}
	b->waiting += lane_count(w->mask);
	warp_park(w, o, PARKED_BARRIER, id, 0);
	if (complete(w->block, b)) {
		release(w->block, id);
		/* Who comes last goes on in its turn, not before those that have waited. */
		w->event = WARP_OTHERS;
	}
	return NULL;
}
