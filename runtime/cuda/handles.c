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
	*s = (struct session_stream){ .flags = flags, .priority = priority, .epoch = device.epoch, .handle = handle };
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
		result = device.driver->cuStreamCreateWithPriority(&s->handle, s->flags, s->priority);
		if (!result)
			s->epoch = device.epoch;
	}
	*ret = s->handle;
	return result;
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
	*e = (struct session_event){ .flags = flags, .epoch = device.epoch, .handle = handle };
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
		result = device.driver->cuEventCreate(&e->handle, e->flags);
		if (!result)
			e->epoch = device.epoch;
	}
	*ret = e->handle;
	return result;
}

CUresult handles_query_all(void)
{
	const struct session_array *a = &device.session->streams;
	CUresult result = device.driver->cuStreamQuery(NULL);

	for (uint32_t i = 0; i < a->n && !result; i++) {
		const struct session_stream *s = *session_at(a, struct session_stream *, i);

		if (s->epoch == device.epoch)
			result = device.driver->cuStreamQuery(s->handle);
	}
	return result;
}

void handles_reset(void)
{
	while (device.session->streams.n)
		handles_stream_free(*session_at(&device.session->streams, cudaStream_t, 0));
	while (device.session->events.n)
		handles_event_free(*session_at(&device.session->events, cudaEvent_t, 0));
}
