/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams and events between the two APIs. Those of the runtime API are structs of the session
 * (handles.h): in a call of the driver API the driver's own takes their place. Those that the
 * driver API has made are noted, so that the runtime API knows them.
 */
#include <string.h>

#include "common/memory/address-map.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/libcuda/libcuda-real.h"
#include "runtime/cuda/session/capture.h"
#include "runtime/cuda/session/device-wait.h"
#include "runtime/cuda/session/handles.h"
#include "runtime/cuda/session/session.h"

/* A stream that is captured is so by the session's graphs, of which the driver knows nothing. */
static CUresult stream_of_session(void *handle, CUstream *ret)
{
	CUresult result = (CUresult)capture_check_stream(handle);

	return result ? result : handles_stream(handle, ret);
}

static CUresult event_of_session(void *handle, CUevent *ret)
{
	CUresult result = (CUresult)capture_check_event(handle);

	return result ? result : handles_event(handle, ret);
}

/* No handle of the driver lies where those of the session do: such a handle was one of the session,
 * and is destroyed. */
static bool is_stale(const void *handle)
{
	return (uintptr_t)handle - ARENA_BASE - ARENA_META_OFFSET < ARENA_META_SIZE;
}

/* A handle whose driver object was lost with its worker gets another one; the caller's context
 * stays. */
#define EXCHANGE(place, look, of_session)                                                          \
	({                                                                                         \
		CUresult result_ = CUDA_SUCCESS;                                                   \
		CUcontext before_ = NULL;                                                          \
                                                                                                   \
		device_lock();                                                                     \
		if (look((void *)*(place))) {                                                      \
			device.driver->cuCtxGetCurrent(&before_);                                  \
			result_ = of_session(*(place), (place));                                   \
			device.driver->cuCtxSetCurrent(before_);                                   \
		} else if (is_stale(*(place))) {                                                   \
			result_ = CUDA_ERROR_INVALID_HANDLE;                                       \
		}                                                                                  \
		device_unlock();                                                                   \
		result_;                                                                           \
	})

static CUresult exchange_stream(CUstream *place)
{
	/* The default streams are the same in both. */
	if (!device.session || (uintptr_t)*place <= (uintptr_t)CU_STREAM_PER_THREAD)
		return CUDA_SUCCESS;
	return EXCHANGE(place, session_find_stream, stream_of_session);
}

static CUresult exchange_event(CUevent *place)
{
	if (!device.session || !*place)
		return CUDA_SUCCESS;
	return EXCHANGE(place, session_find_event, event_of_session);
}

int libcuda_stream_argument(long *argument)
{
	CUstream s = (CUstream)*argument;
	CUresult result = exchange_stream(&s);

	*argument = (long)s;
	return (int)result;
}

int libcuda_event_argument(long *argument)
{
	CUevent e = (CUevent)*argument;
	CUresult result = exchange_event(&e);

	*argument = (long)e;
	return (int)result;
}

#define ATTRIBUTES_MAX 32 /* more than there are kinds */

static CUevent *event_of(CUlaunchAttribute *a)
{
	switch (a->id) {
	case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
		return &a->value.programmaticEvent.event;
	case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
		return &a->value.launchCompletionEvent.event;
	default:
		return NULL;
	}
}

int libcuda_config_argument(long *argument)
{
	/* The driver reads it when this has returned. */
	static _Thread_local struct {
		CUlaunchConfig config;
		CUlaunchAttribute attributes[ATTRIBUTES_MAX];
	} copy;
	const CUlaunchConfig *given = (const CUlaunchConfig *)*argument;
	CUresult result;

	/* The driver says what is wrong with it. */
	if (!given || given->numAttrs > ATTRIBUTES_MAX || (given->numAttrs && !given->attrs))
		return CUDA_SUCCESS;
	copy.config = *given;
	result = exchange_stream(&copy.config.hStream);
	if (copy.config.numAttrs) {
		memcpy(copy.attributes, given->attrs,
		       copy.config.numAttrs * sizeof(copy.attributes[0]));
		copy.config.attrs = copy.attributes;
	}
	for (unsigned i = 0; i < copy.config.numAttrs && !result; i++) {
		CUevent *e = event_of(&copy.attributes[i]);

		if (e)
			result = exchange_event(e);
	}
	*argument = (long)&copy.config;
	return (int)result;
}

/* ---- made and destroyed by the driver API ---- */

