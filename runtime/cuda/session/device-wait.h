/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of the driver that wait for the device.
 *
 * For a commit all threads but the cell's own are stopped by a signal, wherever they are, and then
 * memory is given back to the driver. Its locks are not ours: a thread that is stopped inside of it
 * may have one. So a thread in a call of the driver is held (threads_hold() in
 * runtime/process/threads.h) until it has come out. A wait can take for ever, and is not held:
 *	- in the cell's own thread, which stops the others, it is a phase of the worker, and an
 *	  interrupt can end it;
 *	- with the emulated driver it is a call whose locks are under the same rule (set_threads()
 *	  in emulator-extension.h);
 *	- on a GPU, in another thread, it is asked again and again whether the device has come so
 *	  far, and the thread is held only
 *	  while it asks. The call behind that has nothing left to wait for.
 */
#ifndef CGPU_RUNTIME_CUDA_SESSION_DEVICE_WAIT_H
#define CGPU_RUNTIME_CUDA_SESSION_DEVICE_WAIT_H

#include <cuda.h>

/* Around the call itself. */
void device_wait_begin(void);
void device_wait_end(void);

/*
 * Before it. On a GPU, in a thread beside the cell's: until what is now in this stream, or in all
 * streams of the current device, is done, or this event has happened. An error of the driver ends
 * the wait, and the call will have it, too.
 */
void device_wait_stream(CUstream s);
void device_wait_context(void);
void device_wait_event(CUevent e);

/* All of it: before, around and the driver's own call. */
CUresult device_synchronize_stream(CUstream s);
CUresult device_synchronize_context(void);
CUresult device_synchronize_event(CUevent e);
/* All devices have done what they had to. */
CUresult device_synchronize_all(void);

/*
 * Ask until no stream of a device in this worker is busy (-1: of all devices), in whatever thread
 * and with whatever driver. Their first error.
 */
CUresult device_wait_streams(int device_number);

#endif
