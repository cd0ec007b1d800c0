/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver API: copies. What a copy touches is looked up when it is asked for; the bytes are copied
 * in the stream's order, at once when nothing is before it. After a fault or behind a launch that
 * never ends work is dropped, as a dead device would never do it.
 */
#include <string.h>

#include "common/memory/address-map.h"
#include "emulator/driver/copy/sparse-copy.h"
#include "emulator/driver/device/context.h"
#include "emulator/driver/device/memory.h"
#include "emulator/driver/memory/cu-array.h"
#include "emulator/driver/memory/findings.h"
#include "emulator/driver/stream/cu-profile.h"
#include "emulator/driver/stream/cu-stream.h"

/* Whether the call may come back before the bytes are copied. */
enum copy_end { COPY_WAIT, COPY_ASYNC };

/* The place where the host finds the bytes; NULL when the range is no memory. */
static void *resolve(uint64_t address, size_t size, bool write)
{
	if (memory_is_device(address))
		return memory_bytes(address, size, write);
	return (void *)(uintptr_t)address;
}

struct bytes {
	void *to;
	const void *from;
	size_t size;
	const char *what; /* for a profile */
	const char *name; /* of the call; NULL: nobody looks at what is copied to the host */
	uint64_t dst, src;
};

static const char *direction(uint64_t dst, uint64_t src)
{
	if (address_in_device(dst))
		return address_in_device(src) ? "copy on the device" : "copy to the device";
	return address_in_device(src) ? "copy to the host" : "copy on the host";
}

static void run_bytes(void *data)
{
	const struct bytes *b = data;
	uint64_t start = cu_profile_start();

	if (gpu_is_dead())
		return;
	if (b->name && !memory_is_device(b->dst))
		findings_host_read(b->name, b->src, b->size);
	if (!sparse_copy(b->dst, b->to, b->src, b->from, b->size))
		memmove(b->to, b->from, b->size);
	memory_copied(b->dst, b->src, b->size);
	cu_profile_note(start, SPAN_COPY, b->what, b->size);
}

/* Host memory that the driver has not been told of. */
static bool is_pageable(uint64_t address)
{
	struct mapping m;

	return !memory_is_device(address) && !memory_find_mapping(address, &m);
}

/*
 * The result of a call whose copy is queued. The driver stages pageable memory: the caller may
 * use it at once ("API synchronization behavior" of the manual), so also an asynchronous copy has
 * ended then.
 */
static CUresult end_copy(CUresult result, struct queue *q, enum copy_end end, uint64_t dst,
			 uint64_t src)
{
	if (result || (end == COPY_ASYNC && !is_pageable(dst) && !is_pageable(src)))
		return result;
	return cu_stream_wait(q);
}

static CUresult copy(const char *name, enum copy_end end, CUstream stream, uint64_t dst,
		     uint64_t src, size_t size)
{
	CUresult result = gpu_enter(name, GPU_CALL_ASYNC);
	struct queue *q = cu_stream_queue(stream);
	struct bytes b;

	if (result)
		return result;
	if (!q)
		return CUDA_ERROR_INVALID_HANDLE;
	if (capture_is_on(stream))
		return capture_copy(stream,
				    &(CUDA_MEMCPY3D){ .srcMemoryType = CU_MEMORYTYPE_UNIFIED,
						      .srcDevice = src,
						      .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
						      .dstDevice = dst,
						      .WidthInBytes = size,
						      .Height = 1,
						      .Depth = 1 });
	if (size) {
		b = (struct bytes){ resolve(dst, size, true),
				    resolve(src, size, false),
				    size,
				    direction(dst, src),
				    findings_are_quiet() ? NULL : findings_call(name),
				    dst,
				    src };
		if (!b.to || !b.from)
			return CUDA_ERROR_INVALID_VALUE;
		result = queue_do(q, run_bytes, &b, sizeof(b));
	}
	return end_copy(result, q, end, dst, src);
}

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t size)
{
	return copy("cuMemcpy", COPY_WAIT, NULL, dst, src, size);
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t size, CUstream stream)
{
	return copy("cuMemcpyAsync", COPY_ASYNC, stream, dst, src, size);
}

CUresult cuMemcpyHtoD(CUdeviceptr dst, const void *src, size_t size)
{
	return copy("cuMemcpyHtoD", COPY_WAIT, NULL, dst, (uintptr_t)src, size);
}

CUresult cuMemcpyDtoH(void *dst, CUdeviceptr src, size_t size)
{
	return copy("cuMemcpyDtoH", COPY_WAIT, NULL, (uintptr_t)dst, src, size);
}

