/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver API: streams and events. Work is done when it is issued, so a stream holds nothing: it is idle unless a launch
 * that never ends occupies the device. An event keeps the time at which it was recorded.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "emulator/driver/cu-context.h"
#include "emulator/driver/gpu.h"

#define STREAM_MAGIC 0x5354524dull
#define EVENT_MAGIC 0x45564e54ull

struct CUstream_st {
	uint64_t magic;
	unsigned flags;
	int priority;
};

struct CUevent_st {
	uint64_t magic;
	unsigned flags;
	bool recorded;
	struct timespec time;
};

/* The default streams have reserved values: null, legacy (1) and per thread (2). */
static bool is_stream(CUstream s)
{
	return (uintptr_t)s <= 2 || s->magic == STREAM_MAGIC;
}

static bool is_event(CUevent e)
{
	return e && e->magic == EVENT_MAGIC;
}

CUresult cuStreamCreateWithPriority(CUstream *ret, unsigned int flags, int priority)
{
	CUresult result = gpu_enter("cuStreamCreate", GPU_CALL_ASYNC);
	CUstream s;

	if (result)
		return result;
	if (!ret || (flags & ~(unsigned)CU_STREAM_NON_BLOCKING))
		return CUDA_ERROR_INVALID_VALUE;
	s = malloc(sizeof(*s));
	if (!s)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (priority > 0)
		priority = 0;
	*s = (struct CUstream_st){ STREAM_MAGIC, flags, priority < -5 ? -5 : priority };
	*ret = s;
	return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *ret, unsigned int flags)
{
	return cuStreamCreateWithPriority(ret, flags, 0);
}

