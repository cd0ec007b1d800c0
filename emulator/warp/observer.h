/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Observers: who looks on while a launch runs. Checks and profiles are observers; handlers know
 * nothing of them. A launch names its observers in struct machine_launch. When there are none, a
 * launch runs the same loop as if this file did not exist; when there are some, warps run operation
 * by operation here, always by the interpreter's own handlers.
 *
 * An observer embeds struct observer in a struct of its own and finds that again from the pointer.
 * It sees each operation before it runs: registers, memory and shadow hold what they held before.
 * Operations that only prepare the next one (guard, mode) are never shown: w->mask is already that
 * of the operation they guard.
 *
 * Threads. Several host threads work on a launch; each runs whole blocks. All calls about one block
 * come from one thread, in the order of execution, between its block_begin and its block_end. Calls
 * about different blocks may come at the same time: what an observer keeps for the whole launch it
 * must lock. Two blocks of one thread may take turns. What belongs to one block is kept in
 * *observer_slot(), which is NULL at block_begin; block_end frees it.
 *
 * A call must not change the machine's state, and cannot fail. An observer that has seen enough, or
 * that is out of memory, sets `over`: but for block_end it is not called again from the next turn
 * of a block on. The same happens on a host thread that has run `budget` operations. The owner of
 * an observer starts and ends it around machine_launch().
 */
#ifndef CGPU_EMULATOR_OBSERVER_H
#define CGPU_EMULATOR_OBSERVER_H

#include "emulator/warp/warp.h"

struct memory_step; /* emulator/memory/access.h */

struct observer {
	const struct observer_class *class;
	uint32_t slot;     /* set by machine_launch() */
	_Atomic bool over; /* set by the observer */
	uint64_t budget;   /* set by its owner; 0: no limit */
};

/* A call that is NULL costs nothing. */
struct observer_class {
	const char *name;
	/* o is about to run for the lanes of w->mask. Called for every operation: have it only when
	 * you need them all. */
	void (*step)(struct observer *x, struct warp *w, const struct op *o);
	/* o is about to run and is a fence, a barrier, or an operation between lanes (shfl, vote,
	 * bar.warp.sync ...). */
	void (*sync)(struct observer *x, struct warp *w, const struct op *o);
	/*
	 * Asked before the addresses of an access are worked out. True: the observer has seen
	 * enough, `access` is not called for it. NULL: it wants to see all.
	 */
	bool (*skip)(struct observer *x, struct warp *w, const struct op *o);
	/* o is about to run and will touch these bytes; not called when the access is going to
	 * fault. After `step`. */
	void (*access)(struct observer *x, struct warp *w, const struct op *o,
		       const struct memory_step *s);
	/*
	 * o runs, and not all that it touches lies in the buffer that it touched last; no byte is
	 * touched yet. So whoever knows an operation's buffer need not look at it as long as this
	 * is not called.
	 */
	void (*placed)(struct observer *x, struct warp *w, const struct op *o);
	/* All that barrier `id` waits for have arrived. The waiting fragments are still parked in
	 * the warps. */
	void (*barrier)(struct observer *x, struct block *c, uint32_t id);
	/* These lanes have met at an operation between lanes, maybe at several places of the code.
	 */
	void (*warp_sync)(struct observer *x, struct warp *w, uint32_t lanes);
	void (*block_begin)(struct observer *x, struct block *c);
	/* Called for each block that it was told of, also when the launch ends early by a fault. */
	void (*block_end)(struct observer *x, struct block *c);
};

/* The struct that embeds an observer: OBSERVER_OF(x, struct race, observer). */
#define OBSERVER_OF(x, type, member) ((type *)(void *)((char *)(x) - offsetof(type, member)))

/* The place where the observer keeps what it knows of this block. */
static inline void **observer_slot(const struct observer *x, struct block *c)
{
	return &c->observed[x->slot];
}

/* For the machine: */

/* A worker starts: the launch's observers are its own. */
void observer_start(struct machine_worker *k);
/* Those that are over are not called any more. */
void observer_refresh(struct machine_worker *k);
void observer_add(struct machine_worker *k, struct observer *x);
void observer_drop(struct machine_worker *k, struct observer *x);

void observer_barrier(struct block *c, uint32_t id);
void observer_warp_sync(struct warp *w, uint32_t lanes);
void observer_placed(struct warp *w, const struct op *o);
void observer_block_begin(struct block *c);
void observer_block_end(struct block *c);

#endif