static CUresult noted(CUresult result, const void *ret, struct handles_driver d)
{
	if (result)
		return result;
	memcpy(&d.handle, ret, sizeof(d.handle));
	if (!libcuda_device(&d.device))
		handles_note_driver(&d);
	return CUDA_SUCCESS;
}

static CUresult create_stream(CUstream *ret, unsigned flags)
{
	return noted(LIBCUDA_REAL(LIBCUDA_cuStreamCreate, cuStreamCreate)(ret, flags), ret,
		     (struct handles_driver){ .flags = flags });
}

static CUresult create_stream_with_priority(CUstream *ret, unsigned flags, int priority)
{
	return noted(LIBCUDA_REAL(LIBCUDA_cuStreamCreateWithPriority,
				  cuStreamCreateWithPriority)(ret, flags, priority),
		     ret, (struct handles_driver){ .flags = flags, .priority = priority });
}

static CUresult create_green_stream(CUstream *ret, CUgreenCtx ctx, unsigned flags, int priority)
{
	return noted(LIBCUDA_REAL(LIBCUDA_cuGreenCtxStreamCreate,
				  cuGreenCtxStreamCreate)(ret, ctx, flags, priority),
		     ret, (struct handles_driver){ .flags = flags, .priority = priority });
}

static CUresult create_event(CUevent *ret, unsigned flags)
{
	return noted(LIBCUDA_REAL(LIBCUDA_cuEventCreate, cuEventCreate)(ret, flags), ret,
		     (struct handles_driver){ .is_event = true, .flags = flags });
}

static CUresult destroy_stream(CUstream s)
{
	CUresult result;

	if (device.session && session_find_stream((cudaStream_t)s)) {
		device_lock();
		result = handles_stream_free((cudaStream_t)s);
		device_unlock();
		return result;
	}
	if (is_stale(s))
		return CUDA_ERROR_INVALID_HANDLE;
	device_wait_begin();
	/* Before the driver may give the handle to another thread's stream. */
	handles_forget_driver(s, false);
	result = LIBCUDA_REAL(LIBCUDA_cuStreamDestroy_v2, cuStreamDestroy)(s);
	device_wait_end();
	return result;
}

static CUresult synchronize_stream(CUstream s)
{
	device_wait_stream(s);
	return LIBCUDA_REAL(LIBCUDA_cuStreamSynchronize, cuStreamSynchronize)(s);
}

static CUresult synchronize_stream_ptsz(CUstream s)
{
	device_wait_stream(s ? s : CU_STREAM_PER_THREAD);
	return LIBCUDA_REAL(LIBCUDA_cuStreamSynchronize_ptsz, cuStreamSynchronize)(s);
}

static CUresult synchronize_event(CUevent e)
{
	device_wait_event(e);
	return LIBCUDA_REAL(LIBCUDA_cuEventSynchronize, cuEventSynchronize)(e);
}

static CUresult synchronize_context(void)
{
	device_wait_context();
	return LIBCUDA_REAL(LIBCUDA_cuCtxSynchronize, cuCtxSynchronize)();
}

static CUresult destroy_event(CUevent e)
{
	CUresult result;

	if (device.session && session_find_event((cudaEvent_t)e)) {
		device_lock();
		result = handles_event_free((cudaEvent_t)e);
		device_unlock();
		return result;
	}
	if (is_stale(e))
		return CUDA_ERROR_INVALID_HANDLE;
	handles_forget_driver(e, true);
	return LIBCUDA_REAL(LIBCUDA_cuEventDestroy_v2, cuEventDestroy)(e);
}

const struct libcuda_guard libcuda_handle_guards[] = {
	LIBCUDA_GUARD(cuStreamCreate, create_stream),
	LIBCUDA_GUARD(cuStreamCreateWithPriority, create_stream_with_priority),
	LIBCUDA_GUARD(cuGreenCtxStreamCreate, create_green_stream),
	LIBCUDA_GUARD(cuStreamDestroy_v2, destroy_stream),
	LIBCUDA_GUARD(cuStreamSynchronize, synchronize_stream),
	LIBCUDA_GUARD(cuStreamSynchronize_ptsz, synchronize_stream_ptsz),
	LIBCUDA_GUARD(cuEventSynchronize, synchronize_event),
	LIBCUDA_GUARD(cuCtxSynchronize, synchronize_context),
	LIBCUDA_GUARD(cuEventCreate, create_event),
	LIBCUDA_GUARD(cuEventDestroy, destroy_event),
	LIBCUDA_GUARD(cuEventDestroy_v2, destroy_event),
	{ 0, NULL },
};
