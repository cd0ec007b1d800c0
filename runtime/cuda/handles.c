/* SPDX-License-Identifier: Apache-2.0 */
/* Look-up is by membership in the session's table, so a stale or wild handle is an error and not a crash. */
#include "runtime/cuda/handles.h"

#include <stdint.h>

#include "runtime/cuda/device-state.h"
#include "runtime/cuda/graphs.h"

static bool is_default(cudaStream_t s)
{
	return (uintptr_t)s <= (uintptr_t)cudaStreamPerThread;
}

/* Index in the table, -1 when it is not there. */
static int64_t index_of(const struct session_array *a, const void *handle)
{
	for (uint32_t i = 0; i < a->n; i++)
		if (*session_at(a, void *, i) == handle)
			return i;
	return -1;
}

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
	*s = (struct session_stream){ .flags = flags, .priority = priority, .device = device_current(),
				      .epoch = device.epoch, .handle = handle };
	*ret = (cudaStream_t)s;
	return CUDA_SUCCESS;
}

CUresult handles_stream_free(cudaStream_t stream)
{
	int64_t i = index_of(&device.session->streams, stream);
	const struct session_stream *s = (const struct session_stream *)stream;
	CUresult result = CUDA_SUCCESS;

	if (i < 0)
		return CUDA_ERROR_INVALID_HANDLE;
	if (s->epoch == device.epoch)
		result = device.driver->cuStreamDestroy(s->handle);
	graphs_forget_stream((struct session_stream *)stream);
	drop(&device.session->streams, i);
	return result;
}

CUresult handles_stream(cudaStream_t stream, CUstream *ret)
{
	struct session_stream *s = (struct session_stream *)stream;
	CUresult result = CUDA_SUCCESS;

	if (is_default(stream)) {
		*ret = (CUstream)stream;
		return CUDA_SUCCESS;
	}
	if (index_of(&device.session->streams, s) < 0)
		return CUDA_ERROR_INVALID_HANDLE;
	if (s->epoch != device.epoch) {
		int before = device_current();

		result = s->device < device.count ? device_switch(s->device) : CUDA_ERROR_INVALID_DEVICE;
		if (!result)
			result = device.driver->cuStreamCreateWithPriority(&s->handle, s->flags, s->priority);
		if (!result)
			s->epoch = device.epoch;
		device_switch(before);
	}
	*ret = s->handle;
	return result;
}

int handles_stream_device(cudaStream_t stream)
{
	const struct session_stream *s = handles_stream_look(stream);

	return s ? s->device : device_current();
}

struct session_stream *handles_stream_look(cudaStream_t stream)
{
	return is_default(stream) || index_of(&device.session->streams, stream) < 0 ? NULL
										    : (struct session_stream *)stream;
}

struct session_event *handles_event_look(cudaEvent_t event)
{
	return index_of(&device.session->events, event) < 0 ? NULL : (struct session_event *)event;
}

CUresult handles_stream_info(cudaStream_t stream, unsigned *ret_flags, int *ret_priority)
{
	const struct session_stream *s = (const struct session_stream *)stream;
	bool named = !is_default(stream);

	if (named && index_of(&device.session->streams, s) < 0)
		return CUDA_ERROR_INVALID_HANDLE;
	if (ret_flags)
		*ret_flags = named ? s->flags : 0;
	if (ret_priority)
		*ret_priority = named ? s->priority : 0;
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
	*e = (struct session_event){ .flags = flags, .device = device_current(), .epoch = device.epoch, .handle = handle };
	*ret = (cudaEvent_t)e;
	return CUDA_SUCCESS;
}

CUresult handles_event_free(cudaEvent_t event)
{
	int64_t i = index_of(&device.session->events, event);
	const struct session_event *e = (const struct session_event *)event;
	CUresult result = CUDA_SUCCESS;

	if (i < 0)
		return CUDA_ERROR_INVALID_HANDLE;
	if (e->epoch == device.epoch)
		result = device.driver->cuEventDestroy(e->handle);
	graphs_forget_event((struct session_event *)event);
	drop(&device.session->events, i);
	return result;
}

CUresult handles_event(cudaEvent_t event, CUevent *ret)
{
	struct session_event *e = (struct session_event *)event;
	CUresult result = CUDA_SUCCESS;

	if (index_of(&device.session->events, e) < 0)
		return CUDA_ERROR_INVALID_HANDLE;
	if (e->epoch != device.epoch) {
		int before = device_current();

		result = e->device < device.count ? device_switch(e->device) : CUDA_ERROR_INVALID_DEVICE;
		if (!result)
			result = device.driver->cuEventCreate(&e->handle, e->flags);
		if (!result)
			e->epoch = device.epoch;
		device_switch(before);
	}
	*ret = e->handle;
	return result;
}

CUresult handles_query_all(void)
{
	const struct session_array *a = &device.session->streams;
	int before = device_current();
	CUresult result = CUDA_SUCCESS;

	for (int i = 0; i < device.count && !result; i++)
		if (device.contexts[i] && !(result = device_switch(i)))
			result = device.driver->cuStreamQuery(NULL);
	device_switch(before);
	for (uint32_t i = 0; i < a->n && !result; i++) {
		const struct session_stream *s = *session_at(a, struct session_stream *, i);

		if (s->epoch == device.epoch)
			result = device.driver->cuStreamQuery(s->handle);
	}
	return result;
}

void handles_reset(int ordinal)
{
	const struct session_array *streams = &device.session->streams, *events = &device.session->events;

	for (uint32_t i = streams->n; i-- > 0; )
		if ((*session_at(streams, struct session_stream *, i))->device == ordinal)
			handles_stream_free(*session_at(streams, cudaStream_t, i));
	for (uint32_t i = events->n; i-- > 0; )
		if ((*session_at(events, struct session_event *, i))->device == ordinal)
			handles_event_free(*session_at(events, cudaEvent_t, i));
}
