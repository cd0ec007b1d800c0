/* SPDX-License-Identifier: Apache-2.0 */
/* Driver API: arrays of one to three dimensions, layered ones and cubes, with levels of detail. */
#include "emulator/driver/memory/cu-array.h"

#include <stdlib.h>

#include "emulator/driver/device/context.h"
#include "emulator/driver/device/handle-memory.h"
#include "emulator/driver/device/memory.h"

#define ARRAY_MAGIC 0x41525259ull
#define MIPMAPPED_MAGIC 0x4d495041ull

static struct handle_memory arrays = HANDLE_MEMORY(struct CUarray_st);
static struct handle_memory mipmapped = HANDLE_MEMORY(struct CUmipmappedArray_st);
#define ARRAY_FLAGS                                                                                \
	(CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_CUBEMAP |                 \
	 CUDA_ARRAY3D_TEXTURE_GATHER | CUDA_ARRAY3D_COLOR_ATTACHMENT)
#define WIDTH_MAX 131072
#define DEPTH_MAX 16384

bool cu_array_valid(CUarray a)
{
	return a && a->magic == ARRAY_MAGIC;
}

bool cu_mipmapped_valid(CUmipmappedArray a)
{
	return a && a->magic == MIPMAPPED_MAGIC;
}

unsigned cu_format_bytes(CUarray_format format, uint8_t *kind)
{
	switch (format) {
	case CU_AD_FORMAT_UNSIGNED_INT8:
	case CU_AD_FORMAT_UNSIGNED_INT16:
	case CU_AD_FORMAT_UNSIGNED_INT32:
		*kind = IMAGE_UNSIGNED;
		break;
	case CU_AD_FORMAT_SIGNED_INT8:
	case CU_AD_FORMAT_SIGNED_INT16:
	case CU_AD_FORMAT_SIGNED_INT32:
		*kind = IMAGE_SIGNED;
		break;
	case CU_AD_FORMAT_HALF:
	case CU_AD_FORMAT_FLOAT:
		*kind = IMAGE_FLOAT;
		break;
	default:
		return 0;
	}
	switch (format) {
	case CU_AD_FORMAT_UNSIGNED_INT8:
	case CU_AD_FORMAT_SIGNED_INT8:
		return 1;
	case CU_AD_FORMAT_UNSIGNED_INT16:
	case CU_AD_FORMAT_SIGNED_INT16:
	case CU_AD_FORMAT_HALF:
		return 2;
	default:
		return 4;
	}
}

size_t cu_array_element(const struct CUarray_st *a)
{
	uint8_t kind;

	return (size_t)cu_format_bytes(a->shape.Format, &kind) * a->shape.NumChannels;
}

void cu_array_extent(const struct CUarray_st *a, size_t extent[3])
{
	extent[0] = a->shape.Width;
	extent[1] = a->shape.Height ? a->shape.Height : 1;
	extent[2] = a->shape.Depth ? a->shape.Depth : 1;
}

