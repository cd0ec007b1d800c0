/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver API: launches. What can be wrong with one is found when it is asked for; it runs in its
 * stream's order, and a fault is kept for the next call that synchronises.
 */
#include "emulator/driver/module/launch-arguments.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "emulator/driver/device/context.h"
#include "emulator/driver/device/inject.h"
#include "emulator/driver/device/memory.h"
#include "emulator/driver/graph/graph.h"
#include "emulator/driver/launch/check.h"
#include "emulator/driver/launch/cu-busy.h"
#include "emulator/driver/launch/cu-debug.h"
#include "emulator/driver/memory/cu-array.h"
#include "emulator/driver/memory/findings.h"
#include "emulator/driver/module/cu-module.h"
#include "emulator/driver/stream/cu-profile.h"
#include "emulator/driver/stream/cu-stream.h"
#include "emulator/launch/machine-launch.h"
#include "emulator/ptx/machine-limits.h"

static void print(void *data, const char *text, size_t len)
{
	(void)data;
	gpu_print(false, text, len);
}

/* A launch in a stream, with its packed arguments. It is what the machine calls back with. */
struct grid {
	struct machine_launch launch;
	struct work *work; /* NULL: it runs where it was asked for */
	int device;
	int injected;
	bool debugged;
	_Alignas(16) char params[];
};

static uint64_t heap_alloc(void *data, uint64_t size)
{
	int number = ((const struct grid *)data)->device;
	struct gpu_device *device = &gpu.device[number];
	size_t limit = device->limits.malloc_heap;
	uint64_t address;

	if (!size || size > limit)
		return 0;
	if (atomic_fetch_add(&device->heap_used, size) + size > limit ||
	    memory_alloc(number, size, MAPPING_ALLOC, "device malloc", &address)) {
		atomic_fetch_sub(&device->heap_used, size);
		return 0;
	}
	memory_mark(address, true, false);
	memory_unwritten(address);
	return address;
}

static bool heap_free(void *data, uint64_t address)
{
	struct mapping m;

	(void)data;
	if (!memory_find_mapping(address, &m) || m.address != address || !m.device_heap)
		return false;
	if (memory_free(address, MAPPING_ALLOC))
		return false;
	atomic_fetch_sub(&gpu.device[m.device].heap_used, m.size);
	return true;
}

static bool may_be_freed(void *data)
{
	return queue_may_free(((const struct grid *)data)->work);
}

/* Shape limits that hold for every kernel, then those of this one. */
static CUresult check_shape(const struct machine_launch *l, const struct CUfunc_st *f)
{
	uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	const uint32_t *max = f->ptx->max_threads;

	for (int i = 0; i < 3; i++)
		if (!l->grid[i] || !l->block[i])
			return CUDA_ERROR_INVALID_VALUE;
	if (l->grid[0] > MACHINE_MAX_GRID_X || l->grid[1] > MACHINE_MAX_GRID_YZ ||
	    l->grid[2] > MACHINE_MAX_GRID_YZ || l->block[0] > MACHINE_MAX_BLOCK_XY ||
	    l->block[1] > MACHINE_MAX_BLOCK_XY || l->block[2] > MACHINE_MAX_BLOCK_Z ||
	    threads > MACHINE_MAX_THREADS_PER_BLOCK)
		return CUDA_ERROR_INVALID_VALUE;
	if (l->dynamic_shared > (uint32_t)f->max_dynamic_shared)
		return CUDA_ERROR_INVALID_VALUE;
	if (max[0] && threads > (uint64_t)max[0] * (max[1] ? max[1] : 1) * (max[2] ? max[2] : 1))
		return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
	if (l->cooperative &&
	    (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] >
		    machine_resident_blocks(f->ptx, (uint32_t)threads, l->dynamic_shared))
		return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
	return CUDA_SUCCESS;
}

static CUresult code_of(const struct error *err)
{
	switch (err->code) {
	case ERROR_MEMORY:
		return CUDA_ERROR_OUT_OF_MEMORY;
	case ERROR_LIMIT:
		return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
	case ERROR_UNSUPPORTED:
	case ERROR_COMPILE:
		return CUDA_ERROR_INVALID_PTX;
	default:
		return CUDA_ERROR_LAUNCH_FAILED;
	}
}

static void run_grid(void *data)
{
	struct grid *g = data;
	struct gpu_fault fault = { 0 };
	struct machine_stats stats = { 0 };
	struct debugger *debugger = NULL;
	struct check check;
	struct error err = ERROR_INIT;
	int rc;

	if (g->injected == INJECT_HANG)
		gpu_hang();
	else if (g->injected)
		gpu_break(g->injected, "A fault was injected for a test");
	/* Work behind a fault or a launch that never ends is queued on hardware and never runs. */
	if (gpu_is_dead())
		return;
	g->launch.data = g;
	g->work = queue_running();
	check_launch_begin(&check, &g->launch);
	if (g->debugged)
		debugger = cu_debug_begin(&g->launch, &check);
	memory_launch_begins();
	cu_busy_begin();
	rc = cu_profile_launch(&g->launch, &fault, &stats, &err);
	cu_busy_end();
	memory_launch_ended();
	check_launch_end(&check, &g->launch, stats.warp_instructions);
	cu_debug_end(debugger);
	switch (rc) {
	case 0:
		break;
	case 1:
		gpu_record_fault(&fault, &g->launch);
		break;
	default:
		log_warning("launch of %s: %s", g->launch.kernel->name, err.text);
		gpu_break(CUDA_ERROR_LAUNCH_FAILED, err.text);
	}
}