CUresult cuMemcpyDtoD(CUdeviceptr dst, CUdeviceptr src, size_t size)
{
	return copy("cuMemcpyDtoD", COPY_ASYNC, NULL, dst, src, size);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr dst, const void *src, size_t size, CUstream stream)
{
	return copy("cuMemcpyHtoDAsync", COPY_ASYNC, stream, dst, (uintptr_t)src, size);
}

CUresult cuMemcpyDtoHAsync(void *dst, CUdeviceptr src, size_t size, CUstream stream)
{
	return copy("cuMemcpyDtoHAsync", COPY_ASYNC, stream, (uintptr_t)dst, src, size);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr dst, CUdeviceptr src, size_t size, CUstream stream)
{
	return copy("cuMemcpyDtoDAsync", COPY_ASYNC, stream, dst, src, size);
}

/* The copy waits for all work that is before it on both devices. */
static CUresult wait_both(const char *name, CUcontext dst, CUcontext src)
{
	CUresult result = gpu_enter(name, GPU_CALL_ASYNC);

	if (result)
		return result;
	if (!context_valid(dst) || !context_valid(src))
		return CUDA_ERROR_INVALID_CONTEXT;
	result = cu_stream_wait(queue_legacy(context_device_of(src)));
	return result ? result : cu_stream_wait(queue_legacy(context_device_of(dst)));
}

CUresult cuMemcpyPeer(CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src,
		      CUcontext src_context, size_t size)
{
	CUresult result = wait_both("cuMemcpyPeer", dst_context, src_context);

	return result ? result : copy("cuMemcpyPeer", COPY_WAIT, NULL, dst, src, size);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src,
			   CUcontext src_context, size_t size, CUstream stream)
{
	if (!context_valid(dst_context) || !context_valid(src_context))
		return CUDA_ERROR_INVALID_CONTEXT;
	return copy("cuMemcpyPeerAsync", COPY_ASYNC, stream, dst, src, size);
}

/* One side of a pitched copy: `base` is its first byte, rows lie `pitch` apart, slices `pitch *
 * height`. */
struct plane {
	uint64_t base;
	size_t pitch;
	size_t slice;
};

