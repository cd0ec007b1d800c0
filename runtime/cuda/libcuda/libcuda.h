/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA driver as libraries and cells reach it: libcgpu-shim.so stands before it under its name
 * (libcuda-shim.c), and its functions come here. So what cuBLAS or a cell takes by itself is
 * counted against the cap (library-memory.h), buffers of the session are saved before a library
 * writes there, and nobody destroys what the session lies in.
 */
#ifndef CGPU_RUNTIME_CUDA_LIBCUDA_LIBCUDA_H
#define CGPU_RUNTIME_CUDA_LIBCUDA_LIBCUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

#include "runtime/cuda/driver/libcuda-find.h"

struct buffer;
struct error;

/* The thread is opening these for ourselves, and gets no library that stands before them. */
struct libcuda_thread {
	bool opens_driver, opens_nvml;
};
extern _Thread_local struct libcuda_thread libcuda_thread;

/* Load the libraries that stand before the driver, from this folder, before any other library.
 * Once. */
int libcuda_load(const char *folder, struct error *err);
bool libcuda_is_loaded(void);
/* Is this file the driver, or called as it is? Then whoever opens it is to get LIBCUDA_NAME, unless
 * it is this thread. */
bool libcuda_is_driver(const char *path);
/* From here on calls reach the chosen driver, device.driver; handle: of dlopen(). */
void libcuda_attach(void *handle);
/* cuGetProcAddress() of the chosen driver, with our function in place of one of its own where we
 * stand before it. */
CUresult libcuda_proc_address(const char *name, void **ret, int version, cuuint64_t flags,
			      CUdriverProcAddressQueryResult *ret_status);
/* At the end of a cell: what has changed without a call. */
void libcuda_settle(void);

#endif
