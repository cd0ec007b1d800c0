/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver API: copies and fills. Work is done in the calling thread at once; after a fault or behind a launch that never
 * ends, asynchronous work is dropped, as a dead device would never do it.
 */
#include <string.h>

#include "emulator/driver/cu-array.h"
#include "emulator/driver/memory.h"

static bool device_dead(void)
{
	return gpu.pending || gpu.hung;
}

/* Where the host finds the bytes; NULL when the range is no memory. */
static void *resolve(uint64_t address, size_t size, bool write)
{
	if (memory_is_device(address))
		return memory_bytes(address, size, write);
	return (void *)(uintptr_t)address;
}

static CUresult copy(const char *name, enum gpu_call kind, uint64_t dst, uint64_t src, size_t size)
{
	CUresult result = gpu_enter(name, kind);
	void *to, *from;

	if (result || !size)
		return result;
	to = resolve(dst, size, true);
	from = resolve(src, size, false);
	if (!to || !from)
		return CUDA_ERROR_INVALID_VALUE;
	if (!device_dead())
		memmove(to, from, size);
	return CUDA_SUCCESS;
}

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t size)
{
	return copy("cuMemcpy", GPU_CALL_SYNC, dst, src, size);
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t size, CUstream stream)
{
	(void)stream;
	return copy("cuMemcpyAsync", GPU_CALL_ASYNC, dst, src, size);
}

CUresult cuMemcpyHtoD(CUdeviceptr dst, const void *src, size_t size)
{
	return copy("cuMemcpyHtoD", GPU_CALL_SYNC, dst, (uintptr_t)src, size);
}

CUresult cuMemcpyDtoH(void *dst, CUdeviceptr src, size_t size)
{
	return copy("cuMemcpyDtoH", GPU_CALL_SYNC, (uintptr_t)dst, src, size);
}

CUresult cuMemcpyDtoD(CUdeviceptr dst, CUdeviceptr src, size_t size)
{
	return copy("cuMemcpyDtoD", GPU_CALL_ASYNC, dst, src, size);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr dst, const void *src, size_t size, CUstream stream)
{
	(void)stream;
	return copy("cuMemcpyHtoDAsync", GPU_CALL_ASYNC, dst, (uintptr_t)src, size);
}

CUresult cuMemcpyDtoHAsync(void *dst, CUdeviceptr src, size_t size, CUstream stream)
{
	(void)stream;
	return copy("cuMemcpyDtoHAsync", GPU_CALL_ASYNC, (uintptr_t)dst, src, size);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr dst, CUdeviceptr src, size_t size, CUstream stream)
{
	(void)stream;
	return copy("cuMemcpyDtoDAsync", GPU_CALL_ASYNC, dst, src, size);
}

/* One side of a pitched copy: `base` is its first byte, rows lie `pitch` apart, slices `pitch * height`. */
struct plane {
	uint64_t base;
	size_t pitch;
	size_t slice;
};

static CUresult plane_init(struct plane *p, CUmemorytype type, const void *host, CUdeviceptr device, CUarray array,
			   size_t pitch, size_t rows)
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

/* Part of an array: from `at` (x in bytes), `size` long. Rows of an array follow each other, so it must be asked. */
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

static CUresult copy_planes(const struct plane *dst, const struct plane *src, size_t width, size_t height, size_t depth)
{
	size_t reach_dst, reach_src;
	char *to;
	const char *from;

	if (!width || !height || !depth)
		return CUDA_SUCCESS;
	if ((height > 1 && (dst->pitch < width || src->pitch < width)))
		return CUDA_ERROR_INVALID_VALUE;
	reach_dst = (depth - 1) * dst->slice + (height - 1) * dst->pitch + width;
	reach_src = (depth - 1) * src->slice + (height - 1) * src->pitch + width;
	to = resolve(dst->base, reach_dst, true);
	from = resolve(src->base, reach_src, false);
	if (!to || !from)
		return CUDA_ERROR_INVALID_VALUE;
	if (device_dead())
		return CUDA_SUCCESS;
	for (size_t z = 0; z < depth; z++)
		for (size_t y = 0; y < height; y++)
			memmove(to + z * dst->slice + y * dst->pitch, from + z * src->slice + y * src->pitch, width);
	return CUDA_SUCCESS;
}

