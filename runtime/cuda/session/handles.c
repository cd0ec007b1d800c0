/* SPDX-License-Identifier: Apache-2.0 */
/* Look-up is by membership in the session's table, so a stale or wild handle is an error and not a
 * crash. */
#include "runtime/cuda/session/handles.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/session/capture.h"
#include "runtime/cuda/session/session.h"

static bool is_default(cudaStream_t s)
{
	return (uintptr_t)s <= (uintptr_t)cudaStreamPerThread;
}

/* ---- handles of the driver API: they go with the worker, so no session state ---- */

struct noted {
	struct noted *next;
	struct handles_driver driver;
};

static struct {
	pthread_mutex_t lock;
	struct noted *first;
} noted = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The place that points to it, or to NULL. With the lock. */
static struct noted **noted_place(const void *handle, bool is_event)
{
	struct noted **at = &noted.first;

	while (*at && ((*at)->driver.handle != handle || (*at)->driver.is_event != is_event))
		at = &(*at)->next;
	return at;
}

void handles_note_driver(const struct handles_driver *d)
{
	struct noted *n = malloc(sizeof(*n));

	/* Without a row the runtime API does not know it. */
	if (!n)
		return;
	n->driver = *d;
	pthread_mutex_lock(&noted.lock);
	n->next = noted.first;
	noted.first = n;
	pthread_mutex_unlock(&noted.lock);
}

void handles_forget_driver(void *handle, bool is_event)
{
	struct noted **at, *n;

	pthread_mutex_lock(&noted.lock);
	at = noted_place(handle, is_event);
	n = *at;
	if (n)
		*at = n->next;
	pthread_mutex_unlock(&noted.lock);
	free(n);
}

static bool find_driver(const void *handle, bool is_event, struct handles_driver *ret)
{
	const struct noted *n;

	pthread_mutex_lock(&noted.lock);
	n = *noted_place(handle, is_event);
	if (n)
		*ret = n->driver;
	pthread_mutex_unlock(&noted.lock);
	return n;
}

/* ---- handles of the runtime API ---- */

static void *add(struct session_array *a, size_t size)
{
	void *p = device.host->session_alloc(size);
	void **slot;

	if (!p)
		return NULL;
	slot = session_append(a, void *);
	if (!slot) {
		device.host->session_free(p);
		return NULL;
	}
	*slot = p;
	return p;
}

static void drop(struct session_array *a, int64_t index)
{
	device.host->session_free(*session_at(a, void *, index));
	session_remove(a, sizeof(void *), (uint32_t)index);
}

