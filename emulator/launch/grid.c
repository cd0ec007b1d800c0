/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blocks of a grid are given to host threads in order, and faults are collected.
 *
 * A worker runs one block until it ends, because that keeps its registers in the cache. Only a
 * block that spins makes room for others: after a few turns the next one is started, and the
 * resident ones take turns. So loops that wait for another block (decoupled look-back, grid
 * barriers) go on, at no cost for those that do not wait.
 *
 * When several blocks fault, the one with the lowest number is reported: blocks before a faulting
 * one run to their end.
 */
#include "emulator/launch/grid.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/exec/core.h"
#include "emulator/hot/hot.h"
#include "emulator/launch/block.h"
#include "emulator/launch/machine-pool.h"
#include "emulator/launch/observer-run.h"
#include "emulator/launch/stall.h"
#include "emulator/memory/access.h"
#include "emulator/memory/taint.h"
#include "emulator/memory/worker-caches.h"
#include "emulator/warp/observer.h"

#define SPINS_BEFORE_SWITCH 4    /* turns of a block before it is taken for one that waits */
#define ROUNDS_BEFORE_SWITCH 256 /* turns of a block that ended at barriers */
#define STALLS_BEFORE_GROWTH 8   /* turns of each resident block before more are let in */
#define RESIDENT_BYTES (128ull << 20)

static bool must_end(const struct machine_worker *k)
{
	const struct launch *l = k->launch;

	return atomic_load_explicit(&l->failed, memory_order_relaxed) ||
	       k->current >= atomic_load_explicit(&l->fault_block, memory_order_relaxed);
}

static bool stopped(const struct launch *l)
{
	return l->spec->stop && atomic_load_explicit(l->spec->stop, memory_order_relaxed);
}

static void report(struct machine_worker *k, uint64_t block)
{
	struct launch *l = k->launch;

	pthread_mutex_lock(l->lock);
	if (block < atomic_load(&l->fault_block)) {
		*l->fault = k->fault;
		atomic_store(&l->fault_block, block);
	}
	pthread_mutex_unlock(l->lock);
}

/* Start the next block of the grid at the head of the worker's list; false when there is none. */
static bool start_next(struct machine_worker *k)
{
	struct launch *l = k->launch;
	uint64_t linear;
	struct block *c = k->spare;

	if (atomic_load_explicit(&l->next_block, memory_order_relaxed) >= l->block_count)
		return false;
	if (c)
		k->spare = c->next;
	else
		c = block_new(k);
	if (!c) {
		/* Resident ones can still go on. */
		if (!k->resident)
			atomic_store(&l->failed, 1);
		return false;
	}
	linear = atomic_fetch_add(&l->next_block, 1);
	if (linear >= l->block_count) {
		c->next = k->spare;
		k->spare = c;
		return false;
	}
	block_start(c, k, linear);
	if (l->spec->observer_count)
		observer_block_begin(c);
	c->next = k->blocks;
	k->blocks = c;
	k->resident++;
	return true;
}

static void rotate(struct machine_worker *k)
{
	struct block *c = k->blocks, **tail = &k->blocks->next;

	if (!c->next)
		return;
	k->blocks = c->next;
	while (*tail)
		tail = &(*tail)->next;
	*tail = c;
	c->next = NULL;
}

static void finish(struct machine_worker *k)
{
	struct block *c = k->blocks;

	if (k->launch->spec->observer_count)
		observer_block_end(c);
	k->blocks = c->next;
	k->resident--;
	c->next = k->spare;
	k->spare = c;
}

/* The head block spins: others get the next turns, and when all resident ones only spin, more of
 * them are let in. */
static void make_room(struct machine_worker *k, uint32_t *stalls)
{
	if (++k->blocks->turns < SPINS_BEFORE_SWITCH)
		return;
	rotate(k);
	if (k->resident < k->resident_max) {
		start_next(k);
	} else if (++*stalls >= STALLS_BEFORE_GROWTH * k->resident) {
		*stalls = 0;
		if (k->resident_max * 2 * block_bytes(k->launch) <= RESIDENT_BYTES)
			k->resident_max *= 2;
	}
}

/* When another block has faulted, these wait for it, and its fault stays the reported one. */
static void report_deadlock(struct machine_worker *k, struct block *c)
{
	if (atomic_load(&k->launch->fault_block) != UINT64_MAX) {
		atomic_store(&k->launch->fault_block, 0);
		return;
	}
	block_fault(
		c, GPU_FAULT_DEADLOCK,
		"its threads wait in loops, and nothing that this launch does changes memory any "
		"more");
	stall_list(c, &k->fault);
	report(k, 0);
}

static void worker_run(struct machine_worker *k)
{
	uint32_t stalls = 0;

	while (k->resident || start_next(k)) {
		struct block *c = k->blocks;
		enum block_state state;

		k->current = c->linear;
		if (must_end(k)) {
			finish(k);
			continue;
		}
		if (stopped(k->launch)) {
			block_fault(c, GPU_FAULT_TIMEOUT, "interrupted here");
			report(k, 0);
			return;
		}
		worker_check_generation(k);
		if (k->observer_count)
			observer_refresh(k);
		state = block_turn(c);
		if (k->instructions - k->counted >= HOT_STRIDE)
			hot_count(k);
		if (state == BLOCK_FAULT) {
			report(k, c->linear);
			finish(k);
		} else if (state == BLOCK_ENDED) {
			stalls = 0;
			finish(k);
			stall_over(k);
		} else if (state == BLOCK_SPINNING) {
			if (stall_spun(k)) {
				report_deadlock(k, c);
				return;
			}
			make_room(k, &stalls);
		} else {
			stall_over(k);
			/* Loops around a barrier may wait for another block, too. */
			if (++c->rounds % ROUNDS_BEFORE_SWITCH == 0)
				make_room(k, &stalls);
		}
	}
}

static void worker_release(struct machine_worker *k)
{
	while (k->blocks)
		finish(k);
	while (k->spare) {
		struct block *c = k->spare;

		k->spare = c->next;
		block_free(c);
	}
	for (uint32_t i = 0; i < k->other_count; i++)
		free(k->others[i].caches);
	free(k->others);
	free(k->caches);
	taint_release(k);
}

static void worker_main(void *data)
{
	struct launch *l = data;
	struct machine_worker *k = aligned_alloc(64, (sizeof(*k) + 63) / 64 * 64);

	if (!k) {
		atomic_store(&l->failed, 1);
		return;
	}
	memset(k, 0, sizeof(*k));
	k->launch = l;
	k->generation = UINT64_MAX;
	access_prepare();
	k->handlers = core_handlers();
	k->run_watched = observer_run;
	observer_start(k);
	k->resident_max = l->spec->cooperative ? UINT32_MAX : MACHINE_RESIDENT_BLOCKS;
	k->caches = calloc(l->program->cache_count + 1, sizeof(*k->caches));
	atomic_fetch_add(&l->working, 1);
	if (k->caches)
		worker_run(k);
	else
		atomic_store(&l->failed, 1);
	stall_leave(k);
	hot_count(k);
	atomic_fetch_add(&l->instructions, k->instructions);
	worker_release(k);
	free(k);
}

void grid_run(struct launch *l, unsigned threads)
{
	machine_pool_run(threads, worker_main, l);
}
