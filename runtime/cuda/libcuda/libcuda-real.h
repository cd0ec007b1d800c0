/* SPDX-License-Identifier: Apache-2.0 */
/* The chosen driver behind the functions of libcuda-*.c that stand before it, and what these share.
 */
#ifndef CGPU_RUNTIME_CUDA_LIBCUDA_LIBCUDA_REAL_H
#define CGPU_RUNTIME_CUDA_LIBCUDA_LIBCUDA_REAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <cuda.h>

#include "runtime/cuda/libcuda/libcuda-shim.h"

/* A function that is ours instead of the driver's; the tables end with function NULL. */
struct libcuda_guard {
	enum libcuda_number number;
	void *function;
};
#define LIBCUDA_GUARD(symbol, function) { LIBCUDA_##symbol, (void *)function }

extern const struct libcuda_guard libcuda_memory_guards[], libcuda_vmm_guards[],
	libcuda_graph_guards[], libcuda_handle_guards[], libcuda_launch_guards[];

/* The functions of struct libcuda_hooks that exchange handles. */
int libcuda_stream_argument(long *argument);
int libcuda_event_argument(long *argument);
int libcuda_config_argument(long *argument);

/* The library before the driver, and the driver behind it, in this process. */
struct libcuda {
	struct libcuda_shim *shim; /* NULL: none is loaded */
	void *real[LIBCUDA_COUNT]; /* the driver's functions by number; NULL: it has none */
	pid_t owner;               /* the process that has initialised the driver; 0: none has */
	pthread_mutex_t load_lock; /* what a module takes is measured: one is loaded at a time */
	atomic_flag told_old, told_foreign, told_reset; /* why functions are refused */
};
extern struct libcuda libcuda;
#define LIBCUDA_REAL(number, type) ((__typeof__(type) *)libcuda.real[number])

/*
 * Device memory of the session may be written by the call that comes: what it may write is saved.
 * arguments() saves what the arguments point to, and tells whether it knows them; NULL: nothing is
 * known of the call. The context stays the caller's.
 */
CUresult libcuda_save(CUresult (*arguments)(void *data, bool *ret_known), void *data);
/* Registered host memory is the driver's again, before it is asked about an address. The context
 * stays the caller's. */
CUresult libcuda_renew_pinning(void);
/* The device of the thread's context; an error is the driver's, for the caller. */
CUresult libcuda_device(int *ret);
/* Bytes that a request of so many takes. */
uint64_t libcuda_cost(uint64_t bytes);
/*
 * cuMemAllocAsync() or its kin on a stream that is captured: a memory node of the graph. `call` as
 * in libcuda-memory.c.
 */
typedef CUresult libcuda_async_fn(CUdeviceptr *ret, size_t size, CUmemoryPool pool, CUstream s,
				  bool per_thread);
CUresult libcuda_captured(int device, size_t size, CUstream s, bool per_thread,
			  libcuda_async_fn *call, CUdeviceptr *ret);

#endif