/* CUDA_ERROR_INVALID_VALUE for what the manual does not allow. */
static CUresult check_shape(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	bool cube = d->Flags & CUDA_ARRAY3D_CUBEMAP, layered = d->Flags & CUDA_ARRAY3D_LAYERED;
	uint8_t kind;

	if (d->Flags & ~(unsigned)ARRAY_FLAGS)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (!cu_format_bytes(d->Format, &kind) ||
	    (d->NumChannels != 1 && d->NumChannels != 2 && d->NumChannels != 4))
		return CUDA_ERROR_INVALID_VALUE;
	if (!d->Width || d->Width > WIDTH_MAX || d->Height > WIDTH_MAX || d->Depth > DEPTH_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	if (cube &&
	    (d->Width != d->Height || !d->Depth || (layered ? d->Depth % 6 : d->Depth != 6)))
		return CUDA_ERROR_INVALID_VALUE;
	if ((layered && !d->Depth) || (!layered && d->Depth && !d->Height))
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

/* Rows and slices without gaps; returns the bytes of all. */
static uint64_t lay_out(struct CUarray_st *a, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	size_t extent[3];

	a->magic = ARRAY_MAGIC;
	a->shape = *d;
	cu_array_extent(a, extent);
	a->pitch = extent[0] * cu_array_element(a);
	a->slice = a->pitch * extent[1];
	return a->slice * extent[2];
}

static CUresult create(CUarray *ret, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	CUresult result = check_shape(d);
	struct CUarray_st *a;

	if (result)
		return result;
	a = handle_memory_take(&arrays);
	if (!a)
		return CUDA_ERROR_OUT_OF_MEMORY;
	a->owned = true;
	result = memory_alloc(context_device(), lay_out(a, d), MAPPING_ALLOC, "array", &a->address);
	if (result)
		handle_memory_give(&arrays, a);
	else
		*ret = a;
	return result;
}

CUresult cuArrayCreate(CUarray *ret, const CUDA_ARRAY_DESCRIPTOR *d)
{
	CUresult result = gpu_enter("cuArrayCreate", GPU_CALL_QUERY);
	CUDA_ARRAY3D_DESCRIPTOR full;

	if (result)
		return result;
	if (!ret || !d)
		return CUDA_ERROR_INVALID_VALUE;
	full = (CUDA_ARRAY3D_DESCRIPTOR){ .Width = d->Width,
					  .Height = d->Height,
					  .Format = d->Format,
					  .NumChannels = d->NumChannels };
	return create(ret, &full);
}

CUresult cuArray3DCreate(CUarray *ret, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	CUresult result = gpu_enter("cuArray3DCreate", GPU_CALL_QUERY);

	if (result)
		return result;
	return ret && d ? create(ret, d) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *ret, CUarray a)
{
	CUresult result = gpu_enter("cuArrayGetDescriptor", GPU_CALL_ASYNC);

	if (result)
		return result;
	if (!ret || !cu_array_valid(a))
		return ret ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	*ret = (CUDA_ARRAY_DESCRIPTOR){ .Width = a->shape.Width,
					.Height = a->shape.Height,
					.Format = a->shape.Format,
					.NumChannels = a->shape.NumChannels };
	return CUDA_SUCCESS;
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *ret, CUarray a)
{
	CUresult result = gpu_enter("cuArray3DGetDescriptor", GPU_CALL_ASYNC);

	if (result)
		return result;
	if (!ret || !cu_array_valid(a))
		return ret ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	*ret = a->shape;
	return CUDA_SUCCESS;
}

CUresult cuArrayDestroy(CUarray a)
{
	CUresult result = gpu_enter("cuArrayDestroy", GPU_CALL_SYNC);

	if (result)
		return result;
	if (!cu_array_valid(a) || !a->owned)
		return CUDA_ERROR_INVALID_HANDLE;
	memory_free(a->address, MAPPING_ALLOC);
	handle_memory_give(&arrays, a);
	return CUDA_SUCCESS;
}

static size_t halved(size_t n, unsigned level)
{
	return !n ? 0 : n >> level ? n >> level : 1;
}

/* Levels end where every direction is down to one element. */
static unsigned levels_of(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	bool layers = d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
	size_t longest = d->Width > d->Height ? d->Width : d->Height;
	unsigned n = 1;

	if (!layers && d->Depth > longest)
		longest = d->Depth;
	while (longest >>= 1)
		n++;
	return n;
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *ret, const CUDA_ARRAY3D_DESCRIPTOR *d,
				unsigned int levels)
{
	CUresult result = gpu_enter("cuMipmappedArrayCreate", GPU_CALL_QUERY);
	struct CUmipmappedArray_st *a;
	uint64_t size = 0;

	if (result)
		return result;
	if (!ret || !d || !levels)
		return CUDA_ERROR_INVALID_VALUE;
	result = check_shape(d);
	if (result)
		return result;
	a = handle_memory_take(&mipmapped);
	if (!a)
		return CUDA_ERROR_OUT_OF_MEMORY;
	a->magic = MIPMAPPED_MAGIC;
	a->levels = levels < levels_of(d) ? levels : levels_of(d);
	a->levels = a->levels < IMAGE_LEVELS ? a->levels : IMAGE_LEVELS;
	for (unsigned i = 0; i < a->levels; i++) {
		bool layers = d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
		CUDA_ARRAY3D_DESCRIPTOR shape = *d;

		shape.Width = halved(d->Width, i);
		shape.Height = halved(d->Height, i);
		shape.Depth = layers ? d->Depth : halved(d->Depth, i);
		a->level[i].address = size;
		size += (lay_out(&a->level[i], &shape) + 255) / 256 * 256;
	}
	result =
		memory_alloc(context_device(), size, MAPPING_ALLOC, "mipmapped array", &a->address);
	if (result) {
		handle_memory_give(&mipmapped, a);
		return result;
	}
	for (unsigned i = 0; i < a->levels; i++)
		a->level[i].address += a->address;
	*ret = a;
	return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayGetLevel(CUarray *ret, CUmipmappedArray a, unsigned int level)
{
	CUresult result = gpu_enter("cuMipmappedArrayGetLevel", GPU_CALL_ASYNC);

	if (result)
		return result;
	if (!cu_mipmapped_valid(a))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!ret || level >= a->levels)
		return CUDA_ERROR_INVALID_VALUE;
	*ret = &a->level[level];
	return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray a)
{
	CUresult result = gpu_enter("cuMipmappedArrayDestroy", GPU_CALL_SYNC);

	if (result)
		return result;
	if (!cu_mipmapped_valid(a))
		return CUDA_ERROR_INVALID_HANDLE;
	memory_free(a->address, MAPPING_ALLOC);
	handle_memory_give(&mipmapped, a);
	return CUDA_SUCCESS;
}

/* Arrays here are neither sparse, nor mapped later, nor of several planes, so what is asked of
 * those is an error for each. */
static CUresult refuse(const char *call, bool valid)
{
	CUresult result = gpu_enter(call, GPU_CALL_ASYNC);

	return result ? result : valid ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *ret, CUarray a,
				      CUdevice device)
{
	(void)ret;
	(void)device;
	return refuse("cuArrayGetMemoryRequirements", cu_array_valid(a));
}

CUresult cuArrayGetPlane(CUarray *ret, CUarray a, unsigned int plane)
{
	(void)ret;
	(void)plane;
	return refuse("cuArrayGetPlane", cu_array_valid(a));
}

CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *ret, CUarray a)
{
	(void)ret;
	return refuse("cuArrayGetSparseProperties", cu_array_valid(a));
}

CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *ret,
					       CUmipmappedArray a, CUdevice device)
{
	(void)ret;
	(void)device;
	return refuse("cuMipmappedArrayGetMemoryRequirements", cu_mipmapped_valid(a));
}

CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *ret, CUmipmappedArray a)
{
	(void)ret;
	return refuse("cuMipmappedArrayGetSparseProperties", cu_mipmapped_valid(a));
}
