/* SPDX-License-Identifier: Apache-2.0 */
/* Driver API: cuMemset* in one and two dimensions, elements of 1, 2 and 4 bytes. */
#include <string.h>

#include "emulator/driver/memory.h"

static void fill_row(char *at, uint32_t value, size_t element, size_t n)
{
	if (element == 1) {
		memset(at, (int)value, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		memcpy(at + i * element, &value, element);
}

static CUresult fill(const char *name, enum gpu_call kind, uint64_t dst, size_t pitch, uint32_t value, size_t element,
		     size_t width, size_t height)
{
	CUresult result = gpu_enter(name, kind);
	char *bytes;

	if (result || !width || !height)
		return result;
	if (dst % element || (height > 1 && (pitch < width * element || pitch % element)))
		return CUDA_ERROR_INVALID_VALUE;
	bytes = memory_bytes(dst, (height - 1) * pitch + width * element, true);
	if (!bytes)
		return CUDA_ERROR_INVALID_VALUE;
	if (gpu.pending || gpu.hung)
		return CUDA_SUCCESS;
	for (size_t y = 0; y < height; y++)
		fill_row(bytes + y * pitch, value, element, width);
	return CUDA_SUCCESS;
}

/* A family member: FILL(suffix, type of an element). The four functions of the manual for one element size. */
#define FILL(suffix, type)                                                                                     \
	CUresult cuMemset##suffix(CUdeviceptr dst, type value, size_t n)                                       \
	{                                                                                                      \
		return fill("cuMemset" #suffix, GPU_CALL_ASYNC, dst, 0, value, sizeof(type), n, 1);            \
	}                                                                                                      \
	CUresult cuMemset##suffix##Async(CUdeviceptr dst, type value, size_t n, CUstream stream)               \
	{                                                                                                      \
		(void)stream;                                                                                  \
		return fill("cuMemset" #suffix "Async", GPU_CALL_ASYNC, dst, 0, value, sizeof(type), n, 1);    \
	}
#define FILL_2D(suffix, type)                                                                                  \
	CUresult cuMemsetD2##suffix(CUdeviceptr dst, size_t pitch, type value, size_t width, size_t height)    \
	{                                                                                                      \
		return fill("cuMemsetD2" #suffix, GPU_CALL_ASYNC, dst, pitch, value, sizeof(type), width,      \
			    height);                                                                           \
	}                                                                                                      \
	CUresult cuMemsetD2##suffix##Async(CUdeviceptr dst, size_t pitch, type value, size_t width,            \
					   size_t height, CUstream stream)                                     \
	{                                                                                                      \
		(void)stream;                                                                                  \
		return fill("cuMemsetD2" #suffix "Async", GPU_CALL_ASYNC, dst, pitch, value, sizeof(type),     \
			    width, height);                                                                    \
	}

FILL(D8, unsigned char)
FILL(D16, unsigned short)
FILL(D32, unsigned int)
FILL_2D(D8, unsigned char)
FILL_2D(D16, unsigned short)
FILL_2D(D32, unsigned int)
