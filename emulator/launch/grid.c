/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ctas of a grid are given to host threads in order, and faults are collected.
 *
 * A worker runs one cta until it ends, because that keeps its registers in the cache. Only a cta
 * that spins makes room for others: after a few turns the next one is started, and the resident
 * ones take turns. So loops that wait for another cta (decoupled look-back, grid barriers) go on,
 * at no cost for those that do not wait.
 *
 * When several ctas fault, the one with the lowest number is reported: ctas before a faulting one
 * run to their end.
 */
#include "emulator/launch/grid.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/exec/core.h"
#include "emulator/hot/hot.h"
#include "emulator/launch/cta.h"
#include "emulator/launch/machine-pool.h"
#include "emulator/launch/observer-run.h"
#include "emulator/launch/stall.h"
#include "emulator/memory/access.h"
#include "emulator/memory/taint.h"
#include "emulator/memory/worker-caches.h"
#include "emulator/warp/observer.h"

#define SPINS_BEFORE_SWITCH 4    /* turns of a cta before it is taken for one that waits */
#define ROUNDS_BEFORE_SWITCH 256 /* turns of a cta that ended at barriers */
#define STALLS_BEFORE_GROWTH 8   /* turns of each resident cta before more are let in */
#define RESIDENT_BYTES (128ull << 20)

static bool must_end(const struct worker *k)
{
	const struct launch *l = k->launch;

	return atomic_load_explicit(&l->failed, memory_order_relaxed) ||
	       k->current >= atomic_load_explicit(&l->fault_cta, memory_order_relaxed);
}

static bool stopped(const struct launch *l)
{
	return l->spec->stop && atomic_load_explicit(l->spec->stop, memory_order_relaxed);
}

static void report(struct worker *k, uint64_t cta)
{
	struct launch *l = k->launch;

	pthread_mutex_lock(l->lock);
	if (cta < atomic_load(&l->fault_cta)) {
		*l->fault = k->fault;
		atomic_store(&l->fault_cta, cta);
	}
	pthread_mutex_unlock(l->lock);
}

/* Start the next cta of the grid at the head of the worker's list; false when there is none. */
static bool start_next(struct worker *k)
{
	struct launch *l = k->launch;
	uint64_t linear;
	struct cta *c = k->spare;

	if (atomic_load_explicit(&l->next_cta, memory_order_relaxed) >= l->cta_count)
		return false;
	if (c)
		k->spare = c->next;
	else
		c = cta_new(k);
	if (!c) {
		/* Resident ones can still go on. */
		if (!k->resident)
			atomic_store(&l->failed, 1);
		return false;
	}
	linear = atomic_fetch_add(&l->next_cta, 1);
	if (linear >= l->cta_count) {
		c->next = k->spare;
		k->spare = c;
		return false;
	}
	cta_start(c, k, linear);
	if (l->spec->observer_count)
		observer_cta_begin(c);
	c->next = k->ctas;
	k->ctas = c;
	k->resident++;
	return true;
}

static void rotate(struct worker *k)
{
	struct cta *c = k->ctas, **tail = &k->ctas->next;

	if (!c->next)
		return;
	k->ctas = c->next;
	while (*tail)
		tail = &(*tail)->next;
	*tail = c;
	c->next = NULL;
}

static void finish(struct worker *k)
{
	struct cta *c = k->ctas;

	if (k->launch->spec->observer_count)
		observer_cta_end(c);
	k->ctas = c->next;
	k->resident--;
	c->next = k->spare;
	k->spare = c;
}

/* The head cta spins: others get the next turns, and when all resident ones only spin, more of them
 * are let in. */
static void make_room(struct worker *k, uint32_t *stalls)
{
	if (++k->ctas->turns < SPINS_BEFORE_SWITCH)
		return;
	rotate(k);
	if (k->resident < k->resident_max) {
		start_next(k);
	} else if (++*stalls >= STALLS_BEFORE_GROWTH * k->resident) {
		*stalls = 0;
		if (k->resident_max * 2 * cta_bytes(k->launch) <= RESIDENT_BYTES)
			k->resident_max *= 2;
	}
}

/* Where another block has faulted, it is what these wait for: its fault stays the reported one. */
static void report_deadlock(struct worker *k, struct cta *c)
{
	if (atomic_load(&k->launch->fault_cta) != UINT64_MAX) {
		atomic_store(&k->launch->fault_cta, 0);
		return;
	}
	cta_fault(c, GPU_FAULT_DEADLOCK,
		  "its threads wait in loops, and nothing that this launch does changes memory any "
		  "more");
	stall_list(c, &k->fault);
	report(k, 0);
}

static void worker_run(struct worker *k)
{
	uint32_t stalls = 0;

	while (k->resident || start_next(k)) {
		struct cta *c = k->ctas;
		enum cta_state state;

		k->current = c->linear;
		if (must_end(k)) {
			finish(k);
			continue;
		}
		if (stopped(k->launch)) {
			cta_fault(c, GPU_FAULT_TIMEOUT, "interrupted here");
			report(k, 0);
			return;
		}
		worker_check_generation(k);
		if (k->observer_count)
			observer_refresh(k);
		state = cta_turn(c);
		if (k->instructions - k->counted >= HOT_STRIDE)
			hot_count(k);
		if (state == CTA_FAULT) {
			report(k, c->linear);
			finish(k);
		} else if (state == CTA_ENDED) {
			stalls = 0;
			finish(k);
			stall_over(k);
		} else if (state == CTA_SPINNING) {
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

static void worker_release(struct worker *k)
{
	while (k->ctas)
		finish(k);
	while (k->spare) {
		struct cta *c = k->spare;

		k->spare = c->next;
		cta_free(c);
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
	struct worker *k = aligned_alloc(64, (sizeof(*k) + 63) / 64 * 64);

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
	k->resident_max = l->spec->cooperative ? UINT32_MAX : MACHINE_RESIDENT_CTAS;
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
