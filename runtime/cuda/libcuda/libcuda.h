/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA driver as libraries and cells reach it: libcgpu-shim.so stands before it under its name
 * (libcuda-shim.c), and its functions come here. So what cuBLAS or a cell takes by itself is
 * counted against the cap (held.h), buffers of the session are saved before a library writes there,
 * and nobody destroys what the session lies in.
 */
#ifndef CGPU_RUNTIME_CUDA_LIBCUDA_LIBCUDA_H
#define CGPU_RUNTIME_CUDA_LIBCUDA_LIBCUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

#include "runtime/cuda/driver/libcuda-find.h"
#include "runtime/cuda/libcuda/libcuda-shim.h"

struct buffer;
struct error;

/* Load the libraries that stand before the driver, from this folder, before any other library.
 * Once. */
int libcuda_load(const char *folder, struct error *err);
bool libcuda_is_loaded(void);
/* Is this file the driver, or called as it is? Then whoever opens it is to get LIBCUDA_NAME, unless
 * it is this thread. */
bool libcuda_is_driver(const char *path);
extern _Thread_local bool libcuda_opens_driver;
/* From here on calls reach the chosen driver; handle: of dlopen(). path: its file. */
void libcuda_attach(void *handle, const char *path);
/* cuGetProcAddress() of the chosen driver, with our function in place of one of its own where we
 * stand before it. */
CUresult libcuda_proc_address(const char *name, void **ret, int version, cuuint64_t flags,
			      CUdriverProcAddressQueryResult *ret_status);
/* At the end of a cell: what has changed without a call. */
void libcuda_settle(void);

/* ---- for the files libcuda-*.c ---- */

/* A function that is ours instead of the driver's; the tables end with function NULL. */
struct libcuda_guard {
	enum libcuda_number number;
	void *function;
};
#define LIBCUDA_GUARD(symbol, function) { LIBCUDA_##symbol, (void *)function }

extern const struct libcuda_guard libcuda_memory_guards[], libcuda_vmm_guards[],
	libcuda_graph_guards[], libcuda_handle_guards[], libcuda_launch_guards[];

/* Those of struct libcuda_hooks. */
int libcuda_stream_argument(long *argument);
int libcuda_event_argument(long *argument);
int libcuda_config_argument(long *argument);

/* The driver's functions by number; NULL: it has none. */
extern void *libcuda_real[LIBCUDA_COUNT];
#define LIBCUDA_REAL(number, type) ((__typeof__(type) *)libcuda_real[number])

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
