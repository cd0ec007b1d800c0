/* SPDX-License-Identifier: Apache-2.0 */
/* Runtime API, chapters Stream Management and Event Management. */
#include "runtime/cuda/cudart/cudart.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/cuda/graphs/graphs.h"
#include "runtime/cuda/session/capture.h"
#include "runtime/cuda/session/handles.h"

static cudaError_t new_stream(cudaStream_t *ret, unsigned flags, int priority)
{
	cudaError_t result;

	if (!ret || (flags & ~(unsigned)cudaStreamNonBlocking))
		return cudaErrorInvalidValue;
	device_lock();
	result = cudart_error(handles_stream_new(flags, priority, ret));
	device_unlock();
	return result;
}

cudaError_t cudaStreamCreate(cudaStream_t *ret)
{
	return CUDART_CALL(new_stream(ret, cudaStreamDefault, 0));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *ret, unsigned int flags)
{
	return CUDART_CALL(new_stream(ret, flags, 0));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *ret, unsigned int flags, int priority)
{
	return CUDART_CALL(new_stream(ret, flags, priority));
}

static cudaError_t free_stream(cudaStream_t stream)
{
	cudaError_t result;

	device_lock();
	result = cudart_error(handles_stream_free(stream));
	device_unlock();
	return result;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	return CUDART_CALL(free_stream(stream));
}

static cudaError_t wait_stream(cudaStream_t stream)
{
	CUstream s;
	cudaError_t result = cudart_stream(stream, &s);

	return result ? result : cudart_error(device_synchronize_stream(s));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	return CUDART_CALL(wait_stream(stream));
}

static cudaError_t query_stream(cudaStream_t stream)
{
	CUstream s;
	cudaError_t result = cudart_stream(stream, &s);

	return result ? result : cudart_error(device.driver->cuStreamQuery(s));
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
	return CUDART_CALL(query_stream(stream));
}

/* External: a node of a graph that waits each time it runs. */
static cudaError_t stream_wait_event(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
	struct session_stream *captured = capture_find(stream);
	CUstream s;
	CUevent e;
	cudaError_t result;

	if (flags & cudaEventWaitExternal)
		return captured && session_find_event(event)
			       ? graphs_capture(captured, &(struct session_node){ .kind = NODE_WAIT,
										  .event = event })
			       : cudaErrorInvalidValue;
	if (capture_wait(stream, event, &result))
		return result;
	result = cudart_stream(stream, &s);
	if (!result)
		result = cudart_error(handles_event(event, &e));
	return result ? result : cudart_error(device.driver->cuStreamWaitEvent(s, e, flags));
}

cudaError_t cudart_wait_event(cudaStream_t stream, cudaEvent_t event)
{
	return stream_wait_event(stream, event, cudaEventWaitDefault);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
	return CUDART_CALL(stream_wait_event(stream, event, flags));
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *ret)
{
	return CUDART_CALL(ret ? cudart_error(handles_stream_info(stream, ret, NULL))
			       : cudaErrorInvalidValue);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *ret)
{
	return CUDART_CALL(ret ? cudart_error(handles_stream_info(stream, NULL, ret))
			       : cudaErrorInvalidValue);
}

static void run_callback(CUstream stream, CUresult status, void *data)
{
	struct cudart_host_call *c = data;

	(void)stream;
	c->status = (cudaError_t)status;
	cudart_call_host(c);
}

static cudaError_t add_callback(cudaStream_t stream, cudaStreamCallback_t fn, void *data)
{
	struct cudart_host_call *c;
	CUstream s;
	cudaError_t result = cudart_stream(stream, &s);

	if (result)
		return result;
	c = cudart_host_call(
		&(struct cudart_host_call){ .callback = fn, .stream = stream, .data = data });
	if (!c)
		return cudaErrorMemoryAllocation;
	result = cudart_error(device.driver->cuStreamAddCallback(s, run_callback, c, 0));
	if (result)
		free(c);
	return result;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t fn, void *data,
				  unsigned int flags)
{
	return CUDART_CALL(fn && !flags ? add_callback(stream, fn, data) : cudaErrorInvalidValue);
}

static cudaError_t new_event(cudaEvent_t *ret, unsigned flags)
{
	cudaError_t result;

	if (!ret)
		return cudaErrorInvalidValue;
	device_lock();
	result = cudart_error(handles_event_new(flags, ret));
	device_unlock();
	return result;
}

cudaError_t cudaEventCreate(cudaEvent_t *ret)
{
	return CUDART_CALL(new_event(ret, cudaEventDefault));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *ret, unsigned int flags)
{
	return CUDART_CALL(new_event(ret, flags));
}

static cudaError_t free_event(cudaEvent_t event)
{
	cudaError_t result;

	device_lock();
	result = cudart_error(handles_event_free(event));
	device_unlock();
	return result;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	return CUDART_CALL(free_event(event));
}

cudaError_t cudart_record_event(cudaEvent_t event, cudaStream_t stream)
{
	CUevent e;
	CUstream s;
	cudaError_t result;

	if (capture_record(event, stream, &result))
		return result;
	result = cudart_error(handles_event(event, &e));
	if (!result)
		result = cudart_stream(stream, &s);
	return result ? result : cudart_error(device.driver->cuEventRecord(e, s));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	return CUDART_CALL(cudart_record_event(event, stream));
}

