/* SPDX-License-Identifier: Apache-2.0 */
/* An event behind what a stream holds says when that is done, whatever comes into the stream meanwhile. */
#include "runtime/cuda/device-wait.h"

#include <stdbool.h>
#include <time.h>

#include "runtime/cuda/device-state.h"
#include "runtime/cuda/handles.h"

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

static void ask(CUresult (*is_done)(void *what), void *what)
{
	struct timespec pause = { 0, PAUSE_NS };

	while (is_done(what) == CUDA_ERROR_NOT_READY) {
		device.host->release_thread();
		nanosleep(&pause, NULL);
		device.host->hold_thread();
		if (pause.tv_nsec < PAUSE_MAX_NS)
			pause.tv_nsec *= 2;
	}
}

static CUresult query_event(void *event)
{
	return device.driver->cuEventQuery((CUevent)event);
}

static CUresult query_context(void *unused)
{
	CUresult result;

	(void)unused;
	device_lock();
	result = handles_query_all(device_current());
	device_unlock();
	return result;
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
		ask(query_context, NULL);
}

void device_wait_event(CUevent e)
{
	if (asks())
		ask(query_event, e);
}
