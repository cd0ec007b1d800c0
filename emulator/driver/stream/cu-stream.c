/* SPDX-License-Identifier: Apache-2.0 */
/* Each thread has a default stream of its own on each device; it is made when it is first used. */
#include "emulator/driver/stream/cu-stream.h"

#include <pthread.h>

#include "emulator/driver/device/context.h"

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

bool cu_stream_is_default(CUstream s)
{
	return (uintptr_t)s <= (uintptr_t)CU_STREAM_PER_THREAD;
}

bool cu_stream_valid(CUstream s)
{
	return cu_stream_is_default(s) || s->magic == CU_STREAM_MAGIC;
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
		return &own_point[context_device()];
	return cu_stream_is_default(s) || s->magic != CU_STREAM_MAGIC ? NULL : &s->point;
}

CUresult cu_stream_wait(struct queue *q)
{
	queue_wait(q);
	return gpu_deliver();
}
