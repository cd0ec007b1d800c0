/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver API, chapter Event Management. An event is a mark in a queue, and keeps the time at which
 * what was before it was done.
 */
#include <time.h>

#include "emulator/driver/device/context.h"
#include "emulator/driver/device/handle-memory.h"
#include "emulator/driver/stream/cu-stream.h"

#define EVENT_MAGIC 0x45564e54ull

struct CUevent_st {
	uint64_t magic;
	unsigned flags;
	int device;
	bool recorded;
	struct work *mark;          /* NULL: it was idle there */
	struct capture_point point; /* that it was recorded at */
	struct timespec time;
};

static struct handle_memory events = HANDLE_MEMORY(struct CUevent_st);

static bool is_event(CUevent e)
{
	return e && e->magic == EVENT_MAGIC;
}

CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned int flags)
{
	CUresult result = gpu_enter("cuStreamWaitEvent", GPU_CALL_ASYNC);
	struct queue *q = cu_stream_queue(s);

	if (result)
		return result;
	if (!q || !is_event(e))
		return CUDA_ERROR_INVALID_HANDLE;
	if (flags & ~(unsigned)CU_EVENT_WAIT_EXTERNAL)
		return CUDA_ERROR_INVALID_VALUE;
	if (flags && capture_is_on(s))
		return capture_add(s, &(CUgraphNodeParams){ .type = CU_GRAPH_NODE_TYPE_WAIT_EVENT,
							    .eventWait.event = e });
	if (e->point.capture && cu_stream_point(s))
		return capture_join(cu_stream_point(s), &e->point);
	/* The work that it stands for is outside of the capture. */
	if (capture_is_on(s))
		return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
	return queue_after(q, e->mark);
}

CUresult cuEventCreate(CUevent *ret, unsigned int flags)
{
	CUresult result = gpu_enter("cuEventCreate", GPU_CALL_ASYNC);
	CUevent e;

	if (result)
		return result;
	if (!ret || flags > 7)
		return CUDA_ERROR_INVALID_VALUE;
	e = handle_memory_take(&events);
	if (!e)
		return CUDA_ERROR_OUT_OF_MEMORY;
	e->magic = EVENT_MAGIC;
	e->flags = flags;
	e->device = context_device();
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
	capture_leave(&e->point);
	work_release(e->mark);
	handle_memory_give(&events, e);
	return CUDA_SUCCESS;
}

CUresult cuEventRecordWithFlags(CUevent e, CUstream s, unsigned int flags)
{
	CUresult result = gpu_enter("cuEventRecord", GPU_CALL_ASYNC);
	struct queue *q = cu_stream_queue(s);
	struct work *mark;

	if (result)
		return result;
	if (!is_event(e) || !q || q->device != e->device)
		return CUDA_ERROR_INVALID_HANDLE;
	if (flags > CU_EVENT_RECORD_EXTERNAL)
		return CUDA_ERROR_INVALID_VALUE;
	if (flags && capture_is_on(s))
		return capture_add(s, &(CUgraphNodeParams){ .type = CU_GRAPH_NODE_TYPE_EVENT_RECORD,
							    .eventRecord.event = e });
	result = capture_record(&e->point, cu_stream_point(s));
	if (result || e->point.capture)
		return result;
	result = queue_mark(q, &mark);
	if (result)
		return result;
	work_release(e->mark);
	e->mark = mark;
	if (!mark)
		clock_gettime(CLOCK_MONOTONIC, &e->time);
	e->recorded = true;
	return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent e, CUstream s)
{
	return cuEventRecordWithFlags(e, s, 0);
}

CUresult cuEventSynchronize(CUevent e)
{
	CUresult result = gpu_enter("cuEventSynchronize", GPU_CALL_ASYNC);

	if (result)
		return result;
	if (!is_event(e))
		return CUDA_ERROR_INVALID_HANDLE;
	if (e->point.capture)
		return CUDA_ERROR_CAPTURED_EVENT;
	if (e->mark)
		work_wait(e->mark);
	return gpu_deliver();
}

static bool is_done(CUevent e)
{
	return !e->recorded || (!gpu.hung && (!e->mark || work_poll(e->mark)));
}

CUresult cuEventQuery(CUevent e)
{
	CUresult result = gpu_enter("cuEventQuery", GPU_CALL_QUERY);

	if (result)
		return result;
	if (!is_event(e))
		return CUDA_ERROR_INVALID_HANDLE;
	if (e->point.capture)
		return CUDA_ERROR_CAPTURED_EVENT;
	return is_done(e) ? gpu_deliver() : CUDA_ERROR_NOT_READY;
}

CUresult cuEventElapsedTime(float *ret_ms, CUevent start, CUevent end)
{
	CUresult result = gpu_enter("cuEventElapsedTime", GPU_CALL_QUERY);
	struct timespec from, to;

	if (result)
		return result;
	if (!ret_ms)
		return CUDA_ERROR_INVALID_VALUE;
	if (!is_event(start) || !is_event(end) || !start->recorded || !end->recorded ||
	    ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) || start->device != end->device)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!is_done(start) || !is_done(end))
		return CUDA_ERROR_NOT_READY;
	from = start->mark ? work_time(start->mark) : start->time;
	to = end->mark ? work_time(end->mark) : end->time;
	*ret_ms = (float)((double)(to.tv_sec - from.tv_sec) * 1e3 +
			  (double)(to.tv_nsec - from.tv_nsec) / 1e6);
	return CUDA_SUCCESS;
}