static void complete(struct machine_launch *l, const struct CUfunc_st *f, int device)
{
	l->kernel = f->ptx;
	l->params_size = f->ptx->param_size;
	l->memory = memory_view(device);
	l->stack_size = gpu.device[device].limits.stack;
	l->stop = &gpu.halt;
	l->print = print;
	l->finding = findings_tell;
	l->heap_alloc = heap_alloc;
	l->heap_free = heap_free;
	l->image = cu_image_find;
	l->may_be_freed = may_be_freed;
}

static CUresult capture(CUfunction f, CUstream stream, const struct machine_launch *l,
			void **params, void **extra)
{
	CUgraphNodeParams node = { .type = CU_GRAPH_NODE_TYPE_KERNEL };
	CUresult result;

	node.kernel = (CUDA_KERNEL_NODE_PARAMS_v3){
		f,           l->grid[0],  l->grid[1],  l->grid[2],
		l->block[0], l->block[1], l->block[2], (unsigned)l->dynamic_shared,
		params,      extra,       NULL,        NULL
	};
	result = capture_add(stream, &node);
	if (!result)
		cu_stream_point(stream)->last[0]->cooperative = l->cooperative;
	return result;
}

static CUresult launch(CUfunction f, CUstream stream, const struct machine_launch *how,
		       void **params, void **extra)
{
	struct queue *q = cu_stream_queue(stream);
	struct error err = ERROR_INIT;
	struct grid *g;
	struct work *w;
	CUresult result;

	/* Stream, function and context are of one device. */
	f = cu_function_here(f);
	if (!f || !q || q->device != context_device())
		return CUDA_ERROR_INVALID_HANDLE;
	if (capture_is_on(stream))
		return capture(f, stream, how, params, extra);
	w = work_new(WORK_DEVICE, run_grid, sizeof(*g) + f->ptx->param_size, (void **)&g);
	if (!w)
		return CUDA_ERROR_OUT_OF_MEMORY;
	memset(g->params, 0, f->ptx->param_size);
	g->launch = *how;
	g->device = q->device;
	g->injected = inject_take("launch");
	g->debugged = !g->injected && cu_debug_wants(f->ptx);
	complete(&g->launch, f, q->device);
	result = check_shape(&g->launch, f);
	if (!result && f->ptx->param_count)
		result = launch_arguments_pack(f, params, extra, g->params);
	g->launch.params = g->params;
	if (!result && machine_launch_check(&g->launch, &err)) {
		log_warning("launch of %s: %s", f->ptx->name, err.text);
		result = code_of(&err);
	}
	if (!result)
		return g->debugged ? queue_run(q, w) : queue_take(q, w);
	work_release(w);
	return result;
}

CUresult cuLaunchKernel(CUfunction f, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
			unsigned int block_x, unsigned int block_y, unsigned int block_z,
			unsigned int shared, CUstream stream, void **params, void **extra)
{
	CUresult result = gpu_enter("cuLaunchKernel", GPU_CALL_ASYNC);
	struct machine_launch l = { .grid = { grid_x, grid_y, grid_z },
				    .block = { block_x, block_y, block_z },
				    .dynamic_shared = shared };

	return result ? result : launch(f, stream, &l, params, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int grid_x, unsigned int grid_y,
				   unsigned int grid_z, unsigned int block_x, unsigned int block_y,
				   unsigned int block_z, unsigned int shared, CUstream stream,
				   void **params)
{
	CUresult result = gpu_enter("cuLaunchCooperativeKernel", GPU_CALL_ASYNC);
	struct machine_launch l = { .grid = { grid_x, grid_y, grid_z },
				    .block = { block_x, block_y, block_z },
				    .dynamic_shared = shared,
				    .cooperative = true };

	return result ? result : launch(f, stream, &l, params, NULL);
}

static CUresult read_attributes(const CUlaunchConfig *c, struct machine_launch *l)
{
	for (unsigned i = 0; i < c->numAttrs; i++) {
		const CUlaunchAttribute *a = &c->attrs[i];

		switch (a->id) {
		case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
			l->cooperative = a->value.cooperative;
			break;
		case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
			if (a->value.clusterDim.x > 1 || a->value.clusterDim.y > 1 ||
			    a->value.clusterDim.z > 1)
				return CUDA_ERROR_NOT_SUPPORTED;
			break;
		default: /* Hints, and starts before the end of what is before in the stream, which
			    need not be early. */
			break;
		}
	}
	return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **params, void **extra)
{
	CUresult result = gpu_enter("cuLaunchKernelEx", GPU_CALL_ASYNC);
	struct machine_launch l;

	if (result)
		return result;
	if (!c || (c->numAttrs && !c->attrs))
		return CUDA_ERROR_INVALID_VALUE;
	l = (struct machine_launch){ .grid = { c->gridDimX, c->gridDimY, c->gridDimZ },
				     .block = { c->blockDimX, c->blockDimY, c->blockDimZ },
				     .dynamic_shared = c->sharedMemBytes };
	result = read_attributes(c, &l);
	return result ? result : launch(f, c->hStream, &l, params, extra);
}
