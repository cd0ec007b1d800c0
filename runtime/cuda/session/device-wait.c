/* SPDX-License-Identifier: Apache-2.0 */
/* An event behind what a stream holds says when that is done, whatever comes into the stream
 * meanwhile. */
#include "runtime/cuda/session/device-wait.h"

#include <stdbool.h>
#include <time.h>

#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/session/handles.h"

#define PAUSE_NS 20000
#define PAUSE_MAX_NS 1000000

static bool asks(void)
{
	return !device.driver->extension && !device_in_cell_thread() && device.host->hold_thread;
}

void device_wait_begin(void)
{
	if (device_in_cell_thread())
		device.host->enter_device();
	else if (device.driver->extension && device.host->release_thread)
		device.host->release_thread();
}

void device_wait_end(void)
{
	if (device_in_cell_thread())
		device.host->leave_device();
	else if (device.driver->extension && device.host->hold_thread)
		device.host->hold_thread();
}

/* Anything but NOT_READY that the question has for an answer. */
static CUresult ask(CUresult (*query)(void *what), void *what)
{
	const bool holds_thread = device.host->hold_thread && !device_in_cell_thread();
	struct timespec pause = { 0, PAUSE_NS };
	CUresult result;

	while ((result = query(what)) == CUDA_ERROR_NOT_READY) {
		if (holds_thread)
			device.host->release_thread();
		nanosleep(&pause, NULL);
		if (holds_thread)
			device.host->hold_thread();
		if (pause.tv_nsec < PAUSE_MAX_NS)
			pause.tv_nsec *= 2;
	}
	return result;
}

static CUresult query_event(void *event)
{
	return device.driver->cuEventQuery((CUevent)event);
}

static CUresult query_streams(void *device_number)
{
	CUresult result;

	device_lock();
	result = handles_query_all(*(const int *)device_number);
	device_unlock();
	return result;
}

CUresult device_wait_streams(int device_number)
{
	return ask(query_streams, &device_number);
}

void device_wait_stream(CUstream s)
{
	CUevent event;

	if (!asks() || device.driver->cuEventCreate(&event, CU_EVENT_DISABLE_TIMING))
		return;
	if (!device.driver->cuEventRecord(event, s))
		ask(query_event, event);
	device.driver->cuEventDestroy(event);
}

void device_wait_context(void)
{
	if (asks())
		device_wait_streams(device_current());
}

void device_wait_event(CUevent e)
{
	if (asks())
		ask(query_event, e);
}

/* The wait itself, in the thread in which it is. */
#define SYNCHRONIZED(before, call)                                                                 \
	({                                                                                         \
		CUresult result_;                                                                  \
                                                                                                   \
		before;                                                                            \
		device_wait_begin();                                                               \
		result_ = (call);                                                                  \
		device_wait_end();                                                                 \
		result_;                                                                           \
	})

CUresult device_synchronize_stream(CUstream s)
{
	return SYNCHRONIZED(device_wait_stream(s), device.driver->cuStreamSynchronize(s));
}

CUresult device_synchronize_context(void)
{
	return SYNCHRONIZED(device_wait_context(), device.driver->cuCtxSynchronize());
}

CUresult device_synchronize_event(CUevent e)
{
	return SYNCHRONIZED(device_wait_event(e), device.driver->cuEventSynchronize(e));
}

CUresult device_synchronize_all(void)
{
	int before = device_current();
	CUresult result = CUDA_SUCCESS;

	for (int i = 0; i < device.count && !result; i++)
		if (device.contexts[i].handle && !(result = device_switch(i)))
			result = device_synchronize_context();
	device_switch(before);
	return result;
}
