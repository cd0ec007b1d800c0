/* SPDX-License-Identifier: Apache-2.0 */
/* Driver API, chapter Stream Management. */
#include "emulator/driver/device/context.h"
#include "emulator/driver/device/handle-memory.h"
#include "emulator/driver/stream/cu-profile.h"
#include "emulator/driver/stream/cu-stream.h"

static struct handle_memory streams = HANDLE_MEMORY(struct CUstream_st);

CUresult cuStreamCreateWithPriority(CUstream *ret, unsigned int flags, int priority)
{
	CUresult result = gpu_enter("cuStreamCreate", GPU_CALL_ASYNC);
	CUstream s;

	if (result)
		return result;
	if (!ret || (flags & ~(unsigned)CU_STREAM_NON_BLOCKING))
		return CUDA_ERROR_INVALID_VALUE;
	s = handle_memory_take(&streams);
	if (!s)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (priority > 0)
		priority = 0;
	*s = (struct CUstream_st){ CU_STREAM_MAGIC,
				   flags,
				   priority < -5 ? -5 : priority,
				   queue_new(context_device(), !(flags & CU_STREAM_NON_BLOCKING)),
				   context_current(),
				   { 0 } };
	if (!s->queue) {
		handle_memory_give(&streams, s);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
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
	if (cu_stream_is_default(s) || !cu_stream_valid(s))
		return CUDA_ERROR_INVALID_HANDLE;
	s->magic = 0;
	capture_leave(&s->point);
	queue_release(s->queue);
	handle_memory_give(&streams, s);
	return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream s)
{
	CUresult result = gpu_enter("cuStreamSynchronize", GPU_CALL_ASYNC);
	struct queue *q = cu_stream_queue(s);

	if (!result)
		result = capture_refuse(s);
	if (result)
		return result;
	return q ? cu_stream_wait(q) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuStreamQuery(CUstream s)
{
	CUresult result = gpu_enter("cuStreamQuery", GPU_CALL_QUERY);
	struct queue *q = cu_stream_queue(s);

	if (!result)
		result = capture_refuse(s);
	if (result)
		return result;
	if (!q)
		return CUDA_ERROR_INVALID_HANDLE;
	return queue_poll(q) && !gpu.hung ? gpu_deliver() : CUDA_ERROR_NOT_READY;
}

CUresult cuStreamGetFlags(CUstream s, unsigned int *ret)
{
	CUresult result = cu_stream_ask("cuStreamGetFlags", s, ret);

	if (!result)
		*ret = cu_stream_is_default(s) ? 0 : s->flags;
	return result;
}

CUresult cuStreamGetPriority(CUstream s, int *ret)
{
	CUresult result = cu_stream_ask("cuStreamGetPriority", s, ret);

	if (!result)
		*ret = cu_stream_is_default(s) ? 0 : s->priority;
	return result;
}

CUresult cuStreamGetId(CUstream s, unsigned long long *ret)
{
	CUresult result = cu_stream_ask("cuStreamGetId", s, ret);

	if (!result)
		*ret = (uintptr_t)s;
	return result;
}

CUresult cuStreamGetCtx(CUstream s, CUcontext *ret)
{
	CUresult result = cu_stream_ask("cuStreamGetCtx", s, ret);

	if (!result)
		*ret = cu_stream_is_default(s) ? context_current() : s->context;
	return result;
}

CUresult cuStreamGetCtx_v2(CUstream s, CUcontext *ret, CUgreenCtx *ret_green)
{
	if (ret_green)
		*ret_green = NULL;
	return cuStreamGetCtx(s, ret);
}

/* A function of the program, of the older kind or of the newer one. */
struct host_call {
	CUstreamCallback callback;
	CUhostFn fn;
	CUstream stream;
	void *data;
};

static void run_host_call(void *data)
{
	const struct host_call *c = data;
	uint64_t start = cu_profile_start();

	/* The older kind hears of a fault; a launch that never ends is before both. */
	if (gpu.hung)
		return;
	if (c->callback)
		c->callback(c->stream, gpu.pending, c->data);
	else if (!gpu.pending)
		c->fn(c->data);
	cu_profile_note(start, SPAN_HOST, "host function", 0);
}

static CUresult call_host(CUstream s, const struct host_call *c)
{
	struct queue *q = cu_stream_queue(s);

	return q ? queue_submit(q, WORK_HOST, run_host_call, c, sizeof(*c))
		 : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuStreamAddCallback(CUstream s, CUstreamCallback callback, void *data, unsigned int flags)
{
	CUresult result = gpu_enter("cuStreamAddCallback", GPU_CALL_ASYNC);
	struct host_call c = { .callback = callback, .stream = s, .data = data };

	if (result)
		return result;
	if (!callback || flags)
		return CUDA_ERROR_INVALID_VALUE;
	result = capture_refuse(s);
	return result ? result : call_host(s, &c);
}

CUresult cuLaunchHostFunc(CUstream s, CUhostFn fn, void *data)
{
	CUresult result = gpu_enter("cuLaunchHostFunc", GPU_CALL_ASYNC);
	struct host_call c = { .fn = fn, .stream = s, .data = data };

	if (result)
		return result;
	if (!fn)
		return CUDA_ERROR_INVALID_VALUE;
	if (capture_is_on(s))
		return capture_add(s, &(CUgraphNodeParams){ .type = CU_GRAPH_NODE_TYPE_HOST,
							    .host = { fn, data } });
	return call_host(s, &c);
}
