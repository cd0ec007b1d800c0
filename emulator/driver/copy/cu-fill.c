/* SPDX-License-Identifier: Apache-2.0 */
/* Driver API: cuMemset* in one and two dimensions, elements of 1, 2 and 4 bytes, in the stream's
 * order. */
#include <string.h>

#include "emulator/driver/copy/sparse-copy.h"
#include "emulator/driver/device/memory.h"
#include "emulator/driver/stream/cu-profile.h"
#include "emulator/driver/stream/cu-stream.h"

static void fill_row(char *at, uint32_t value, size_t element, size_t n)
{
	if (element == 1) {
		memset(at, (int)value, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		memcpy(at + i * element, &value, element);
}

struct rows {
	char *bytes;
	uint64_t dst;
	size_t pitch, element, width, height;
	uint32_t value;
};

static void run_rows(void *data)
{
	const struct rows *r = data;
	uint64_t start = cu_profile_start();

	if (gpu_is_dead())
		return;
	for (size_t y = 0; y < r->height; y++) {
		if (r->value || !sparse_clear(r->dst + y * r->pitch, r->bytes + y * r->pitch,
					      r->width * r->element))
			fill_row(r->bytes + y * r->pitch, r->value, r->element, r->width);
		memory_written(r->dst + y * r->pitch, r->width * r->element);
	}
	cu_profile_note(start, SPAN_FILL, "fill", r->element * r->width * r->height);
}

static CUresult fill(const char *name, CUstream stream, uint64_t dst, size_t pitch, uint32_t value,
		     size_t element, size_t width, size_t height)
{
	CUresult result = gpu_enter(name, GPU_CALL_ASYNC);
	struct queue *q = cu_stream_queue(stream);
	struct rows r = { NULL, dst, pitch, element, width, height, value };
	CUgraphNodeParams params = { .type = CU_GRAPH_NODE_TYPE_MEMSET };

	if (result)
		return result;
	if (!q)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!width || !height)
		return CUDA_SUCCESS;
	if (dst % element || (height > 1 && (pitch < width * element || pitch % element)))
		return CUDA_ERROR_INVALID_VALUE;
	if (capture_is_on(stream)) {
		params.memset =
			(CUDA_MEMSET_NODE_PARAMS_v2){ dst,   pitch,  value, (unsigned)element,
						      width, height, NULL };
		return capture_add(stream, &params);
	}
	r.bytes = memory_bytes(dst, (height - 1) * pitch + width * element, true);
	return r.bytes ? queue_do(q, run_rows, &r, sizeof(r)) : CUDA_ERROR_INVALID_VALUE;
}

/* A family member: FILL(suffix, type of an element). The four functions of the manual for one
 * element size. */
#define FILL(suffix, type)                                                                         \
	CUresult cuMemset##suffix(CUdeviceptr dst, type value, size_t n)                           \
	{                                                                                          \
		return fill("cuMemset" #suffix, NULL, dst, 0, value, sizeof(type), n, 1);          \
	}                                                                                          \
	CUresult cuMemset##suffix##Async(CUdeviceptr dst, type value, size_t n, CUstream stream)   \
	{                                                                                          \
		return fill("cuMemset" #suffix "Async", stream, dst, 0, value, sizeof(type), n,    \
			    1);                                                                    \
	}
#define FILL_2D(suffix, type)                                                                      \
	CUresult cuMemsetD2##suffix(CUdeviceptr dst, size_t pitch, type value, size_t width,       \
				    size_t height)                                                 \
	{                                                                                          \
		return fill("cuMemsetD2" #suffix, NULL, dst, pitch, value, sizeof(type), width,    \
			    height);                                                               \
	}                                                                                          \
	CUresult cuMemsetD2##suffix##Async(CUdeviceptr dst, size_t pitch, type value,              \
					   size_t width, size_t height, CUstream stream)           \
	{                                                                                          \
		return fill("cuMemsetD2" #suffix "Async", stream, dst, pitch, value, sizeof(type), \
			    width, height);                                                        \
	}

FILL(D8, unsigned char)
FILL(D16, unsigned short)
FILL(D32, unsigned int)
FILL_2D(D8, unsigned char)
FILL_2D(D16, unsigned short)
FILL_2D(D32, unsigned int)
