/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What objects made by nvcc call: constructors register their device code, with the host's
 * stand-ins for kernels and variables, and stubs of kernels launch. The prototypes are those of
 * <crt/host_runtime.h>, which only nvcc can read.
 *
 * A handle of a fat binary or a kernel lives in the session's memory for good, so it is an address
 * of the unit: that of the wrapper, and that of the stub.
 */
#ifndef CGPU_RUNTIME_CUDA_CODE_REGISTRATION_H
#define CGPU_RUNTIME_CUDA_CODE_REGISTRATION_H

#include <cuda_runtime_api.h>

struct buffer;
struct error;

/* The PTX in a fat binary or in the wrapper of one, for the current device, as one text. */
int registration_ptx(const void *image, struct buffer *ret, struct error *err);

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *stub, char *function, const char *name,
			    int thread_limit, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid,
			    int *warp_size);
void __cudaRegisterVar(void **handle, char *stand_in, char *address, const char *name,
		       int is_extern, size_t size, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **pointer, char *address, const char *name,
			      int is_extern, size_t size, int constant, int global);
char __cudaInitModule(void **handle);

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
				     struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *ret, const void *stub);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
			       size_t shared, cudaStream_t stream);

#endif