static CUresult plane_init(struct plane *p, CUmemorytype type, const void *host, CUdeviceptr device,
			   CUarray array, size_t pitch, size_t rows)
{
	switch (type) {
	case CU_MEMORYTYPE_HOST:
		p->base = (uintptr_t)host;
		break;
	case CU_MEMORYTYPE_DEVICE:
	case CU_MEMORYTYPE_UNIFIED:
		p->base = device;
		break;
	case CU_MEMORYTYPE_ARRAY:
		if (!cu_array_valid(array))
			return CUDA_ERROR_INVALID_HANDLE;
		*p = (struct plane){ array->address, array->pitch, array->slice };
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
	p->pitch = pitch;
	p->slice = pitch * rows;
	return CUDA_SUCCESS;
}

/* Part of an array: from `at` (x in bytes), `size` long. Rows of an array follow each other, so it
 * must be asked. */
static bool inside_array(CUmemorytype type, CUarray a, const size_t at[3], const size_t size[3])
{
	size_t extent[3];

	if (type != CU_MEMORYTYPE_ARRAY)
		return true;
	cu_array_extent(a, extent);
	extent[0] *= cu_array_element(a);
	for (int i = 0; i < 3; i++)
		if (at[i] > extent[i] || size[i] > extent[i] - at[i])
			return false;
	return true;
}

struct block {
	char *to;
	const char *from;
	struct plane dst, src;
	size_t width, height, depth;
	const char *what;
};

static void run_block(void *data)
{
	const struct block *b = data;
	uint64_t start = cu_profile_start();

	if (gpu_is_dead())
		return;
	for (size_t z = 0; z < b->depth; z++)
		for (size_t y = 0; y < b->height; y++) {
			size_t there = z * b->dst.slice + y * b->dst.pitch,
			       here = z * b->src.slice + y * b->src.pitch;

			memmove(b->to + there, b->from + here, b->width);
			memory_copied(b->dst.base + there, b->src.base + here, b->width);
		}
	cu_profile_note(start, SPAN_COPY, b->what, b->width * b->height * b->depth);
}

static CUresult copy_planes(struct queue *q, const struct plane *dst, const struct plane *src,
			    size_t width, size_t height, size_t depth)
{
	struct block b = { .dst = *dst,
			   .src = *src,
			   .width = width,
			   .height = height,
			   .depth = depth,
			   .what = direction(dst->base, src->base) };

	if (!width || !height || !depth)
		return CUDA_SUCCESS;
	if ((height > 1 && (dst->pitch < width || src->pitch < width)))
		return CUDA_ERROR_INVALID_VALUE;
	b.to = resolve(dst->base, (depth - 1) * dst->slice + (height - 1) * dst->pitch + width,
		       true);
	b.from = resolve(src->base, (depth - 1) * src->slice + (height - 1) * src->pitch + width,
			 false);
	if (!b.to || !b.from)
		return CUDA_ERROR_INVALID_VALUE;
	return queue_do(q, run_block, &b, sizeof(b));
}

static CUresult capture_2d(CUstream stream, const CUDA_MEMCPY2D *c)
{
	CUDA_MEMCPY3D whole = {
		.srcXInBytes = c->srcXInBytes,
		.srcY = c->srcY,
		.srcMemoryType = c->srcMemoryType,
		.srcHost = c->srcHost,
		.srcDevice = c->srcDevice,
		.srcArray = c->srcArray,
		.srcPitch = c->srcPitch,
		.dstXInBytes = c->dstXInBytes,
		.dstY = c->dstY,
		.dstMemoryType = c->dstMemoryType,
		.dstHost = c->dstHost,
		.dstDevice = c->dstDevice,
		.dstArray = c->dstArray,
		.dstPitch = c->dstPitch,
		.WidthInBytes = c->WidthInBytes,
		.Height = c->Height,
		.Depth = 1,
	};

	return capture_copy(stream, &whole);
}

static CUresult copy_2d(const char *name, enum copy_end end, const CUDA_MEMCPY2D *c,
			CUstream stream)
{
	CUresult result = gpu_enter(name, GPU_CALL_ASYNC);
	struct queue *q = cu_stream_queue(stream);
	struct plane dst, src;

	if (result)
		return result;
	if (!c || !q)
		return c ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	result = plane_init(&dst, c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray,
			    c->dstPitch, 0);
	if (!result)
		result = plane_init(&src, c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray,
				    c->srcPitch, 0);
	if (result)
		return result;
	if (!inside_array(c->dstMemoryType, c->dstArray,
			  (const size_t[]){ c->dstXInBytes, c->dstY, 0 },
			  (const size_t[]){ c->WidthInBytes, c->Height, 1 }) ||
	    !inside_array(c->srcMemoryType, c->srcArray,
			  (const size_t[]){ c->srcXInBytes, c->srcY, 0 },
			  (const size_t[]){ c->WidthInBytes, c->Height, 1 }))
		return CUDA_ERROR_INVALID_VALUE;
	dst.base += c->dstY * dst.pitch + c->dstXInBytes;
	src.base += c->srcY * src.pitch + c->srcXInBytes;
	if (capture_is_on(stream))
		return capture_2d(stream, c);
	result = copy_planes(q, &dst, &src, c->WidthInBytes, c->Height, 1);
	return end_copy(result, q, end, dst.base, src.base);
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *c)
{
	return copy_2d("cuMemcpy2D", COPY_WAIT, c, NULL);
}

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *c)
{
	return copy_2d("cuMemcpy2DUnaligned", COPY_WAIT, c, NULL);
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *c, CUstream stream)
{
	return copy_2d("cuMemcpy2DAsync", COPY_ASYNC, c, stream);
}

static CUresult copy_3d(const char *name, enum copy_end end, const CUDA_MEMCPY3D *c,
			CUstream stream)
{
	CUresult result = gpu_enter(name, GPU_CALL_ASYNC);
	struct queue *q = cu_stream_queue(stream);
	struct plane dst, src;

	if (result)
		return result;
	if (!c || !q)
		return c ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	result = plane_init(&dst, c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray,
			    c->dstPitch, c->dstHeight);
	if (!result)
		result = plane_init(&src, c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray,
				    c->srcPitch, c->srcHeight);
	if (result)
		return result;
	if (!inside_array(c->dstMemoryType, c->dstArray,
			  (const size_t[]){ c->dstXInBytes, c->dstY, c->dstZ },
			  (const size_t[]){ c->WidthInBytes, c->Height, c->Depth }) ||
	    !inside_array(c->srcMemoryType, c->srcArray,
			  (const size_t[]){ c->srcXInBytes, c->srcY, c->srcZ },
			  (const size_t[]){ c->WidthInBytes, c->Height, c->Depth }))
		return CUDA_ERROR_INVALID_VALUE;
	dst.base += c->dstZ * dst.slice + c->dstY * dst.pitch + c->dstXInBytes;
	src.base += c->srcZ * src.slice + c->srcY * src.pitch + c->srcXInBytes;
	if (capture_is_on(stream))
		return capture_copy(stream, c);
	result = copy_planes(q, &dst, &src, c->WidthInBytes, c->Height, c->Depth);
	return end_copy(result, q, end, dst.base, src.base);
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D *c)
{
	return copy_3d("cuMemcpy3D", COPY_WAIT, c, NULL);
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *c, CUstream stream)
{
	return copy_3d("cuMemcpy3DAsync", COPY_ASYNC, c, stream);
}

