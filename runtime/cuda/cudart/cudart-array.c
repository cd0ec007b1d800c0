/* SPDX-License-Identifier: Apache-2.0 */
/* Runtime API, chapter Memory Management: arrays and mipmapped arrays. images.c keeps them in the
 * session. */
#include "runtime/cuda/cudart/cudart.h"

#include "runtime/cuda/rollback/images.h"

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
						   enum cudaChannelFormatKind f)
{
	return (struct cudaChannelFormatDesc){ x, y, z, w, f };
}

/* The shape as the driver is asked for it; flags of both interfaces have the same values. */
static cudaError_t describe(const struct cudaChannelFormatDesc *d, struct cudaExtent extent,
			    unsigned flags, CUDA_ARRAY3D_DESCRIPTOR *ret)
{
	cudaError_t result;

	*ret = (CUDA_ARRAY3D_DESCRIPTOR){ .Width = extent.width,
					  .Height = extent.height,
					  .Depth = extent.depth,
					  .Flags = flags };
	result = images_format(d, &ret->Format, &ret->NumChannels);
	return result ? result : cudart_error(images_ready());
}

static cudaError_t new_array(const char *call, cudaArray_t *ret,
			     const struct cudaChannelFormatDesc *d, struct cudaExtent extent,
			     unsigned flags)
{
	struct ledger_request r = cudart_request(call, 0, BUFFER_ARRAY);
	CUDA_ARRAY3D_DESCRIPTOR shape;
	cudaError_t result = cudaErrorInvalidValue;

	if (ret && d) {
		device_lock();
		result = describe(d, extent, flags, &shape);
		if (!result)
			result = cudart_error(images_new(&r, &shape, d, ret));
		device_unlock();
	}
	cudart_forget_note();
	return result;
}

cudaError_t cudaMallocArray(cudaArray_t *ret, const struct cudaChannelFormatDesc *desc,
			    size_t width, size_t height, unsigned int flags)
{
	struct cudaExtent extent = { width, height, 0 };

	return CUDART_CALL(flags & (cudaArrayLayered | cudaArrayCubemap)
				   ? cudaErrorInvalidValue
				   : new_array("cudaMallocArray", ret, desc, extent, flags));
}

cudaError_t cudaMalloc3DArray(cudaArray_t *ret, const struct cudaChannelFormatDesc *desc,
			      struct cudaExtent extent, unsigned int flags)
{
	return CUDART_CALL(new_array("cudaMalloc3DArray", ret, desc, extent, flags));
}

/* A copy to or from the array may still be at work. */
static cudaError_t free_array(cudaArray_t array)
{
	cudaError_t result = array ? cudart_error(device_synchronize_context()) : cudaSuccess;

	if (result || !array)
		return result;
	device_lock();
	result = cudart_error(images_ready());
	if (!result)
		result = cudart_error(images_free(array));
	device_unlock();
	return result;
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
	return CUDART_CALL(free_array(array));
}

static cudaError_t array_info(struct cudaChannelFormatDesc *ret_desc, struct cudaExtent *ret_extent,
			      unsigned *ret_flags, cudaArray_const_t array)
{
	const struct session_image *i;

	device_lock();
	i = images_find(array);
	if (i && ret_desc)
		*ret_desc = i->format;
	if (i && ret_extent)
		*ret_extent =
			(struct cudaExtent){ i->shape.Width, i->shape.Height, i->shape.Depth };
	if (i && ret_flags)
		*ret_flags = i->shape.Flags;
	device_unlock();
	return i ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *ret_desc, struct cudaExtent *ret_extent,
			     unsigned int *ret_flags, cudaArray_t array)
{
	return CUDART_CALL(array_info(ret_desc, ret_extent, ret_flags, array));
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *ret, cudaArray_const_t array)
{
	return CUDART_CALL(ret ? array_info(ret, NULL, NULL, array) : cudaErrorInvalidValue);
}

static cudaError_t new_mipmap(cudaMipmappedArray_t *ret, const struct cudaChannelFormatDesc *d,
			      struct cudaExtent extent, unsigned levels, unsigned flags)
{
	struct ledger_request r = cudart_request("cudaMallocMipmappedArray", 0, BUFFER_ARRAY);
	CUDA_ARRAY3D_DESCRIPTOR shape;
	cudaError_t result;

	if (!ret || !d)
		return cudaErrorInvalidValue;
	device_lock();
	result = describe(d, extent, flags, &shape);
	if (!result)
		result = cudart_error(images_mipmap_new(&r, &shape, d, levels ? levels : 1, ret));
	device_unlock();
	cudart_forget_note();
	return result;
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *ret,
				     const struct cudaChannelFormatDesc *desc,
				     struct cudaExtent extent, unsigned int levels,
				     unsigned int flags)
{
	return CUDART_CALL(new_mipmap(ret, desc, extent, levels, flags));
}

static cudaError_t free_mipmap(cudaMipmappedArray_t mipmap)
{
	cudaError_t result = mipmap ? cudart_error(device_synchronize_context()) : cudaSuccess;

	if (result || !mipmap)
		return result;
	device_lock();
	result = cudart_error(images_ready());
	if (!result)
		result = cudart_error(images_mipmap_free(mipmap));
	device_unlock();
	return result;
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmap)
{
	return CUDART_CALL(free_mipmap(mipmap));
}

static cudaError_t mipmap_level(cudaArray_t *ret, cudaMipmappedArray_const_t mipmap, unsigned level)
{
	const struct session_mipmap *m;
	bool there;

	if (!ret)
		return cudaErrorInvalidValue;
	device_lock();
	m = images_mipmap_find(mipmap);
	there = m && level < m->n_levels;
	if (there)
		*ret = (cudaArray_t)m->level[level];
	device_unlock();
	if (!m)
		return cudaErrorInvalidResourceHandle;
	return there ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *ret, cudaMipmappedArray_const_t mipmap,
				       unsigned int level)
{
	return CUDART_CALL(mipmap_level(ret, mipmap, level));
}

/*
 * Arrays here are neither sparse, nor mapped later, nor of several planes, so what is asked of
 * those is an error for each.
 */
static cudaError_t refuse_array(cudaArray_const_t array, const void *ret)
{
	bool there;

	device_lock();
	there = images_find(array);
	device_unlock();
	return there || !ret ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
}

static cudaError_t refuse_mipmap(cudaMipmappedArray_const_t mipmap, const void *ret)
{
	bool there;

	device_lock();
	there = images_mipmap_find(mipmap);
	device_unlock();
	return there || !ret ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *ret,
					   cudaArray_t array, int ordinal)
{
	(void)ordinal;
	return CUDART_CALL(refuse_array(array, ret));
}

cudaError_t cudaArrayGetPlane(cudaArray_t *ret, cudaArray_t array, unsigned int plane)
{
	(void)plane;
	return CUDART_CALL(refuse_array(array, ret));
}

cudaError_t cudaArrayGetSparseProperties(struct cudaArraySparseProperties *ret, cudaArray_t array)
{
	return CUDART_CALL(refuse_array(array, ret));
}

cudaError_t cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *ret,
						    cudaMipmappedArray_t mipmap, int ordinal)
{
	(void)ordinal;
	return CUDART_CALL(refuse_mipmap(mipmap, ret));
}

cudaError_t cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *ret,
						  cudaMipmappedArray_t mipmap)
{
	return CUDART_CALL(refuse_mipmap(mipmap, ret));
}
