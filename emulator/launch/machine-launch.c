/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A launch from start to end: its shape is checked, its grid is run, and then the launches and
 * copies that its threads have asked for, each with all of its own before the next one.
 */
#include "emulator/launch/machine-launch.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "emulator/decode/ptx-function.h"
#include "emulator/exec/core.h"
#include "emulator/hot/hot.h"
#include "emulator/launch/grid.h"
#include "emulator/launch/machine-pool.h"
#include "emulator/ptx/ptx-syntax.h"
#include "emulator/syscall/device-launch.h"
#include "emulator/warp/observer.h"
#include "emulator/warp/warp.h"

const struct ptx_machine machine_ptx = { core_handlers, hot_forget };

static int check_shape(const struct machine_launch *l, uint64_t *threads, struct error *err)
{
	const struct ptx_function *f = l->kernel;
	const uint32_t *b = l->block, *g = l->grid;
	uint64_t declared = (uint64_t)f->max_threads[0] * f->max_threads[1] * f->max_threads[2];

	*threads = (uint64_t)b[0] * b[1] * b[2];
	if (!g[0] || !g[1] || !g[2] || !*threads)
		return error_set(err, ERROR_LIMIT,
				 "grid (%u,%u,%u) and block (%u,%u,%u) must not have a zero", g[0],
				 g[1], g[2], b[0], b[1], b[2]);
	if (*threads > MACHINE_MAX_THREADS_PER_BLOCK || b[0] > MACHINE_MAX_BLOCK_XY ||
	    b[1] > MACHINE_MAX_BLOCK_XY || b[2] > MACHINE_MAX_BLOCK_Z)
		return error_set(err, ERROR_LIMIT,
				 "block (%u,%u,%u) is larger than %d threads, or than (%d,%d,%d)",
				 b[0], b[1], b[2], MACHINE_MAX_THREADS_PER_BLOCK,
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
	const struct ptx_function *f = l->kernel;

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
	struct ptx_function *f = l->kernel;
	uint64_t threads;

	if (!f->is_kernel || !f->has_body)
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
	ret->threads_per_block = (uint32_t)threads;
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
	ret->block_count = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	return 0;
}

/* The bytes of a range in one buffer; NULL: it is not in one. */
static uint8_t *bytes_of(const struct machine_launch *s, uint64_t address, uint64_t size)
{
	struct machine_buffer b;

	if (!s->memory->find(s->memory->data, address, &b) || b.size - (address - b.address) < size)
		return NULL;
	return (uint8_t *)b.bytes + (address - b.address);
}

static int run_kernel(const struct machine_launch *parent, const struct device_launch *d,
		      struct gpu_fault *fault, struct error *err)
{
	struct machine_launch l = *parent;

	l.kernel = d->kernel;
	memcpy(l.grid, d->shape, sizeof(l.grid));
	memcpy(l.block, d->shape + 3, sizeof(l.block));
	l.dynamic_shared = d->shape[6];
	l.cooperative = false;
	l.params = bytes_of(parent, d->to, d->size);
	l.params_size = d->kernel->param_size;
	if (!l.params)
		return error_set(err, ERROR_INPUT,
				 "the parameters of `%s`, which device code launches, are gone",
				 d->kernel->name);
	return machine_launch(&l, fault, NULL, err);
}

static int run_transfer(const struct machine_launch *s, const struct device_launch *d,
			struct error *err)
{
	uint8_t *to = bytes_of(s, d->to, d->size),
		*from = d->kind == DEVICE_LAUNCH_COPY ? bytes_of(s, d->from, d->size) : to;

	if (!to || !from)
		return error_set(err, ERROR_INPUT,
				 "a copy that device code asks for goes beyond a buffer: %llu "
				 "bytes from 0x%llx to 0x%llx",
				 (unsigned long long)d->size, (unsigned long long)d->from,
				 (unsigned long long)d->to);
	if (d->kind == DEVICE_LAUNCH_COPY)
		memmove(to, from, d->size);
	else
		memset(to, (int)d->from, d->size);
	return 0;
}

static int run_one(const struct machine_launch *s, const struct device_launch *d,
		   struct gpu_fault *fault, struct error *err)
{
	return d->kind == DEVICE_LAUNCH_KERNEL ? run_kernel(s, d, fault, err)
					       : run_transfer(s, d, err);
}

/* As machine_launch(): what l's threads have asked for, none of it when `ended` is false. The list
 * is empty then. */
static int run_device_launches(struct launch *l, bool ended, struct gpu_fault *fault,
			       struct error *err)
{
	struct device_launch *all = l->device_launches, *d;
	int failed = 0;

	l->device_launches = NULL;
	for (int last = 0; last < 2 && ended; last++)
		for (d = all; d && !failed; d = d->next)
			if (d->asked && d->last == last)
				failed = run_one(l->spec, d, fault, err);
	while ((d = all)) {
		all = d->next;
		if (d->kind == DEVICE_LAUNCH_KERNEL)
			l->spec->heap_free(l->spec->data, d->to);
		free(d);
	}
	return failed;
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
	atomic_store(&launch.fault_block, UINT64_MAX);
	for (uint32_t i = 0; i < l->observer_count; i++)
		l->observers[i]->slot = i;
	if (threads > launch.block_count)
		threads = (unsigned)launch.block_count;
	grid_run(&launch, threads);
	if (stats)
		stats->warp_instructions = atomic_load(&launch.instructions);
	faulted = atomic_load(&launch.fault_block) != UINT64_MAX;
	failed = run_device_launches(&launch, !faulted && !atomic_load(&launch.failed), fault, err);
	if (atomic_load(&launch.failed))
		return error_set(err, ERROR_MEMORY, "out of host memory for the blocks of `%s`",
				 l->kernel->name);
	return faulted ? 1 : failed;
}

uint32_t machine_resident_blocks(const struct ptx_function *kernel, uint32_t threads_per_block,
				 uint32_t dynamic_shared)
{
	uint64_t shared = (uint64_t)kernel->static_shared + dynamic_shared;
	uint32_t rounded = (threads_per_block + LANES - 1) / LANES * LANES;
	uint64_t each;

	if (!rounded || rounded > MACHINE_MAX_THREADS_PER_BLOCK || shared > MACHINE_MAX_SHARED)
		return 0;
	each = MACHINE_THREADS_PER_SM / rounded;
	if (each > MACHINE_BLOCKS_PER_SM)
		each = MACHINE_BLOCKS_PER_SM;
	if (shared && each > MACHINE_MAX_SHARED / shared)
		each = MACHINE_MAX_SHARED / shared;
	return (uint32_t)each * MACHINE_SM_COUNT;
}
