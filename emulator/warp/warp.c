/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The step loop and the fragments of a warp. Ready fragments are kept sorted with the next one to
 * run last: those that have not given their turn away first, then the innermost call, then the
 * lowest place. The running fragment goes on until it reaches w->limit, the place of the next one
 * in its frame; there they merge or change places.
 */
#include "emulator/warp/warp.h"

#include <string.h>

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

/* The warp beside it when all its lanes are at one place of the kernel, and are to run. */
static struct warp *whole_neighbour(const struct warp *w)
{
	uint32_t index = w->index ^ 1;
	struct warp *other = &w->block->warps[index];

	if (index >= w->block->warp_count || other->ready_count != 1 ||
	    other->ready[0].mask != ALL_LANES)
		return NULL;
	return other->frame == &other->kernel && other->ready[0].frame == other->frame ? other
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

	w->turn = w->block->slice;
	w->budget = w->ready_count > 1 && (int32_t)w->yield_budget < w->turn
			    ? (int32_t)w->yield_budget
			    : w->turn;
	if (!select_fragment(w, &pc))
		return true;
	for (;;) {
		uintptr_t end = (uintptr_t)w->limit - 1;
		bool going;

		if (__builtin_expect(w->worker->observer_count, 0)) {
			pc = w->worker->run_watched(w, pc, end, &steps);
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
