/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver API: initialisation, contexts, limits. A context is a slot that is in use or not, of one
 * device; each thread has a stack of them. Destroying the primary context frees nothing of the
 * device: its owner frees what it made.
 */
#include "emulator/driver/api/cu-context.h"

#include <pthread.h>
#include <string.h>

#include "emulator/driver/device/inject.h"
#include "emulator/driver/device/memory.h"
#include "emulator/ptx/machine-limits.h"

struct CUctx_st {
	bool alive;
	int device;
	unsigned references; /* of a primary context */
	unsigned flags;
	CUfunc_cache cache;
};

#define STACK_MAX 32

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* The primary ones of the devices come first. */
static struct CUctx_st contexts[GPU_DEVICES_MAX + GPU_CONTEXTS_MAX];
static _Thread_local CUcontext stack[STACK_MAX];
static _Thread_local int depth; /* entries in use; the last one is current */

static bool is_context(CUcontext c)
{
	return c >= contexts && c < contexts + GPU_DEVICES_MAX + GPU_CONTEXTS_MAX && c->alive;
}

CUcontext context_current(void)
{
	return depth && is_context(stack[depth - 1]) ? stack[depth - 1] : NULL;
}

int context_device(void)
{
	CUcontext c = context_current();

	return c ? c->device : 0;
}

bool context_valid(CUcontext c)
{
	return is_context(c);
}

CUcontext context_primary(int device)
{
	return is_context(&contexts[device]) ? &contexts[device] : NULL;
}

int context_device_of(CUcontext c)
{
	return c->device;
}

CUresult cuInit(unsigned int flags)
{
	CUresult result = gpu_enter("cuInit", GPU_CALL_FREE);

	if (result)
		return result;
	return flags ? CUDA_ERROR_INVALID_VALUE : gpu_init();
}

CUresult cuDriverGetVersion(int *version)
{
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	*version = inject_driver_version(GPU_DRIVER_VERSION);
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *ret, CUdevice device)
{
	CUresult result = gpu_enter("cuDevicePrimaryCtxRetain", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!ret || !gpu_has(device))
		return ret ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
	inject_slow(INJECT_CONTEXT);
	pthread_mutex_lock(&lock);
	contexts[device].alive = true;
	contexts[device].device = device;
	contexts[device].references++;
	pthread_mutex_unlock(&lock);
	*ret = &contexts[device];
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
	CUresult result = gpu_enter("cuDevicePrimaryCtxRelease", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!gpu_has(device))
		return CUDA_ERROR_INVALID_DEVICE;
	pthread_mutex_lock(&lock);
	if (!contexts[device].references)
		result = CUDA_ERROR_INVALID_CONTEXT;
	else if (!--contexts[device].references)
		contexts[device].alive = false;
	pthread_mutex_unlock(&lock);
	return result;
}

CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
	CUresult result = gpu_enter("cuDevicePrimaryCtxReset", GPU_CALL_DEVICE);

	if (result)
		return result;
	return gpu_has(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active)
{
	CUresult result = gpu_enter("cuDevicePrimaryCtxGetState", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!gpu_has(device) || !flags || !active)
		return gpu_has(device) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_DEVICE;
	*flags = contexts[device].flags;
	*active = contexts[device].alive;
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags)
{
	CUresult result = gpu_enter("cuDevicePrimaryCtxSetFlags", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!gpu_has(device))
		return CUDA_ERROR_INVALID_DEVICE;
	contexts[device].flags = flags;
	return CUDA_SUCCESS;
}

static CUresult push(CUcontext c)
{
	if (depth == STACK_MAX)
		return CUDA_ERROR_OUT_OF_MEMORY;
	stack[depth++] = c;
	return CUDA_SUCCESS;
}

CUresult cuCtxCreate(CUcontext *ret, CUctxCreateParams *params, unsigned int flags, CUdevice device)
{
	CUresult result = gpu_enter("cuCtxCreate", GPU_CALL_DEVICE);

	(void)params;
	if (result)
		return result;
	if (!ret || !gpu_has(device))
		return ret ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
	result = CUDA_ERROR_OUT_OF_MEMORY;
	pthread_mutex_lock(&lock);
	for (int i = GPU_DEVICES_MAX; i < GPU_DEVICES_MAX + GPU_CONTEXTS_MAX && result; i++) {
		if (contexts[i].alive)
			continue;
		result = push(&contexts[i]);
		if (result)
			break;
		contexts[i] = (struct CUctx_st){ .alive = true, .device = device, .flags = flags };
		*ret = &contexts[i];
	}
	pthread_mutex_unlock(&lock);
	return result;
}

