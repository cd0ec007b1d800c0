/* SPDX-License-Identifier: Apache-2.0 */
/* Entering and leaving the runtime API, and checks that several of its chapters make. */
#include "runtime/cuda/cudart/cudart.h"

#include <stdlib.h>

#include "common/memory/address-map.h"
#include "runtime/cuda/memory/ledger.h"
#include "runtime/cuda/memory/library-memory.h"
#include "runtime/cuda/reports/call-errors.h"
#include "runtime/cuda/reports/range-report.h"
#include "runtime/cuda/reports/trace.h"
#include "runtime/cuda/rollback/preimage.h"
#include "runtime/cuda/session/capture.h"
#include "runtime/cuda/session/handles.h"
#include "runtime/cuda/session/pinning.h"

static _Thread_local bool in_host_call;

struct cudart_host_call *cudart_host_call(const struct cudart_host_call *c)
{
	struct cudart_host_call *copy = malloc(sizeof(*copy));

	if (copy)
		*copy = *c;
	return copy;
}

static void call_host(void *call)
{
	const struct cudart_host_call *c = call;

	if (c->callback)
		c->callback(c->stream, c->status, c->data);
	else
		c->fn(c->data);
}

void cudart_call_host(void *call)
{
	in_host_call = true;
	if (device.host->call_in_thread)
		device.host->call_in_thread(call_host, call);
	else
		call_host(call);
	in_host_call = false;
	free(call);
}

cudaError_t cudart_enter(const char *call)
{
	CUresult result;

	device.host->enter_library();
	trace_call(call);
	if (device.driver && device.driver->extension)
		device.driver->extension->set_call(call);
	if (in_host_call)
		return cudaErrorNotPermitted;
	if (!device.usable)
		return (cudaError_t)device.unusable;
	if (!device.session)
		return cudaErrorInitializationError;
	if (device.sticky)
		return (cudaError_t)device.sticky;
	device.used = true;
	result = device_enter();
	if (!result)
		result = pinning_renew();
	return cudart_error(result);
}

cudaError_t cudart_leave(const char *call, cudaError_t result)
{
	uint32_t line = 0;

	if (result && device.host->caller_line)
		line = device.host->caller_line();
	range_report_leave(call, result, line);
	if (device.driver && device.driver->extension)
		device.driver->extension->set_call(NULL);
	device.host->leave_library();
	if (result)
		call_errors_record(call, result, line);
	return result;
}

bool cudart_is_device(const void *p)
{
	return address_in_device((uintptr_t)p) || library_memory_reaches((uintptr_t)p, 1);
}

cudaError_t cudart_check_range(const void *p, size_t size)
{
	if (!p && size)
		return cudaErrorInvalidValue;
	if (!cudart_is_device(p) || !size || ledger_holds((uintptr_t)p, size) ||
	    library_memory_reaches((uintptr_t)p, size))
		return cudaSuccess;
	range_report_note((uintptr_t)p, size);
	return cudaErrorInvalidValue;
}

cudaError_t cudart_before_write(const void *p, size_t size)
{
	cudaError_t result = cudart_check_range(p, size);
	struct session_buffer *b;

	if (result || !cudart_is_device(p) || !size)
		return result;
	b = ledger_find((uintptr_t)p);
	/* Memory of libraries is put back by nobody. */
	return b ? cudart_error(preimage_save(b)) : cudaSuccess;
}

cudaError_t cudart_stream(cudaStream_t stream, CUstream *ret)
{
	cudaError_t result = capture_check_stream(stream);

	return result ? result : cudart_error(handles_stream(stream, ret));
}