CUresult handles_stream_new(unsigned flags, int priority, cudaStream_t *ret)
{
	struct session_stream *s;
	CUstream handle;
	CUresult result = device.driver->cuStreamCreateWithPriority(&handle, flags, priority);

	if (result)
		return result;
	s = add(&device.session->streams, sizeof(*s));
	if (!s) {
		device.driver->cuStreamDestroy(handle);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*s = (struct session_stream){ .flags = flags,
				      .priority = priority,
				      .device = device_current(),
				      .epoch = device.epoch,
				      .handle = handle };
	*ret = (cudaStream_t)s;
	return CUDA_SUCCESS;
}

CUresult handles_stream_free(cudaStream_t stream)
{
	int64_t i = session_index_of(&device.session->streams, stream);
	const struct session_stream *s = (const struct session_stream *)stream;
	struct handles_driver d;
	CUresult result = CUDA_SUCCESS;

	if (i < 0 && !find_driver(stream, false, &d))
		return CUDA_ERROR_INVALID_HANDLE;
	if (i < 0) {
		handles_forget_driver(stream, false);
		return device.driver->cuStreamDestroy((CUstream)stream);
	}
	if (s->epoch == device.epoch)
		result = device.driver->cuStreamDestroy(s->handle);
	capture_forget_stream((struct session_stream *)stream);
	drop(&device.session->streams, i);
	return result;
}

CUresult handles_stream(cudaStream_t stream, CUstream *ret)
{
	struct session_stream *s = (struct session_stream *)stream;
	struct handles_driver d;
	CUresult result = CUDA_SUCCESS;

	if (is_default(stream)) {
		*ret = (CUstream)stream;
		return CUDA_SUCCESS;
	}
	if (session_index_of(&device.session->streams, s) < 0) {
		*ret = (CUstream)stream;
		return find_driver(stream, false, &d) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
	}
	if (s->epoch != device.epoch) {
		int before = device_current();

		result = s->device < device.count ? device_switch(s->device)
						  : CUDA_ERROR_INVALID_DEVICE;
		if (!result)
			result = device.driver->cuStreamCreateWithPriority(&s->handle, s->flags,
									   s->priority);
		if (!result)
			s->epoch = device.epoch;
		device_switch(before);
	}
	*ret = s->handle;
	return result;
}

int handles_stream_device(cudaStream_t stream)
{
	const struct session_stream *s = session_find_stream(stream);
	struct handles_driver d;

	if (s)
		return s->device;
	return find_driver(stream, false, &d) ? d.device : device_current();
}

CUresult handles_stream_info(cudaStream_t stream, unsigned *ret_flags, int *ret_priority)
{
	const struct session_stream *s = session_find_stream(stream);
	struct handles_driver d = { .handle = stream };

	if (s)
		d = (struct handles_driver){ .flags = s->flags, .priority = s->priority };
	else if (!is_default(stream) && !find_driver(stream, false, &d))
		return CUDA_ERROR_INVALID_HANDLE;
	if (ret_flags)
		*ret_flags = d.flags;
	if (ret_priority)
		*ret_priority = d.priority;
	return CUDA_SUCCESS;
}

CUresult handles_event_new(unsigned flags, cudaEvent_t *ret)
{
	struct session_event *e;
	CUevent handle;
	CUresult result = device.driver->cuEventCreate(&handle, flags);

	if (result)
		return result;
	e = add(&device.session->events, sizeof(*e));
	if (!e) {
		device.driver->cuEventDestroy(handle);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*e = (struct session_event){
		.flags = flags, .device = device_current(), .epoch = device.epoch, .handle = handle
	};
	*ret = (cudaEvent_t)e;
	return CUDA_SUCCESS;
}

CUresult handles_event_free(cudaEvent_t event)
{
	int64_t i = session_index_of(&device.session->events, event);
	const struct session_event *e = (const struct session_event *)event;
	struct handles_driver d;
	CUresult result = CUDA_SUCCESS;

	if (i < 0 && !find_driver(event, true, &d))
		return CUDA_ERROR_INVALID_HANDLE;
	if (i < 0) {
		handles_forget_driver(event, true);
		return device.driver->cuEventDestroy((CUevent)event);
	}
	if (e->epoch == device.epoch)
		result = device.driver->cuEventDestroy(e->handle);
	capture_forget_event((struct session_event *)event);
	drop(&device.session->events, i);
	return result;
}

CUresult handles_event(cudaEvent_t event, CUevent *ret)
{
	struct session_event *e = (struct session_event *)event;
	struct handles_driver d;
	CUresult result = CUDA_SUCCESS;

	if (session_index_of(&device.session->events, e) < 0) {
		*ret = (CUevent)event;
		return find_driver(event, true, &d) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
	}
	if (e->epoch != device.epoch) {
		int before = device_current();

		result = e->device < device.count ? device_switch(e->device)
						  : CUDA_ERROR_INVALID_DEVICE;
		if (!result)
			result = device.driver->cuEventCreate(&e->handle, e->flags);
		if (!result)
			e->epoch = device.epoch;
		device_switch(before);
	}
	*ret = e->handle;
	return result;
}

CUresult handles_query_all(int device_number)
{
	const struct session_array *a = &device.session->streams;
	int before = device_current();
	CUresult result = CUDA_SUCCESS;

	for (int i = 0; i < device.count && !result; i++)
		if (device.contexts[i].handle && (device_number < 0 || i == device_number) &&
		    !(result = device_switch(i)))
			result = device.driver->cuStreamQuery(NULL);
	device_switch(before);
	for (uint32_t i = 0; i < a->n && !result; i++) {
		const struct session_stream *s = *session_at(a, struct session_stream *, i);

		if (s->epoch == device.epoch && (device_number < 0 || s->device == device_number))
			result = device.driver->cuStreamQuery(s->handle);
	}
	return result;
}

void handles_reset(int ordinal)
{
	const struct session_array *streams = &device.session->streams,
				   *events = &device.session->events;

	for (uint32_t i = streams->n; i-- > 0;)
		if ((*session_at(streams, struct session_stream *, i))->device == ordinal)
			handles_stream_free(*session_at(streams, cudaStream_t, i));
	for (uint32_t i = events->n; i-- > 0;)
		if ((*session_at(events, struct session_event *, i))->device == ordinal)
			handles_event_free(*session_at(events, cudaEvent_t, i));
}
