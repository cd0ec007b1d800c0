/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver API: streams and events. A stream is a queue of work; an event is a mark in one, and keeps
 * the time at which what was before it was done.
 */
#include "emulator/driver/stream/cu-stream.h"

#include <pthread.h>
#include <time.h>

#include "emulator/driver/api/cu-context.h"
#include "emulator/driver/device/handle-memory.h"
#include "emulator/driver/stream/cu-profile.h"

#define STREAM_MAGIC 0x5354524dull
#define EVENT_MAGIC 0x45564e54ull

struct CUstream_st {
	uint64_t magic;
	unsigned flags;
	int priority;
	struct queue *queue;
	CUcontext context;
	struct capture_point point;
};

struct CUevent_st {
	uint64_t magic;
	unsigned flags;
	int device;
	bool recorded;
	struct work *mark;          /* NULL: it was idle there */
	struct capture_point point; /* that it was recorded at */
	struct timespec time;
};

static struct handle_memory streams = HANDLE_MEMORY(struct CUstream_st);
static struct handle_memory events = HANDLE_MEMORY(struct CUevent_st);

static pthread_key_t own_key;
static pthread_once_t own_once = PTHREAD_ONCE_INIT;
static _Thread_local struct queue *own[GPU_DEVICES_MAX]; /* default streams of this thread */
static _Thread_local struct capture_point own_point[GPU_DEVICES_MAX];

static void release_own(void *queues)
{
	struct queue **all = queues;

	for (int i = 0; i < GPU_DEVICES_MAX; i++)
		if (all[i])
			queue_release(all[i]);
}

static void make_key(void)
{
	pthread_key_create(&own_key, release_own);
}

static struct queue *own_queue(void)
{
	int device = context_device();

	if (!own[device]) {
		pthread_once(&own_once, make_key);
		own[device] = queue_new(device, true);
		pthread_setspecific(own_key, own);
	}
	return own[device];
}

/* The default streams have reserved values: null, legacy (1) and per thread (2). */
static bool is_default(CUstream s)
{
	return (uintptr_t)s <= (uintptr_t)CU_STREAM_PER_THREAD;
}

static bool is_stream(CUstream s)
{
	return is_default(s) || s->magic == STREAM_MAGIC;
}

static bool is_event(CUevent e)
{
	return e && e->magic == EVENT_MAGIC;
}

struct queue *cu_stream_queue(CUstream s)
{
	if (s == CU_STREAM_PER_THREAD)
		return own_queue();
	if (is_default(s))
		return queue_legacy(context_device());
	return s->magic == STREAM_MAGIC ? s->queue : NULL;
}

struct capture_point *cu_stream_point(CUstream s)
{
	if (s == CU_STREAM_PER_THREAD)
		return &own_point[context_device()];
	return is_default(s) || s->magic != STREAM_MAGIC ? NULL : &s->point;
}

CUresult cu_stream_wait(struct queue *q)
{
	queue_wait(q);
	return gpu_deliver();
}

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
	*s = (struct CUstream_st){ STREAM_MAGIC,
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
	if (is_default(s) || !is_stream(s))
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
	/* What it stands for is outside of the capture. */
	if (capture_is_on(s))
		return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
	return queue_after(q, e->mark);
}

/* Whether it is a stream that is asked, and there is somewhere to answer to. */
static CUresult ask(const char *call, CUstream s, const void *ret)
{
	CUresult result = gpu_enter(call, GPU_CALL_ASYNC);

	if (!result && !ret)
		result = CUDA_ERROR_INVALID_VALUE;
	return result || is_stream(s) ? result : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuStreamGetFlags(CUstream s, unsigned int *ret)
{
	CUresult result = ask("cuStreamGetFlags", s, ret);

	if (!result)
		*ret = is_default(s) ? 0 : s->flags;
	return result;
}

CUresult cuStreamGetPriority(CUstream s, int *ret)
{
	CUresult result = ask("cuStreamGetPriority", s, ret);

	if (!result)
		*ret = is_default(s) ? 0 : s->priority;
	return result;
}

CUresult cuStreamGetId(CUstream s, unsigned long long *ret)
{
	CUresult result = ask("cuStreamGetId", s, ret);

	if (!result)
		*ret = (uintptr_t)s;
	return result;
}

CUresult cuStreamGetCtx(CUstream s, CUcontext *ret)
{
	CUresult result = ask("cuStreamGetCtx", s, ret);

	if (!result)
		*ret = is_default(s) ? context_current() : s->context;
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
