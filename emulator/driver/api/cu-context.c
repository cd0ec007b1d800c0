/* SPDX-License-Identifier: Apache-2.0 */
/* Driver API: initialisation, contexts, limits. */
#include "emulator/driver/device/context.h"

#include "emulator/driver/device/inject.h"
#include "emulator/driver/device/memory.h"
#include "emulator/ptx/machine-limits.h"

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
	context_retain(device);
	*ret = context_primary_slot(device);
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
	CUresult result = gpu_enter("cuDevicePrimaryCtxRelease", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!gpu_has(device))
		return CUDA_ERROR_INVALID_DEVICE;
	return context_release(device);
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
	*flags = context_primary_slot(device)->flags;
	*active = context_primary_slot(device)->alive;
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags)
{
	CUresult result = gpu_enter("cuDevicePrimaryCtxSetFlags", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!gpu_has(device))
		return CUDA_ERROR_INVALID_DEVICE;
	context_primary_slot(device)->flags = flags;
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
	return context_new(device, flags, ret);
}

CUresult cuCtxDestroy(CUcontext c)
{
	CUresult result = gpu_enter("cuCtxDestroy", GPU_CALL_DEVICE);

	if (result)
		return result;
	return context_destroy(c);
}

CUresult cuCtxPushCurrent(CUcontext c)
{
	CUresult result = gpu_enter("cuCtxPushCurrent", GPU_CALL_DEVICE);

	if (result)
		return result;
	return context_valid(c) ? context_push(c) : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxPopCurrent(CUcontext *ret)
{
	CUresult result = gpu_enter("cuCtxPopCurrent", GPU_CALL_DEVICE);

	if (result)
		return result;
	return context_pop(ret);
}

CUresult cuCtxSetCurrent(CUcontext c)
{
	CUresult result = gpu_enter("cuCtxSetCurrent", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (c && !context_valid(c))
		return CUDA_ERROR_INVALID_CONTEXT;
	return context_set(c);
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
	if (!version || (c && !context_valid(c)))
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
	if (!context_valid(peer))
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
	struct gpu_limits *l = &gpu.device[context_device()].limits;

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