CUresult cuStreamDestroy(CUstream s)
{
	CUresult result = gpu_enter("cuStreamDestroy", GPU_CALL_ASYNC);

	if (result)
		return result;
	if ((uintptr_t)s <= 2 || !is_stream(s))
		return CUDA_ERROR_INVALID_HANDLE;
	s->magic = 0;
	free(s);
	return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream s)
{
	CUresult result = gpu_enter("cuStreamSynchronize", GPU_CALL_SYNC);

	if (result)
		return result;
	return is_stream(s) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuStreamQuery(CUstream s)
{
	CUresult result = gpu_enter("cuStreamQuery", GPU_CALL_QUERY);

	if (result)
		return result;
	if (!is_stream(s))
		return CUDA_ERROR_INVALID_HANDLE;
	return gpu.hung ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned int flags)
{
	CUresult result = gpu_enter("cuStreamWaitEvent", GPU_CALL_ASYNC);

	(void)flags;
	if (result)
		return result;
	return is_stream(s) && is_event(e) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuStreamGetFlags(CUstream s, unsigned int *ret)
{
	CUresult result = gpu_enter("cuStreamGetFlags", GPU_CALL_ASYNC);

	if (result)
		return result;
	if (!is_stream(s) || !ret)
		return ret ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	*ret = (uintptr_t)s <= 2 ? 0 : s->flags;
	return CUDA_SUCCESS;
}

CUresult cuStreamGetPriority(CUstream s, int *ret)
{
	CUresult result = gpu_enter("cuStreamGetPriority", GPU_CALL_ASYNC);

	if (result)
		return result;
	if (!is_stream(s) || !ret)
		return ret ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	*ret = (uintptr_t)s <= 2 ? 0 : s->priority;
	return CUDA_SUCCESS;
}

CUresult cuStreamGetId(CUstream s, unsigned long long *ret)
{
	CUresult result = gpu_enter("cuStreamGetId", GPU_CALL_ASYNC);

	if (result)
		return result;
	if (!is_stream(s) || !ret)
		return ret ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	*ret = (uintptr_t)s;
	return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx(CUstream s, CUcontext *ret)
{
	CUresult result = gpu_enter("cuStreamGetCtx", GPU_CALL_ASYNC);

	if (result)
		return result;
	if (!is_stream(s) || !ret)
		return ret ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	*ret = context_current();
	return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx_v2(CUstream s, CUcontext *ret, CUgreenCtx *ret_green)
{
	if (ret_green)
		*ret_green = NULL;
	return cuStreamGetCtx(s, ret);
}

CUresult cuStreamAddCallback(CUstream s, CUstreamCallback callback, void *data, unsigned int flags)
{
	CUresult result = gpu_enter("cuStreamAddCallback", GPU_CALL_ASYNC);

	if (result)
		return result;
	if (!callback || flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (!is_stream(s))
		return CUDA_ERROR_INVALID_HANDLE;
	callback(s, gpu.pending, data);
	return CUDA_SUCCESS;
}

CUresult cuLaunchHostFunc(CUstream s, CUhostFn fn, void *data)
{
	CUresult result = gpu_enter("cuLaunchHostFunc", GPU_CALL_ASYNC);

	if (result)
		return result;
	if (!fn)
		return CUDA_ERROR_INVALID_VALUE;
	if (!is_stream(s))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!gpu.pending && !gpu.hung)
		fn(data);
	return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *ret, unsigned int flags)
{
	CUresult result = gpu_enter("cuEventCreate", GPU_CALL_ASYNC);
	CUevent e;

	if (result)
		return result;
	if (!ret || flags > 7)
		return CUDA_ERROR_INVALID_VALUE;
	e = calloc(1, sizeof(*e));
	if (!e)
		return CUDA_ERROR_OUT_OF_MEMORY;
	e->magic = EVENT_MAGIC;
	e->flags = flags;
	*ret = e;
	return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent e)
{
	CUresult result = gpu_enter("cuEventDestroy", GPU_CALL_ASYNC);

	if (result)
		return result;
	if (!is_event(e))
		return CUDA_ERROR_INVALID_HANDLE;
	e->magic = 0;
	free(e);
	return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent e, CUstream s)
{
	CUresult result = gpu_enter("cuEventRecord", GPU_CALL_ASYNC);

	if (result)
		return result;
	if (!is_event(e) || !is_stream(s))
		return CUDA_ERROR_INVALID_HANDLE;
	clock_gettime(CLOCK_MONOTONIC, &e->time);
	e->recorded = true;
	return CUDA_SUCCESS;
}

CUresult cuEventRecordWithFlags(CUevent e, CUstream s, unsigned int flags)
{
	return flags > CU_EVENT_RECORD_EXTERNAL ? CUDA_ERROR_INVALID_VALUE : cuEventRecord(e, s);
}

CUresult cuEventSynchronize(CUevent e)
{
	CUresult result = gpu_enter("cuEventSynchronize", GPU_CALL_SYNC);

	if (result)
		return result;
	return is_event(e) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuEventQuery(CUevent e)
{
	CUresult result = gpu_enter("cuEventQuery", GPU_CALL_QUERY);

	if (result)
		return result;
	if (!is_event(e))
		return CUDA_ERROR_INVALID_HANDLE;
	return gpu.hung && e->recorded ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

CUresult cuEventElapsedTime(float *ret_ms, CUevent start, CUevent end)
{
	CUresult result = gpu_enter("cuEventElapsedTime", GPU_CALL_QUERY);

	if (result)
		return result;
	if (!ret_ms)
		return CUDA_ERROR_INVALID_VALUE;
	if (!is_event(start) || !is_event(end) || !start->recorded || !end->recorded ||
	    ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING))
		return CUDA_ERROR_INVALID_HANDLE;
	if (gpu.hung)
		return CUDA_ERROR_NOT_READY;
	*ret_ms = (float)((double)(end->time.tv_sec - start->time.tv_sec) * 1e3 +
			  (double)(end->time.tv_nsec - start->time.tv_nsec) / 1e6);
	return CUDA_SUCCESS;
}