/* The same without the contexts: addresses and arrays know where they are. */
static CUDA_MEMCPY3D without_contexts(const CUDA_MEMCPY3D_PEER *c)
{
	return (CUDA_MEMCPY3D){
		.srcXInBytes = c->srcXInBytes,
		.srcY = c->srcY,
		.srcZ = c->srcZ,
		.srcLOD = c->srcLOD,
		.srcMemoryType = c->srcMemoryType,
		.srcHost = c->srcHost,
		.srcDevice = c->srcDevice,
		.srcArray = c->srcArray,
		.srcPitch = c->srcPitch,
		.srcHeight = c->srcHeight,
		.dstXInBytes = c->dstXInBytes,
		.dstY = c->dstY,
		.dstZ = c->dstZ,
		.dstLOD = c->dstLOD,
		.dstMemoryType = c->dstMemoryType,
		.dstHost = c->dstHost,
		.dstDevice = c->dstDevice,
		.dstArray = c->dstArray,
		.dstPitch = c->dstPitch,
		.dstHeight = c->dstHeight,
		.WidthInBytes = c->WidthInBytes,
		.Height = c->Height,
		.Depth = c->Depth,
	};
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *c)
{
	CUresult result = c ? wait_both("cuMemcpy3DPeer", c->dstContext, c->srcContext)
			    : CUDA_ERROR_INVALID_VALUE;
	CUDA_MEMCPY3D plain;

	if (result)
		return result;
	plain = without_contexts(c);
	return copy_3d("cuMemcpy3DPeer", COPY_WAIT, &plain, NULL);
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *c, CUstream stream)
{
	CUDA_MEMCPY3D plain;

	if (!c || !context_valid(c->dstContext) || !context_valid(c->srcContext))
		return c ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
	plain = without_contexts(c);
	return copy_3d("cuMemcpy3DPeerAsync", COPY_ASYNC, &plain, stream);
}

/* A run of bytes of an array, which has one dimension for these calls: offsets go on over the ends
 * of rows. */
static bool array_place(CUarray a, size_t offset, size_t size, uint64_t *ret)
{
	size_t extent[3];
	uint64_t all;

	if (!cu_array_valid(a))
		return false;
	cu_array_extent(a, extent);
	all = a->slice * extent[2];
	*ret = a->address + offset;
	return offset <= all && size <= all - offset;
}

CUresult cuMemcpyHtoA(CUarray dst, size_t offset, const void *src, size_t size)
{
	uint64_t to;

	return array_place(dst, offset, size, &to)
		       ? copy("cuMemcpyHtoA", COPY_WAIT, NULL, to, (uintptr_t)src, size)
		       : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpyHtoAAsync(CUarray dst, size_t offset, const void *src, size_t size,
			   CUstream stream)
{
	uint64_t to;

	return array_place(dst, offset, size, &to)
		       ? copy("cuMemcpyHtoAAsync", COPY_ASYNC, stream, to, (uintptr_t)src, size)
		       : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpyAtoH(void *dst, CUarray src, size_t offset, size_t size)
{
	uint64_t from;

	return array_place(src, offset, size, &from)
		       ? copy("cuMemcpyAtoH", COPY_WAIT, NULL, (uintptr_t)dst, from, size)
		       : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpyAtoHAsync(void *dst, CUarray src, size_t offset, size_t size, CUstream stream)
{
	uint64_t from;

	return array_place(src, offset, size, &from)
		       ? copy("cuMemcpyAtoHAsync", COPY_ASYNC, stream, (uintptr_t)dst, from, size)
		       : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpyDtoA(CUarray dst, size_t offset, CUdeviceptr src, size_t size)
{
	uint64_t to;

	return array_place(dst, offset, size, &to)
		       ? copy("cuMemcpyDtoA", COPY_ASYNC, NULL, to, src, size)
		       : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpyAtoD(CUdeviceptr dst, CUarray src, size_t offset, size_t size)
{
	uint64_t from;

	return array_place(src, offset, size, &from)
		       ? copy("cuMemcpyAtoD", COPY_ASYNC, NULL, dst, from, size)
		       : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpyAtoA(CUarray dst, size_t dst_offset, CUarray src, size_t src_offset, size_t size)
{
	uint64_t to, from;

	return array_place(dst, dst_offset, size, &to) && array_place(src, src_offset, size, &from)
		       ? copy("cuMemcpyAtoA", COPY_ASYNC, NULL, to, from, size)
		       : CUDA_ERROR_INVALID_VALUE;
}
