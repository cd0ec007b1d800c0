/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver API: texture and surface objects. An object is a slot of a table that only grows; its
 * handle is the slot's number, counted from 1, and the machine reads the slot's struct image. A
 * destroyed one is empty and may be used again.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/driver/device/memory.h"
#include "emulator/driver/memory/cu-array.h"

#define OBJECTS_MAX 65536

struct object {
	_Atomic bool live;
	bool has_view;
	struct image image;
	CUDA_RESOURCE_DESC resource;
	CUDA_TEXTURE_DESC texture;
	CUDA_RESOURCE_VIEW_DESC view;
};

static struct object_table {
	pthread_mutex_t lock; /* to add and to drop */
	struct object *_Atomic objects[OBJECTS_MAX];
} table = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct object *find(uint64_t handle, bool surface)
{
	struct object *o =
		handle && handle <= OBJECTS_MAX ? atomic_load(&table.objects[handle - 1]) : NULL;

	return o && atomic_load(&o->live) && o->image.surface == surface ? o : NULL;
}

const struct image *cu_image_find(void *data, uint64_t handle)
{
	struct object *o = find(handle, false);

	(void)data;
	if (!o)
		o = find(handle, true);
	return o ? &o->image : NULL;
}

static CUresult add(const struct object *from, unsigned long long *ret)
{
	CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

	pthread_mutex_lock(&table.lock);
	for (uint64_t i = 0; i < OBJECTS_MAX; i++) {
		struct object *o = atomic_load(&table.objects[i]);

		if (o && atomic_load(&o->live))
			continue;
		if (!o)
			o = calloc(1, sizeof(*o));
		if (!o)
			break;
		o->has_view = from->has_view;
		o->image = from->image;
		o->resource = from->resource;
		o->texture = from->texture;
		o->view = from->view;
		atomic_store(&o->live, true);
		atomic_store(&table.objects[i], o);
		*ret = i + 1;
		result = CUDA_SUCCESS;
		break;
	}
	pthread_mutex_unlock(&table.lock);
	return result;
}