/* External: a node of a graph that records each time it runs. */
static cudaError_t record_with_flags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
	struct session_stream *captured = capture_find(stream);

	if (flags & ~(unsigned)cudaEventRecordExternal)
		return cudaErrorInvalidValue;
	if (!flags)
		return cudart_record_event(event, stream);
	return captured && session_find_event(event)
		       ? graphs_capture(captured, &(struct session_node){ .kind = NODE_RECORD,
									  .event = event })
		       : cudaErrorInvalidValue;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
	return CUDART_CALL(record_with_flags(event, stream, flags));
}

static cudaError_t wait_event(cudaEvent_t event)
{
	CUevent e;
	cudaError_t result = capture_check_event(event);

	if (!result)
		result = cudart_error(handles_event(event, &e));
	return result ? result : cudart_error(device_synchronize_event(e));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	return CUDART_CALL(wait_event(event));
}

static cudaError_t query_event(cudaEvent_t event)
{
	CUevent e;
	cudaError_t result = capture_check_event(event);

	if (!result)
		result = cudart_error(handles_event(event, &e));
	return result ? result : cudart_error(device.driver->cuEventQuery(e));
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
	return CUDART_CALL(query_event(event));
}

static cudaError_t elapsed(float *ret, cudaEvent_t start, cudaEvent_t end)
{
	CUevent from, to;
	cudaError_t result = capture_check_event(start);

	if (!result)
		result = capture_check_event(end);
	if (!result)
		result = cudart_error(handles_event(start, &from));

	if (!result)
		result = cudart_error(handles_event(end, &to));
	return result ? result : cudart_error(device.driver->cuEventElapsedTime(ret, from, to));
}

cudaError_t cudaEventElapsedTime(float *ret, cudaEvent_t start, cudaEvent_t end)
{
	return CUDART_CALL(ret ? elapsed(ret, start, end) : cudaErrorInvalidValue);
}

static cudaError_t stream_device(cudaStream_t stream, int *ret)
{
	CUstream s;
	cudaError_t result = cudart_stream(stream, &s);

	if (!result)
		*ret = handles_stream_device(stream);
	return result;
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *ret)
{
	return CUDART_CALL(ret ? stream_device(stream, ret) : cudaErrorInvalidValue);
}

/* A whole piece of managed memory, length 0 for all of it. Both sides reach it at any time, so
 * there is nothing to do. */
static cudaError_t attach(cudaStream_t stream, const void *p, size_t length, unsigned flags)
{
	const struct session_buffer *b;
	CUstream s;
	cudaError_t result = cudart_stream(stream, &s);
	bool whole;

	if (result)
		return result;
	if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost &&
	    flags != cudaMemAttachSingle)
		return cudaErrorInvalidValue;
	device_lock();
	b = ledger_find((uintptr_t)p);
	whole = b && b->kind == BUFFER_MANAGED && b->address == (uintptr_t)p &&
		(!length || length == b->size);
	device_unlock();
	return whole ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t length,
				     unsigned int flags)
{
	return CUDART_CALL(attach(stream, p, length, flags));
}

/* The window of persisting accesses is advice to a cache, and is not kept; a priority is fixed when
 * a stream is made. */
static cudaError_t set_attribute(cudaStream_t stream, cudaStreamAttrID attr,
				 const cudaStreamAttrValue *value)
{
	CUstream s;
	cudaError_t result = cudart_stream(stream, &s);

	if (result || !value)
		return result ? result : cudaErrorInvalidValue;
	switch (attr) {
	case cudaStreamAttributeAccessPolicyWindow:
		return value->accessPolicyWindow.hitRatio < 0 ||
				       value->accessPolicyWindow.hitRatio > 1
			       ? cudaErrorInvalidValue
			       : cudaSuccess;
	case cudaStreamAttributeSynchronizationPolicy:
		return cudaSuccess;
	default:
		return cudaErrorNotSupported;
	}
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attr,
				   const cudaStreamAttrValue *value)
{
	return CUDART_CALL(set_attribute(stream, attr, value));
}

static cudaError_t get_attribute(cudaStream_t stream, cudaStreamAttrID attr,
				 cudaStreamAttrValue *ret)
{
	CUstream s;
	cudaError_t result = cudart_stream(stream, &s);

	if (result || !ret)
		return result ? result : cudaErrorInvalidValue;
	memset(ret, 0, sizeof(*ret));
	switch (attr) {
	case cudaStreamAttributeAccessPolicyWindow:
		return cudaSuccess;
	case cudaStreamAttributeSynchronizationPolicy:
		ret->syncPolicy = cudaSyncPolicyAuto;
		return cudaSuccess;
	case cudaStreamAttributePriority:
		return cudart_error(handles_stream_info(stream, NULL, &ret->priority));
	default:
		return cudaErrorNotSupported;
	}
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attr,
				   cudaStreamAttrValue *ret)
{
	return CUDART_CALL(get_attribute(stream, attr, ret));
}

/* A stream of the session has the same number as long as it lives; the default ones have those of
 * their handles. */
static cudaError_t stream_id(cudaStream_t stream, unsigned long long *ret)
{
	CUstream s;
	cudaError_t result = cudart_stream(stream, &s);

	if (!result)
		*ret = (uintptr_t)stream;
	return result;
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *ret)
{
	return CUDART_CALL(ret ? stream_id(stream, ret) : cudaErrorInvalidValue);
}

/* The attributes of a stream are fixed when it is made. */
static cudaError_t copy_attributes(cudaStream_t dst, cudaStream_t src)
{
	CUstream s;
	cudaError_t result = cudart_stream(dst, &s);

	return result ? result : cudart_stream(src, &s);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src)
{
	return CUDART_CALL(copy_attributes(dst, src));
}