static CUresult copy_2d(const char *name, enum gpu_call kind, const CUDA_MEMCPY2D *c)
{
	CUresult result = gpu_enter(name, kind);
	struct plane dst, src;

	if (result)
		return result;
	if (!c)
		return CUDA_ERROR_INVALID_VALUE;
	result = plane_init(&dst, c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray, c->dstPitch, 0);
	if (!result)
		result = plane_init(&src, c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray, c->srcPitch, 0);
	if (result)
		return result;
	if (!inside_array(c->dstMemoryType, c->dstArray, (const size_t[]){ c->dstXInBytes, c->dstY, 0 },
			  (const size_t[]){ c->WidthInBytes, c->Height, 1 }) ||
	    !inside_array(c->srcMemoryType, c->srcArray, (const size_t[]){ c->srcXInBytes, c->srcY, 0 },
			  (const size_t[]){ c->WidthInBytes, c->Height, 1 }))
		return CUDA_ERROR_INVALID_VALUE;
	dst.base += c->dstY * dst.pitch + c->dstXInBytes;
	src.base += c->srcY * src.pitch + c->srcXInBytes;
	return copy_planes(&dst, &src, c->WidthInBytes, c->Height, 1);
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *c)
{
	return copy_2d("cuMemcpy2D", GPU_CALL_SYNC, c);
}

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *c)
{
	return copy_2d("cuMemcpy2DUnaligned", GPU_CALL_SYNC, c);
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *c, CUstream stream)
{
	(void)stream;
	return copy_2d("cuMemcpy2DAsync", GPU_CALL_ASYNC, c);
}

static CUresult copy_3d(const char *name, enum gpu_call kind, const CUDA_MEMCPY3D *c)
{
	CUresult result = gpu_enter(name, kind);
	struct plane dst, src;

	if (result)
		return result;
	if (!c)
		return CUDA_ERROR_INVALID_VALUE;
	result = plane_init(&dst, c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray, c->dstPitch, c->dstHeight);
	if (!result)
		result = plane_init(&src, c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray, c->srcPitch,
				    c->srcHeight);
	if (result)
		return result;
	if (!inside_array(c->dstMemoryType, c->dstArray, (const size_t[]){ c->dstXInBytes, c->dstY, c->dstZ },
			  (const size_t[]){ c->WidthInBytes, c->Height, c->Depth }) ||
	    !inside_array(c->srcMemoryType, c->srcArray, (const size_t[]){ c->srcXInBytes, c->srcY, c->srcZ },
			  (const size_t[]){ c->WidthInBytes, c->Height, c->Depth }))
		return CUDA_ERROR_INVALID_VALUE;
	dst.base += c->dstZ * dst.slice + c->dstY * dst.pitch + c->dstXInBytes;
	src.base += c->srcZ * src.slice + c->srcY * src.pitch + c->srcXInBytes;
	return copy_planes(&dst, &src, c->WidthInBytes, c->Height, c->Depth);
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D *c)
{
	return copy_3d("cuMemcpy3D", GPU_CALL_SYNC, c);
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *c, CUstream stream)
{
	(void)stream;
	return copy_3d("cuMemcpy3DAsync", GPU_CALL_ASYNC, c);
}

/* A run of bytes of an array, which has one dimension for these calls: offsets go on over the ends of rows. */
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

	return array_place(dst, offset, size, &to) ? copy("cuMemcpyHtoA", GPU_CALL_SYNC, to, (uintptr_t)src, size) :
						     CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpyHtoAAsync(CUarray dst, size_t offset, const void *src, size_t size, CUstream stream)
{
	uint64_t to;

	(void)stream;
	return array_place(dst, offset, size, &to) ? copy("cuMemcpyHtoAAsync", GPU_CALL_ASYNC, to, (uintptr_t)src, size) :
						     CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpyAtoH(void *dst, CUarray src, size_t offset, size_t size)
{
	uint64_t from;

	return array_place(src, offset, size, &from) ? copy("cuMemcpyAtoH", GPU_CALL_SYNC, (uintptr_t)dst, from, size) :
						       CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpyAtoHAsync(void *dst, CUarray src, size_t offset, size_t size, CUstream stream)
{
	uint64_t from;

	(void)stream;
	return array_place(src, offset, size, &from) ?
		       copy("cuMemcpyAtoHAsync", GPU_CALL_ASYNC, (uintptr_t)dst, from, size) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpyDtoA(CUarray dst, size_t offset, CUdeviceptr src, size_t size)
{
	uint64_t to;

	return array_place(dst, offset, size, &to) ? copy("cuMemcpyDtoA", GPU_CALL_ASYNC, to, src, size) :
						     CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpyAtoD(CUdeviceptr dst, CUarray src, size_t offset, size_t size)
{
	uint64_t from;

	return array_place(src, offset, size, &from) ? copy("cuMemcpyAtoD", GPU_CALL_ASYNC, dst, from, size) :
						       CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpyAtoA(CUarray dst, size_t dst_offset, CUarray src, size_t src_offset, size_t size)
{
	uint64_t to, from;

	return array_place(dst, dst_offset, size, &to) && array_place(src, src_offset, size, &from) ?
		       copy("cuMemcpyAtoA", GPU_CALL_ASYNC, to, from, size) : CUDA_ERROR_INVALID_VALUE;
}