static CUresult drop(uint64_t handle, bool surface)
{
	struct object *o;

	pthread_mutex_lock(&table.lock);
	o = find(handle, surface);
	if (o)
		atomic_store(&o->live, false);
	pthread_mutex_unlock(&table.lock);
	return o ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult set_format(struct image *i, CUarray_format format, unsigned channels)
{
	unsigned bytes = cu_format_bytes(format, &i->kind);

	if (!bytes || (channels != 1 && channels != 2 && channels != 4))
		return CUDA_ERROR_INVALID_VALUE;
	i->bits = (uint8_t)(8 * bytes);
	i->channels = (uint8_t)channels;
	return CUDA_SUCCESS;
}

static CUresult add_level(struct image *i, const struct CUarray_st *a)
{
	bool layers = a->shape.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
	size_t extent[3];

	cu_array_extent(a, extent);
	i->layers = layers ? (uint32_t)extent[2] : 1;
	i->level[i->levels++] = (struct image_level){
		.address = a->address,
		.width = (uint32_t)extent[0],
		.height = (uint32_t)extent[1],
		.depth = layers ? 1 : (uint32_t)extent[2],
		.pitch = a->pitch,
		.slice = a->slice,
	};
	return set_format(i, a->shape.Format, a->shape.NumChannels);
}

static CUresult set_linear(struct image *i, const CUDA_RESOURCE_DESC *r)
{
	CUresult result = set_format(i, r->res.linear.format, r->res.linear.numChannels);
	size_t texels = result ? 0 : r->res.linear.sizeInBytes / image_texel_size(i);

	if (result || !texels || texels > UINT32_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	i->levels = i->layers = 1;
	i->level[0] = (struct image_level){
		.address = r->res.linear.devPtr, .width = (uint32_t)texels, .height = 1, .depth = 1
	};
	return CUDA_SUCCESS;
}

static CUresult set_pitched(struct image *i, const CUDA_RESOURCE_DESC *r)
{
	CUresult result = set_format(i, r->res.pitch2D.format, r->res.pitch2D.numChannels);
	size_t width = r->res.pitch2D.width, height = r->res.pitch2D.height,
	       pitch = r->res.pitch2D.pitchInBytes;

	if (result || !width || !height || width > 1u << 17 || height > 1u << 17 ||
	    pitch < width * image_texel_size(i))
		return CUDA_ERROR_INVALID_VALUE;
	i->levels = i->layers = 1;
	i->level[0] = (struct image_level){ .address = r->res.pitch2D.devPtr,
					    .width = (uint32_t)width,
					    .height = (uint32_t)height,
					    .depth = 1,
					    .pitch = pitch };
	return CUDA_SUCCESS;
}

static CUresult set_mipmapped(struct image *i, CUmipmappedArray a)
{
	CUresult result = CUDA_SUCCESS;

	if (!cu_mipmapped_valid(a))
		return CUDA_ERROR_INVALID_HANDLE;
	for (unsigned n = 0; n < a->levels && !result; n++)
		result = add_level(i, &a->level[n]);
	return result;
}

static CUresult set_resource(struct image *i, const CUDA_RESOURCE_DESC *r)
{
	switch (r->resType) {
	case CU_RESOURCE_TYPE_ARRAY:
		return cu_array_valid(r->res.array.hArray) ? add_level(i, r->res.array.hArray)
							   : CUDA_ERROR_INVALID_HANDLE;
	case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
		return set_mipmapped(i, r->res.mipmap.hMipmappedArray);
	case CU_RESOURCE_TYPE_LINEAR:
		return set_linear(i, r);
	case CU_RESOURCE_TYPE_PITCH2D:
		return set_pitched(i, r);
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

static CUresult set_sampling(struct image *i, const CUDA_TEXTURE_DESC *t)
{
	/* CUaddress_mode has the same order as enum image_address. */
	for (int axis = 0; axis < 3; axis++) {
		if ((unsigned)t->addressMode[axis] > CU_TR_ADDRESS_MODE_BORDER)
			return CUDA_ERROR_INVALID_VALUE;
		i->address_mode[axis] = (uint8_t)t->addressMode[axis];
	}
	i->normalised = t->flags & CU_TRSF_NORMALIZED_COORDINATES;
	i->srgb = t->flags & CU_TRSF_SRGB;
	i->as_float =
		i->kind != IMAGE_FLOAT && i->bits < 32 && !(t->flags & CU_TRSF_READ_AS_INTEGER);
	i->linear = t->filterMode == CU_TR_FILTER_MODE_LINEAR;
	i->linear_mips = t->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR;
	i->bias = t->mipmapLevelBias;
	i->level_min = t->minMipmapLevelClamp;
	i->level_max = t->maxMipmapLevelClamp;
	memcpy(i->border, t->borderColor, sizeof(i->border));
	if (i->linear && !image_is_float(i))
		return CUDA_ERROR_INVALID_VALUE;
	return i->levels > 1 && !i->normalised ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

/* A view narrows levels and layers; it cannot give texels another format here. */
static CUresult set_view(struct image *i, const CUDA_RESOURCE_VIEW_DESC *v)
{
	unsigned levels = v->lastMipmapLevel - v->firstMipmapLevel + 1;

	if (v->lastMipmapLevel < v->firstMipmapLevel || v->lastMipmapLevel >= i->levels ||
	    v->lastLayer < v->firstLayer || v->lastLayer >= i->layers)
		return CUDA_ERROR_INVALID_VALUE;
	if (v->format >= CU_RES_VIEW_FORMAT_UNSIGNED_BC1)
		return CUDA_ERROR_NOT_SUPPORTED;
	memmove(i->level, &i->level[v->firstMipmapLevel], levels * sizeof(i->level[0]));
	i->levels = (uint8_t)levels;
	for (unsigned n = 0; i->layers > 1 && n < levels; n++)
		i->level[n].address += v->firstLayer * i->level[n].slice;
	i->layers = i->layers > 1 ? v->lastLayer - v->firstLayer + 1 : 1;
	return CUDA_SUCCESS;
}

CUresult cuTexObjectCreate(CUtexObject *ret, const CUDA_RESOURCE_DESC *r,
			   const CUDA_TEXTURE_DESC *t, const CUDA_RESOURCE_VIEW_DESC *v)
{
	CUresult result = gpu_enter("cuTexObjectCreate", GPU_CALL_QUERY);
	struct object o = { .has_view = v != NULL };

	if (result)
		return result;
	if (!ret || !r || !t)
		return CUDA_ERROR_INVALID_VALUE;
	result = set_resource(&o.image, r);
	if (!result)
		result = set_sampling(&o.image, t);
	if (!result && v)
		result = set_view(&o.image, v);
	if (result)
		return result;
	o.resource = *r;
	o.texture = *t;
	if (v)
		o.view = *v;
	return add(&o, ret);
}

CUresult cuTexObjectDestroy(CUtexObject handle)
{
	CUresult result = gpu_enter("cuTexObjectDestroy", GPU_CALL_ASYNC);

	return result ? result : drop(handle, false);
}

/* Part [offset, offset + size) of the object. */
static CUresult get(const char *call, uint64_t handle, bool surface, void *ret, size_t offset,
		    size_t size)
{
	CUresult result = gpu_enter(call, GPU_CALL_ASYNC);
	const struct object *o = find(handle, surface);

	if (result)
		return result;
	if (!ret || !o || (offset == offsetof(struct object, view) && !o->has_view))
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(ret, (const char *)o + offset, size);
	return CUDA_SUCCESS;
}

#define GET(call, handle, surface, ret, part)                                                      \
	get(call, handle, surface, ret, offsetof(struct object, part), sizeof(*(ret)))

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *ret, CUtexObject handle)
{
	return GET("cuTexObjectGetResourceDesc", handle, false, ret, resource);
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *ret, CUtexObject handle)
{
	return GET("cuTexObjectGetTextureDesc", handle, false, ret, texture);
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *ret, CUtexObject handle)
{
	return GET("cuTexObjectGetResourceViewDesc", handle, false, ret, view);
}

CUresult cuSurfObjectCreate(CUsurfObject *ret, const CUDA_RESOURCE_DESC *r)
{
	CUresult result = gpu_enter("cuSurfObjectCreate", GPU_CALL_QUERY);
	struct object o = { 0 };

	if (result)
		return result;
	if (!ret || !r || r->resType != CU_RESOURCE_TYPE_ARRAY)
		return CUDA_ERROR_INVALID_VALUE;
	if (!cu_array_valid(r->res.array.hArray))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!(r->res.array.hArray->shape.Flags & CUDA_ARRAY3D_SURFACE_LDST))
		return CUDA_ERROR_INVALID_VALUE;
	result = add_level(&o.image, r->res.array.hArray);
	if (result)
		return result;
	o.image.surface = true;
	o.resource = *r;
	return add(&o, ret);
}

CUresult cuSurfObjectDestroy(CUsurfObject handle)
{
	CUresult result = gpu_enter("cuSurfObjectDestroy", GPU_CALL_ASYNC);

	return result ? result : drop(handle, true);
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *ret, CUsurfObject handle)
{
	return GET("cuSurfObjectGetResourceDesc", handle, true, ret, resource);
}
