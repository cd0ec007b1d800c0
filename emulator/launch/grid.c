/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A launch from start to end: limits, ctas given to host threads in order, faults collected.
 *
 * A worker runs one cta until it ends, because that keeps its registers in the cache. Only a cta
 * that spins makes room for others: after a few turns the next one is started, and the resident
 * ones take turns. So loops that wait for another cta (decoupled look-back, grid barriers) go on,
 * at no cost for those that do not wait.
 *
 * When several ctas fault, the one with the lowest number is reported: ctas before a faulting one
 * run to their end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/error.h"
#include "emulator/decode/ptx-function.h"
#include "emulator/launch/cta.h"
#include "emulator/exec/device-launch.h"
#include "emulator/hot/hot.h"
#include "emulator/launch/machine-pool.h"
#include "emulator/warp/observer.h"
#include "emulator/launch/stall.h"
#include "emulator/memory/taint.h"
#include "emulator/ptx/ptx-syntax.h"
#include "emulator/warp/exec.h"

const struct ptx_machine machine_ptx = { machine_handlers, hot_forget };

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

struct memory_cache *worker_caches(struct worker *k, struct ptx_program *p)
{
	struct program_caches *grown;
	struct memory_cache *caches;

	for (uint32_t i = 0; i < k->other_count; i++)
		if (k->others[i].program == p)
			return k->others[i].caches;
	grown = realloc(k->others, (k->other_count + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	k->others = grown;
	caches = calloc(p->cache_count + 1, sizeof(*caches));
	if (!caches)
		return NULL;
	k->others[k->other_count++] = (struct program_caches){ p, caches };
	return caches;
}

static int check_shape(const struct machine_launch *l, uint64_t *threads, struct error *err)
{
	const struct ptx_function *f = l->entry;
	const uint32_t *b = l->block, *g = l->grid;
	uint64_t declared = (uint64_t)f->max_threads[0] * f->max_threads[1] * f->max_threads[2];

	*threads = (uint64_t)b[0] * b[1] * b[2];
	if (!g[0] || !g[1] || !g[2] || !*threads)
		return error_set(err, ERROR_LIMIT,
				 "grid (%u,%u,%u) and block (%u,%u,%u) must not have a zero", g[0],
				 g[1], g[2], b[0], b[1], b[2]);
	if (*threads > MACHINE_MAX_THREADS_PER_CTA || b[0] > MACHINE_MAX_BLOCK_XY ||
	    b[1] > MACHINE_MAX_BLOCK_XY || b[2] > MACHINE_MAX_BLOCK_Z)
		return error_set(err, ERROR_LIMIT,
				 "block (%u,%u,%u) is larger than %d threads, or than (%d,%d,%d)",
				 b[0], b[1], b[2], MACHINE_MAX_THREADS_PER_CTA,
				 MACHINE_MAX_BLOCK_XY, MACHINE_MAX_BLOCK_XY, MACHINE_MAX_BLOCK_Z);
	if (g[0] > MACHINE_MAX_GRID_X || g[1] > MACHINE_MAX_GRID_YZ || g[2] > MACHINE_MAX_GRID_YZ)
		return error_set(err, ERROR_LIMIT, "grid (%u,%u,%u) is larger than (%d,%d,%d)",
				 g[0], g[1], g[2], MACHINE_MAX_GRID_X, MACHINE_MAX_GRID_YZ,
				 MACHINE_MAX_GRID_YZ);
	if (declared && *threads > declared)
		return error_set(
			err, ERROR_LIMIT, "%llu threads a block; `%s` is compiled for at most %llu",
			(unsigned long long)*threads, f->name, (unsigned long long)declared);
	if (f->required_threads[0] && memcmp(f->required_threads, b, sizeof(f->required_threads)))
		return error_set(err, ERROR_LIMIT,
				 "`%s` must be launched with blocks of (%u,%u,%u)", f->name,
				 f->required_threads[0], f->required_threads[1],
				 f->required_threads[2]);
	return 0;
}

/* The dynamic part comes last, behind a red zone of its own. */
static void lay_out_shared(const struct machine_launch *l, struct launch *ret)
{
	const struct ptx_function *f = l->entry;

	if (f->shared_array_count)
		ret->dynamic_offset = (f->shared_bytes + 2 * MACHINE_SHARED_RED_ZONE - 1) /
				      MACHINE_SHARED_RED_ZONE * MACHINE_SHARED_RED_ZONE;
	ret->shared_size =
		l->dynamic_shared ? ret->dynamic_offset + l->dynamic_shared : f->shared_bytes;
	ret->shared_counted = f->static_shared;
	if (l->dynamic_shared)
		ret->shared_counted = (f->static_shared + 15) / 16 * 16 + l->dynamic_shared;
}

static int check_launch(const struct machine_launch *l, struct launch *ret, struct error *err)
{
	struct ptx_function *f = l->entry;
	uint64_t threads;

	if (!f->is_entry || !f->has_body)
		return error_set(err, ERROR_INPUT, "`%s` is no entry", f->name);
	if (check_shape(l, &threads, err))
		return -1;
	if (l->params_size < f->param_size)
		return error_set(err, ERROR_INPUT,
				 "`%s` needs %u bytes of parameters, %zu were given", f->name,
				 f->param_size, l->params_size);
	if (ptx_function_prepare(f, err))
		return -1;
	ret->spec = l;
	ret->program = f->body->program;
	ret->threads_per_cta = (uint32_t)threads;
	lay_out_shared(l, ret);
	if (l->dynamic_shared > MACHINE_MAX_SHARED || ret->shared_counted > MACHINE_MAX_SHARED)
		return error_set(
			err, ERROR_LIMIT,
			"%u bytes of static and %u of dynamic shared memory; a block has %d",
			f->static_shared, l->dynamic_shared, MACHINE_MAX_SHARED);
	ret->local_size = (ret->program->local_bytes + 15) / 16 * 16;
	if (ret->program->calls) {
		uint64_t stack = l->stack_size ? l->stack_size : MACHINE_STACK_DEFAULT;

		ret->local_size +=
			(uint32_t)(stack > MACHINE_STACK_MAX ? MACHINE_STACK_MAX : stack);
	}
	ret->cta_count = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	return 0;
}

int machine_launch_check(const struct machine_launch *l, struct error *err)
{
	struct launch launch = { 0 };

	return check_launch(l, &launch, err);
}

int machine_launch(const struct machine_launch *l, struct gpu_fault *fault,
		   struct machine_stats *stats, struct error *err)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct launch launch = { .fault = fault, .lock = &lock };
	unsigned threads = l->threads ? l->threads : machine_pool_default();
	bool faulted;
	int failed;

	if (check_launch(l, &launch, err))
		return -1;
	atomic_store(&launch.fault_cta, UINT64_MAX);
	for (uint32_t i = 0; i < l->observer_count; i++)
		l->observers[i]->slot = i;
	if (threads > launch.cta_count)
		threads = (unsigned)launch.cta_count;
	machine_pool_run(threads, worker_main, &launch);
	if (stats)
		stats->warp_instructions = atomic_load(&launch.instructions);
	faulted = atomic_load(&launch.fault_cta) != UINT64_MAX;
	failed = device_launch_run(&launch, !faulted && !atomic_load(&launch.failed), fault, err);
	if (atomic_load(&launch.failed))
		return error_set(err, ERROR_MEMORY, "out of host memory for the blocks of `%s`",
				 l->entry->name);
	return faulted ? 1 : failed;
}

uint32_t machine_resident_ctas(const struct ptx_function *entry, uint32_t threads_per_cta,
			       uint32_t dynamic_shared)
{
	uint64_t shared = (uint64_t)entry->static_shared + dynamic_shared;
	uint32_t rounded = (threads_per_cta + LANES - 1) / LANES * LANES;
	uint64_t each;

	if (!rounded || rounded > MACHINE_MAX_THREADS_PER_CTA || shared > MACHINE_MAX_SHARED)
		return 0;
	each = MACHINE_THREADS_PER_SM / rounded;
	if (each > MACHINE_CTAS_PER_SM)
		each = MACHINE_CTAS_PER_SM;
	if (shared && each > MACHINE_MAX_SHARED / shared)
		each = MACHINE_MAX_SHARED / shared;
	return (uint32_t)each * MACHINE_SM_COUNT;
}
