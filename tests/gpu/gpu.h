/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver API by dlopen, and one opened GPU, for check-gpu. Everything here but gpu_load() runs
 * in a child process: the parent must stay free of CUDA, since nothing that was initialised
 * survives a fork.
 */
#ifndef CGPU_TESTS_GPU_GPU_H
#define CGPU_TESTS_GPU_GPU_H

#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

#define GPU_FUNCTIONS(F)                                                                           \
	F(cuInit)                                                                                  \
	F(cuDriverGetVersion)                                                                      \
	F(cuGetErrorName)                                                                          \
	F(cuGetProcAddress)                                                                        \
	F(cuDeviceGet)                                                                             \
	F(cuDeviceGetCount)                                                                        \
	F(cuDeviceGetName)                                                                         \
	F(cuDeviceTotalMem)                                                                        \
	F(cuDeviceGetAttribute)                                                                    \
	F(cuDevicePrimaryCtxRetain)                                                                \
	F(cuCtxSetCurrent)                                                                         \
	F(cuCtxSynchronize)                                                                        \
	F(cuCoredumpSetAttributeGlobal)                                                            \
	F(cuModuleLoadData)                                                                        \
	F(cuModuleLoadDataEx)                                                                      \
	F(cuModuleUnload)                                                                          \
	F(cuLinkCreate)                                                                            \
	F(cuLinkAddData)                                                                           \
	F(cuLinkAddFile)                                                                           \
	F(cuLinkComplete)                                                                          \
	F(cuModuleGetFunction)                                                                     \
	F(cuModuleGetGlobal)                                                                       \
	F(cuLaunchKernel)                                                                          \
	F(cuStreamQuery)                                                                           \
	F(cuMemAlloc)                                                                              \
	F(cuMemFree)                                                                               \
	F(cuMemsetD8)                                                                              \
	F(cuMemcpyDtoH)                                                                            \
	F(cuMemcpyDtoDAsync)                                                                       \
	F(cuMemcpy)                                                                                \
	F(cuMemGetInfo)                                                                            \
	F(cuMemHostRegister)                                                                       \
	F(cuMemHostUnregister)                                                                     \
	F(cuMemAddressReserve)                                                                     \
	F(cuMemAddressFree)                                                                        \
	F(cuMemCreate)                                                                             \
	F(cuMemRelease)                                                                            \
	F(cuMemMap)                                                                                \
	F(cuMemUnmap)                                                                              \
	F(cuMemSetAccess)                                                                          \
	F(cuMemExportToShareableHandle)                                                            \
	F(cuMemImportFromShareableHandle)

/* cu.cuInit(0) and so on; the names carry the versions that cuda.h gives them. */
struct gpu_driver {
#define MEMBER(name) __typeof__(name) *name;
	GPU_FUNCTIONS(MEMBER)
#undef MEMBER
};

extern struct gpu_driver cu;

/* Find the driver; NULL, or what is missing. */
const char *gpu_load(const char *library);
/* What dlsym() finds in it under a name; NULL: nothing. */
void *gpu_symbol(const char *name);

/* What a child tells its parent; in shared memory, so that it outlives the child. */
struct gpu_report {
	char failed[64]; /* the call that failed, "" if none */
	int code;        /* its CUresult */
	uint64_t count;
	double figure[8];
	char text[256];
};

extern struct gpu_report *gpu_report;

/* A call that must succeed for the experiment to mean anything: otherwise the child ends with the
 * reason. */
#define GPU_TRY(call) gpu_try(#call, (call))
void gpu_try(const char *call, CUresult code);

/* cuInit, device 0, its primary context, the entries. figure[0] and [1]: milliseconds for cuInit
 * and context. */
void gpu_open(void);

/* The same, with addresses from DEVICE_BASE on that are reserved before the context is made, as
 * workers do it: behind it a driver may take small reservations from what it has elsewhere. Where
 * they are. */
CUdeviceptr gpu_open_at(size_t size);

/* Launch an entry with up to three 64-bit parameters; the CUresult of the launch itself. */
CUresult gpu_launch(const char *entry, unsigned ctas, unsigned threads, uint64_t a, uint64_t b,
		    uint64_t c);

/* Launch over the n words at p and wait; the number that a count_* entry counted. */
uint64_t gpu_over_words(const char *entry, CUdeviceptr p, uint64_t n);

/* Physical memory that can be passed to another process, or the same imported from fd. */
CUmemGenericAllocationHandle gpu_create(size_t size);
CUmemGenericAllocationHandle gpu_import(int fd);
int gpu_export(CUmemGenericAllocationHandle handle);
void gpu_access(CUdeviceptr at, size_t size, CUmemAccess_flags flags);

/* Milliseconds on a clock that only grows. */
double gpu_now(void);

#endif
