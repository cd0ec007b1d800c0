/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams and events as cells hold them: pointers to structs in session memory, so a handle in a
 * variable means the same after a recovery. The driver's object behind it is made again, on its
 * device, when it is first used in another worker.
 */
#ifndef CGPU_RUNTIME_CUDA_SESSION_HANDLES_H
#define CGPU_RUNTIME_CUDA_SESSION_HANDLES_H

#include <stdbool.h>

#include <cuda.h>
#include <driver_types.h>

CUresult handles_stream_new(unsigned flags, int priority, cudaStream_t *ret);
CUresult handles_stream_free(cudaStream_t stream);
/* The driver's stream; the default streams pass. INVALID_HANDLE for anything else. */
CUresult handles_stream(cudaStream_t stream, CUstream *ret);
/* Its device; of a default stream the thread's. */
int handles_stream_device(cudaStream_t stream);
CUresult handles_stream_info(cudaStream_t stream, unsigned *ret_flags, int *ret_priority);

CUresult handles_event_new(unsigned flags, cudaEvent_t *ret);
CUresult handles_event_free(cudaEvent_t event);
CUresult handles_event(cudaEvent_t event, CUevent *ret);

/* Handles that the driver API has made in this worker are good for the functions above, too, as
 * long as they are not forgotten. */
struct handles_driver {
	void *handle; /* CUstream or CUevent */
	bool is_event;
	unsigned flags;
	int priority, device;
};
void handles_note_driver(const struct handles_driver *d);
void handles_forget_driver(void *handle, bool is_event);

/* NOT_READY while any stream of a device in this worker is busy (-1: of all devices), else the
 * first error. */
CUresult handles_query_all(int device_number);
/* All streams and events of a device go, as after cudaDeviceReset(). */
void handles_reset(int ordinal);

#endif