CUresult cuCtxDestroy(CUcontext c)
{
	CUresult result = gpu_enter("cuCtxDestroy", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!is_context(c) || c < contexts + GPU_DEVICES_MAX)
		return CUDA_ERROR_INVALID_CONTEXT;
	pthread_mutex_lock(&lock);
	c->alive = false;
	if (depth && stack[depth - 1] == c)
		depth--;
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext c)
{
	CUresult result = gpu_enter("cuCtxPushCurrent", GPU_CALL_DEVICE);

	if (result)
		return result;
	return is_context(c) ? push(c) : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxPopCurrent(CUcontext *ret)
{
	CUresult result = gpu_enter("cuCtxPopCurrent", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!depth)
		return CUDA_ERROR_INVALID_CONTEXT;
	depth--;
	if (ret)
		*ret = stack[depth];
	return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext c)
{
	CUresult result = gpu_enter("cuCtxSetCurrent", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (c && !is_context(c))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (depth)
		depth--;
	return c ? push(c) : CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *ret)
{
	CUresult result = gpu_enter("cuCtxGetCurrent", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!ret)
		return CUDA_ERROR_INVALID_VALUE;
	*ret = context_current();
	return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *ret)
{
	CUresult result = gpu_enter("cuCtxGetDevice", GPU_CALL_ASYNC);

	if (result)
		return result;
	if (!ret)
		return CUDA_ERROR_INVALID_VALUE;
	*ret = context_device();
	return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext c, unsigned int *version)
{
	CUresult result = gpu_enter("cuCtxGetApiVersion", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!version || (c && !is_context(c)))
		return version ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
	*version = 3020;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned int *ret)
{
	CUresult result = gpu_enter("cuCtxGetFlags", GPU_CALL_ASYNC);

	if (result)
		return result;
	if (!ret)
		return CUDA_ERROR_INVALID_VALUE;
	*ret = context_current()->flags;
	return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned int flags)
{
	CUresult result = gpu_enter("cuCtxSetFlags", GPU_CALL_ASYNC);

	if (result || flags & ~(unsigned)CU_CTX_FLAGS_MASK)
		return result ? result : CUDA_ERROR_INVALID_VALUE;
	context_current()->flags = flags;
	return CUDA_SUCCESS;
}

static CUresult check_peer(const char *name, CUcontext peer)
{
	CUresult result = gpu_enter(name, GPU_CALL_ASYNC);

	if (result)
		return result;
	if (!is_context(peer))
		return CUDA_ERROR_INVALID_CONTEXT;
	return peer->device == context_device() ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
	CUresult result = check_peer("cuCtxEnablePeerAccess", peer);

	if (result || flags)
		return result ? result : CUDA_ERROR_INVALID_VALUE;
	return memory_peer(context_device(), peer->device, true)
		       ? CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED
		       : CUDA_SUCCESS;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
	CUresult result = check_peer("cuCtxDisablePeerAccess", peer);

	if (result)
		return result;
	return memory_peer(context_device(), peer->device, false)
		       ? CUDA_SUCCESS
		       : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}

CUresult cuCtxSynchronize(void)
{
	return gpu_enter("cuCtxSynchronize", GPU_CALL_SYNC);
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	CUresult result = gpu_enter("cuCtxGetStreamPriorityRange", GPU_CALL_ASYNC);

	if (result)
		return result;
	if (least)
		*least = 0;
	if (greatest)
		*greatest = -5;
	return CUDA_SUCCESS;
}

static size_t *limit_slot(CUlimit limit)
{
	struct gpu_limits *l = &gpu.limits[context_device()];

	switch (limit) {
	case CU_LIMIT_STACK_SIZE:
		return &l->stack;
	case CU_LIMIT_PRINTF_FIFO_SIZE:
		return &l->printf_fifo;
	case CU_LIMIT_MALLOC_HEAP_SIZE:
		return &l->malloc_heap;
	case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH:
		return &l->sync_depth;
	case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
		return &l->pending_launches;
	case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
		return &l->l2_fetch;
	case CU_LIMIT_PERSISTING_L2_CACHE_SIZE:
		return &l->l2_persisting;
	default:
		return NULL;
	}
}

CUresult cuCtxGetLimit(size_t *ret, CUlimit limit)
{
	CUresult result = gpu_enter("cuCtxGetLimit", GPU_CALL_ASYNC);
	const size_t *slot = limit_slot(limit);

	if (result)
		return result;
	if (!slot || !ret)
		return slot ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_UNSUPPORTED_LIMIT;
	*ret = *slot;
	return CUDA_SUCCESS;
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
	CUresult result = gpu_enter("cuCtxSetLimit", GPU_CALL_ASYNC);
	size_t *slot = limit_slot(limit);

	if (result)
		return result;
	if (!slot)
		return CUDA_ERROR_UNSUPPORTED_LIMIT;
	if (limit == CU_LIMIT_STACK_SIZE && value > MACHINE_STACK_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	if ((limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE && value > GPU_L2_PERSISTING_MAX) ||
	    (limit == CU_LIMIT_MAX_L2_FETCH_GRANULARITY && value > GPU_L2_FETCH_MAX))
		return CUDA_ERROR_INVALID_VALUE;
	*slot = value;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *ret)
{
	CUresult result = gpu_enter("cuCtxGetCacheConfig", GPU_CALL_ASYNC);

	if (result)
		return result;
	if (!ret)
		return CUDA_ERROR_INVALID_VALUE;
	*ret = context_current()->cache;
	return CUDA_SUCCESS;
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
	CUresult result = gpu_enter("cuCtxSetCacheConfig", GPU_CALL_ASYNC);

	if (result)
		return result;
	context_current()->cache = config;
	return CUDA_SUCCESS;
}
