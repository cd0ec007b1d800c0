/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contexts, the device of each thread, the lock over the session's tables, and the first error that
 * ends the device. All of the CUDA side stands on this; what it has to tell those above goes by
 * device.callbacks.
 */
#include "runtime/cuda/driver/device-state.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/cuda/cuda-fault.h"
#include "runtime/cuda/driver/cuda-error.h"

struct device device = { .contexts_lock = PTHREAD_MUTEX_INITIALIZER,
			 .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local struct {
	int current;       /* its device */
	CUcontext entered; /* that the driver has for it */
} thread;

CUresult device_note(CUresult result)
{
	int well = 0;

	if (cuda_fault_kind((int)result) != CUDA_FAULT_RECOVERABLE &&
	    atomic_compare_exchange_strong(&device.sticky, &well, (int)result))
		device.callbacks->ended(result);
	return result;
}

/* A context takes memory and time, so a device has none before it is used. */
static CUresult retain(int ordinal)
{
	CUcontext *handle = &device.contexts[ordinal].handle;
	CUresult result = CUDA_SUCCESS;

	if (*handle)
		return CUDA_SUCCESS;
	pthread_mutex_lock(&device.contexts_lock);
	if (!*handle)
		result = device.driver->cuDevicePrimaryCtxRetain(handle, ordinal);
	if (result && device.callbacks->context_refused(result))
		result = device.driver->cuDevicePrimaryCtxRetain(handle, ordinal);
	pthread_mutex_unlock(&device.contexts_lock);
	return result;
}

CUresult device_enter(void)
{
	const struct device_context *c = &device.contexts[thread.current];
	CUresult result = device.count ? retain(thread.current) : device.unusable;

	if (!result && thread.entered != c->handle)
		result = device.driver->cuCtxSetCurrent(c->handle);
	if (!result)
		thread.entered = c->handle;
	return result;
}

void device_context_changed(void)
{
	thread.entered = NULL;
}

bool device_in_cell_thread(void)
{
	return pthread_equal(pthread_self(), device.cell_thread);
}

void device_begin_cells(int ordinal)
{
	thread.current = ordinal;
	device.cell_thread = pthread_self();
}

int device_current(void)
{
	return thread.current;
}

CUresult device_switch(int ordinal)
{
	thread.current = ordinal;
	return device_enter();
}

void device_lock(void)
{
	if (device.host->enter_tables)
		device.host->enter_tables();
	pthread_mutex_lock(&device.lock);
}

void device_unlock(void)
{
	pthread_mutex_unlock(&device.lock);
	if (device.host->leave_tables)
		device.host->leave_tables();
}

void device_print(bool to_stderr, const char *text, size_t len)
{
	if (device.host->print)
		device.host->print(to_stderr, text, len);
	else
		fwrite(text, 1, len, to_stderr ? stderr : stdout);
}

void device_set_unusable(CUresult result)
{
	device_set_out_of_reach("the device cannot be used: %s (%d). Is it used exclusively by "
				"another process, full, or gone?",
				cuda_error_text(result), (int)result);
	device.unusable = result;
}

void device_set_out_of_reach(const char *format, ...)
{
	va_list args;

	device.usable = false;
	device.unusable = CUDA_ERROR_DEVICE_UNAVAILABLE;
	va_start(args, format);
	vsnprintf(device.info.problem, sizeof(device.info.problem), format, args);
	va_end(args);
}

CUresult device_own_stream(int ordinal, CUstream *ret)
{
	CUstream *own = &device.contexts[ordinal].own_stream;
	CUresult result = CUDA_SUCCESS;

	if (!*own) {
		result = device.driver->cuStreamCreateWithPriority(own, CU_STREAM_NON_BLOCKING, 0);
		if (!result && device.driver->extension)
			device.driver->extension->profile_hide(*own);
	}
	*ret = *own;
	return result;
}
