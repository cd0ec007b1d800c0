/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chapters of the CUDA runtime API share what is here. A function of the API is
 *
 *	cudaError_t cudaFree(void *p)
 *	{
 *		return CUDART_CALL(free_device(p));
 *	}
 *
 * CUDART_CALL makes the context current, keeps malloc() of the cell out of the driver, and records
 * the result for cudaGetLastError() and for the warning about errors that nobody asked about.
 */
#ifndef CGPU_RUNTIME_CUDA_CUDART_CUDART_H
#define CGPU_RUNTIME_CUDA_CUDART_CUDART_H

#include <stdbool.h>

#include <cuda_runtime_api.h>

#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/memory/ledger.h"
#include "runtime/cuda/session/device-wait.h"

/* cudaSuccess when the call may go on; always followed by cudart_leave(). */
cudaError_t cudart_enter(const char *call);
cudaError_t cudart_leave(const char *call, cudaError_t result);

#define CUDART_CALL(expression)                                                                    \
	({                                                                                         \
		cudaError_t result_ = cudart_enter(__func__);                                      \
                                                                                                   \
		if (!result_)                                                                      \
			result_ = (expression);                                                    \
		cudart_leave(__func__, result_);                                                   \
	})

/* The runtime's code for a result of the driver; notes a sticky one. Their values are the same. */
static inline cudaError_t cudart_error(CUresult result)
{
	return (cudaError_t)device_note(result);
}

/* A driver call that may wait for the device. */
#define CUDART_WAIT(call)                                                                          \
	({                                                                                         \
		CUresult waited_;                                                                  \
                                                                                                   \
		device_wait_begin();                                                               \
		waited_ = (call);                                                                  \
		device_wait_end();                                                                 \
		cudart_error(waited_);                                                             \
	})

/*
 * The request of an allocation has its name and line from cgpu_note() of this thread, which is
 * forgotten when it has been used. r.name is valid until then.
 */
struct ledger_request cudart_request(const char *call, size_t size, enum buffer_kind kind);
void cudart_forget_note(void);

/* The device's side of a buffer is about to be written: bounds, then the pre-image. */
cudaError_t cudart_before_write(const void *p, size_t size);
/* cudaErrorInvalidValue when a device address is not [p, p + size) of one live buffer; host
 * addresses pass. */
cudaError_t cudart_check_range(const void *p, size_t size);
/* An address of the device window, whether it is in a live buffer or not. */
bool cudart_is_device(const void *p);

/*
 * One side of a copy of `kind`: [p, p + size) lies where that kind says, in one buffer, and is
 * saved if it is written. device.lock is held.
 */
cudaError_t cudart_prepare_side(const void *p, size_t size, enum cudaMemcpyKind kind, bool written);

static inline bool cudart_has_device(int ordinal)
{
	return ordinal >= 0 && ordinal < device.count;
}

/* Before a copy between devices that is in order with their default streams.
 * cudaErrorInvalidDevice: there is none. */
cudaError_t cudart_wait_peers(int dst_device, int src_device);

static inline bool cudart_is_access_order(enum cudaMemcpySrcAccessOrder order)
{
	return order >= cudaMemcpySrcAccessOrderStream && order <= cudaMemcpySrcAccessOrderAny;
}

/* Behind a batch of copies: with sources that must not be read when the call is over it waits. */
cudaError_t cudart_end_batch(bool during_call, cudaStream_t stream);

/* cudaFree() and cudaMemset2DAsync() without entering and leaving. */
cudaError_t cudart_free_device(void *p);
cudaError_t cudart_register_host(void *p, size_t size);
cudaError_t cudart_unregister_host(void *p);
cudaError_t cudart_fill_2d(void *p, size_t pitch, int value, size_t width, size_t height,
			   cudaStream_t stream);

/* Without entering and leaving, too; a captured stream takes them into its graph. */
cudaError_t cudart_launch(struct session_kernel *kernel, const struct session_launch *l,
			  void **args, cudaStream_t stream);
cudaError_t cudart_launch_host(cudaStream_t stream, cudaHostFn_t fn, void *data);
cudaError_t cudart_copy_async(void *dst, const void *src, size_t size, enum cudaMemcpyKind kind,
			      cudaStream_t stream);
cudaError_t cudart_copy_3d(const struct cudaMemcpy3DParms *p, bool async, cudaStream_t stream);
cudaError_t cudart_fill(const struct cudaMemsetParams *p, cudaStream_t stream);
cudaError_t cudart_record_event(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudart_wait_event(cudaStream_t stream, cudaEvent_t event);

/* User objects that nobody has any more: their functions are called. Without device.lock. */
cudaError_t cudart_end_objects(void);

/* A variable by its stand-in on the host; the bytes [offset, offset + size) of it. */
cudaError_t cudart_symbol_range(const void *symbol, size_t offset, size_t size, void **ret);

cudaError_t cudart_stream(cudaStream_t stream, CUstream *ret);

/* A function of the cell that a stream is to call: in a thread of the driver, as code of the cell.
 * One of both is set. */
struct cudart_host_call {
	cudaHostFn_t fn;
	cudaStreamCallback_t callback;
	cudaStream_t stream;
	cudaError_t status;
	void *data;
};
/* A copy, from malloc(); NULL: no memory. cudart_call_host() frees it. */
struct cudart_host_call *cudart_host_call(const struct cudart_host_call *c);
void cudart_call_host(void *call);

#endif
