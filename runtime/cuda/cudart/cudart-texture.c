/* SPDX-License-Identifier: Apache-2.0 */
/* Runtime API, chapters Texture Object Management and Surface Object Management. images.c keeps the
 * objects. */
#include "runtime/cuda/cudart/cudart.h"

#include <string.h>

#include "runtime/cuda/rollback/images.h"

/* The memory must be a live buffer of the session, which the driver cannot know. */
static cudaError_t check_resource(const struct cudaResourceDesc *r)
{
	CUarray_format format;
	unsigned channels;
	cudaError_t result;
	const void *p;
	size_t size;

	switch (r->resType) {
	case cudaResourceTypeArray:
		return images_find(r->res.array.array) ? cudaSuccess
						       : cudaErrorInvalidResourceHandle;
	case cudaResourceTypeMipmappedArray:
		return images_mipmap_find(r->res.mipmap.mipmap) ? cudaSuccess
								: cudaErrorInvalidResourceHandle;
	case cudaResourceTypeLinear:
		result = images_format(&r->res.linear.desc, &format, &channels);
		p = r->res.linear.devPtr;
		size = r->res.linear.sizeInBytes;
		break;
	case cudaResourceTypePitch2D:
		result = images_format(&r->res.pitch2D.desc, &format, &channels);
		if (!result && (!r->res.pitch2D.height || !r->res.pitch2D.width))
			result = cudaErrorInvalidValue;
		p = r->res.pitch2D.devPtr;
		size = (r->res.pitch2D.height - 1) * r->res.pitch2D.pitchInBytes +
		       r->res.pitch2D.width * (size_t)r->res.pitch2D.desc.x / 8 * channels;
		break;
	default:
		return cudaErrorInvalidValue;
	}
	if (result)
		return result;
	return size && ledger_holds((uintptr_t)p, size) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t new_object(unsigned long long *ret, struct session_object *o)
{
	cudaError_t result;

	device_lock();
	result = cudart_error(images_ready());
	if (!result)
		result = check_resource(&o->resource);
	if (!result)
		result = cudart_error(images_object_new(o));
	device_unlock();
	if (!result)
		*ret = o->handle;
	return result;
}

static cudaError_t new_texture(cudaTextureObject_t *ret, const struct cudaResourceDesc *r,
			       const struct cudaTextureDesc *t,
			       const struct cudaResourceViewDesc *v)
{
	struct session_object o = { .has_view = v };

	if (!ret || !r || !t)
		return cudaErrorInvalidValue;
	o.resource = *r;
	o.texture = *t;
	if (v)
		o.view = *v;
	return new_object(ret, &o);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *ret,
				    const struct cudaResourceDesc *resource,
				    const struct cudaTextureDesc *texture,
				    const struct cudaResourceViewDesc *view)
{
	return CUDART_CALL(new_texture(ret, resource, texture, view));
}

static cudaError_t new_surface(cudaSurfaceObject_t *ret, const struct cudaResourceDesc *r)
{
	struct session_object o = { .surface = true };

	if (!ret || !r)
		return cudaErrorInvalidValue;
	if (r->resType != cudaResourceTypeArray)
		return cudaErrorInvalidChannelDescriptor;
	o.resource = *r;
	return new_object(ret, &o);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *ret,
				    const struct cudaResourceDesc *resource)
{
	return CUDART_CALL(new_surface(ret, resource));
}

static cudaError_t free_object(unsigned long long handle, bool surface)
{
	cudaError_t result = cudart_error(device_synchronize_context());

	if (result)
		return result;
	device_lock();
	result = cudart_error(images_ready());
	if (!result)
		result = cudart_error(images_object_free(handle, surface));
	device_unlock();
	return result;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
	return CUDART_CALL(free_object(object, false));
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
	return CUDART_CALL(free_object(object, true));
}

/* Part [offset, offset + size) of what the object was made from. */
static cudaError_t get(unsigned long long handle, bool surface, void *ret, size_t offset,
		       size_t size)
{
	const struct session_object *o;

	device_lock();
	o = ret ? images_object_find(handle, surface) : NULL;
	if (o && offset == offsetof(struct session_object, view) && !o->has_view)
		o = NULL;
	if (o)
		memcpy(ret, (const char *)o + offset, size);
	device_unlock();
	return o ? cudaSuccess : cudaErrorInvalidValue;
}

#define GET(object, surface, ret, part)                                                            \
	get(object, surface, ret, offsetof(struct session_object, part), sizeof(*(ret)))

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *ret,
					     cudaTextureObject_t object)
{
	return CUDART_CALL(GET(object, false, ret, resource));
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *ret, cudaTextureObject_t object)
{
	return CUDART_CALL(GET(object, false, ret, texture));
}

cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *ret,
						 cudaTextureObject_t object)
{
	return CUDART_CALL(GET(object, false, ret, view));
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *ret,
					     cudaSurfaceObject_t object)
{
	return CUDART_CALL(GET(object, true, ret, resource));
}
