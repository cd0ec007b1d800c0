/* SPDX-License-Identifier: Apache-2.0 */
/* Each thread has a default stream of its own on each device; it is made when it is first used. */
#include "emulator/driver/stream/cu-stream.h"

#include <pthread.h>

#include "emulator/driver/device/context.h"

/* A default stream of a thread. */
struct own_stream {
	struct queue *queue; /* NULL: not used yet */
	struct capture_point point;
};

static _Thread_local struct own_stream own[GPU_DEVICES_MAX];

/* The key whose destructor releases them with their thread. */
static struct own_key {
	pthread_once_t once;
	pthread_key_t key;
} own_key = { .once = PTHREAD_ONCE_INIT };

static void release_own(void *streams)
{
	struct own_stream *all = streams;

	for (int i = 0; i < GPU_DEVICES_MAX; i++)
		if (all[i].queue)
			queue_release(all[i].queue);
}

static void make_key(void)
{
	pthread_key_create(&own_key.key, release_own);
}

static struct queue *own_queue(void)
{
	int device = context_device();

	if (!own[device].queue) {
		pthread_once(&own_key.once, make_key);
		own[device].queue = queue_new(device, true);
		pthread_setspecific(own_key.key, own);
	}
	return own[device].queue;
}

bool cu_stream_is_default(CUstream s)
{
	return (uintptr_t)s <= (uintptr_t)CU_STREAM_PER_THREAD;
}

bool cu_stream_valid(CUstream s)
{
	return cu_stream_is_default(s) || s->magic == CU_STREAM_MAGIC;
}

CUresult cu_stream_ask(const char *call, CUstream s, const void *ret)
{
	CUresult result = gpu_enter(call, GPU_CALL_ASYNC);

	if (!result && !ret)
		result = CUDA_ERROR_INVALID_VALUE;
	return result || cu_stream_valid(s) ? result : CUDA_ERROR_INVALID_HANDLE;
}

struct queue *cu_stream_queue(CUstream s)
{
	if (s == CU_STREAM_PER_THREAD)
		return own_queue();
	if (cu_stream_is_default(s))
		return queue_legacy(context_device());
	return s->magic == CU_STREAM_MAGIC ? s->queue : NULL;
}

struct capture_point *cu_stream_point(CUstream s)
{
	if (s == CU_STREAM_PER_THREAD)
		return &own[context_device()].point;
	return cu_stream_is_default(s) || s->magic != CU_STREAM_MAGIC ? NULL : &s->point;
}

CUresult cu_stream_wait(struct queue *q)
{
	queue_wait(q);
	return gpu_deliver();
}
