/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of arrays and objects. The session's buffer of an array holds rows without gaps; only
 * this file knows. Look-up is by membership, so that a stale handle is an error and not a crash.
 */
#include "runtime/cuda/rollback/images.h"

#include "common/base/log.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/memory/ledger.h"
#include "runtime/cuda/reports/trace.h"
#include "runtime/cuda/rollback/preimage.h"

/* A driver that has not given the number of an object by then will not. */
#define OBJECT_TRIES 65536

cudaError_t images_format(const struct cudaChannelFormatDesc *d, CUarray_format *ret,
			  unsigned *ret_channels)
{
	static const struct {
		enum cudaChannelFormatKind kind;
		int bits;
		CUarray_format format;
	} rows[] = {
		{ cudaChannelFormatKindUnsigned, 8, CU_AD_FORMAT_UNSIGNED_INT8 },
		{ cudaChannelFormatKindUnsigned, 16, CU_AD_FORMAT_UNSIGNED_INT16 },
		{ cudaChannelFormatKindUnsigned, 32, CU_AD_FORMAT_UNSIGNED_INT32 },
		{ cudaChannelFormatKindSigned, 8, CU_AD_FORMAT_SIGNED_INT8 },
		{ cudaChannelFormatKindSigned, 16, CU_AD_FORMAT_SIGNED_INT16 },
		{ cudaChannelFormatKindSigned, 32, CU_AD_FORMAT_SIGNED_INT32 },
		{ cudaChannelFormatKindFloat, 16, CU_AD_FORMAT_HALF },
		{ cudaChannelFormatKindFloat, 32, CU_AD_FORMAT_FLOAT },
	};
	const int bits[] = { d->x, d->y, d->z, d->w };
	unsigned channels = 0;

	while (channels < 4 && bits[channels])
		channels++;
	for (unsigned i = 0; i < 4; i++)
		if (bits[i] != (i < channels ? d->x : 0))
			return cudaErrorInvalidChannelDescriptor;
	if (!channels || channels == 3)
		return cudaErrorInvalidChannelDescriptor;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].kind != d->f || rows[i].bits != d->x)
			continue;
		*ret = rows[i].format;
		*ret_channels = channels;
		return cudaSuccess;
	}
	return cudaErrorInvalidChannelDescriptor;
}

size_t images_element(const struct session_image *i)
{
	return (size_t)i->format.x / 8 * i->shape.NumChannels;
}

/* Elements in each direction, at least 1; layers and faces count as depth. */
static void images_extent(const struct session_image *i, size_t extent[3])
{
	extent[0] = i->shape.Width;
	extent[1] = i->shape.Height ? i->shape.Height : 1;
	extent[2] = i->shape.Depth ? i->shape.Depth : 1;
}

static struct session_image *image_at(uint32_t i)
{
	return *session_at(&device.session->images, struct session_image *, i);
}

struct session_image *images_find(cudaArray_const_t array)
{
	return session_index_of(&device.session->images, array) < 0 ? NULL
								    : (struct session_image *)array;
}

struct session_mipmap *images_mipmap_find(cudaMipmappedArray_const_t mipmap)
{
	return session_index_of(&device.session->mipmaps, mipmap) < 0
		       ? NULL
		       : (struct session_mipmap *)mipmap;
}

/* Between the driver's array and the session's buffer. */
static CUresult copy_content(const struct session_image *i, bool to_session)
{
	size_t extent[3];
	CUDA_MEMCPY3D c = { 0 };
	CUresult result;

	images_extent(i, extent);
	c.WidthInBytes = extent[0] * images_element(i);
	c.Height = extent[1];
	c.Depth = extent[2];
	c.srcMemoryType = to_session ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_DEVICE;
	c.dstMemoryType = to_session ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_ARRAY;
	c.srcArray = c.dstArray = i->handle;
	c.srcDevice = c.dstDevice = i->content;
	c.srcPitch = c.dstPitch = c.WidthInBytes;
	c.srcHeight = c.dstHeight = c.Height;
	trace_hide();
	result = device.driver->cuMemcpy3D(&c);
	trace_unhide();
	return result;
}

static void *append(struct session_array *a, size_t size)
{
	void *p = device.host->session_alloc(size);
	void **slot = p ? session_append(a, void *) : NULL;

	if (slot)
		*slot = p;
	else if (p)
		device.host->session_free(p);
	return slot ? p : NULL;
}

static void take_out(struct session_array *a, void *p)
{
	session_remove(a, sizeof(void *), (uint32_t)session_index_of(a, p));
	device.host->session_free(p);
}

static CUresult free_content(const struct session_image *i)
{
	struct session_buffer *b = ledger_find(i->content);

	return b ? ledger_free(b) : CUDA_SUCCESS;
}

/* The session's part of an array whose driver's part exists. */
static CUresult add(const struct ledger_request *r, const struct session_image *from,
		    struct session_image **ret)
{
	struct ledger_request sized = *r;
	struct session_image *i;
	uint64_t content;
	size_t extent[3];
	CUresult result;

	images_extent(from, extent);
	sized.size = extent[0] * extent[1] * extent[2] * images_element(from);
	result = ledger_alloc(&sized, &content);
	if (result)
		return result;
	i = append(&device.session->images, sizeof(*i));
	if (!i) {
		ledger_free(ledger_find(content));
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*i = *from;
	i->content = content;
	i->written = true;
	i->device = r->device;
	*ret = i;
	return CUDA_SUCCESS;
}

CUresult images_new(const struct ledger_request *r, const CUDA_ARRAY3D_DESCRIPTOR *shape,
		    const struct cudaChannelFormatDesc *format, cudaArray_t *ret)
{
	struct session_image from = { .shape = *shape, .format = *format }, *i;
	CUresult result = device.driver->cuArray3DCreate(&from.handle, shape);

	if (result)
		return result;
	result = add(r, &from, &i);
	if (result)
		device.driver->cuArrayDestroy(from.handle);
	else
		*ret = (cudaArray_t)i;
	return result;
}

static CUresult drop(struct session_image *i)
{
	CUresult result = free_content(i);

	if (!result)
		take_out(&device.session->images, i);
	return result;
}

CUresult images_free(cudaArray_t array)
{
	struct session_image *i = images_find(array);
	CUresult result;

	if (!i || i->mipmap)
		return CUDA_ERROR_INVALID_VALUE;
	result = device.driver->cuArrayDestroy(i->handle);
	return result ? result : drop(i);
}

CUresult images_before_write(struct session_image *i)
{
	struct session_buffer *b = ledger_find(i->content);

	i->written = true;
	return b ? preimage_save(b) : CUDA_SUCCESS;
}

CUresult images_mipmap_free(cudaMipmappedArray_t mipmap)
{
	struct session_mipmap *m = images_mipmap_find(mipmap);
	CUresult result;

	if (!m)
		return CUDA_ERROR_INVALID_VALUE;
	result = device.driver->cuMipmappedArrayDestroy(m->handle);
	for (uint32_t n = 0; n < m->n_levels && !result; n++)
		result = drop(m->level[n]);
	if (!result)
		take_out(&device.session->mipmaps, m);
	return result;
}

/* Fetch the driver's level n; NOT_FOUND behind the last one. */
static CUresult level_handle(const struct session_mipmap *m, uint32_t n, CUarray *ret)
{
	CUresult result = device.driver->cuMipmappedArrayGetLevel(ret, m->handle, n);

	return result == CUDA_ERROR_INVALID_VALUE ? CUDA_ERROR_NOT_FOUND : result;
}

static CUresult add_levels(const struct ledger_request *r,
			   const struct cudaChannelFormatDesc *format, unsigned levels,
			   struct session_mipmap *m)
{
	CUresult result = CUDA_SUCCESS;

	while (!result && m->n_levels < levels && m->n_levels < SESSION_LEVELS_MAX) {
		struct session_image from = { .format = *format, .mipmap = m };

		result = level_handle(m, m->n_levels, &from.handle);
		/* The driver makes no more levels than halving can give. */
		if (result == CUDA_ERROR_NOT_FOUND && m->n_levels)
			return CUDA_SUCCESS;
		if (!result)
			result = device.driver->cuArray3DGetDescriptor(&from.shape, from.handle);
		if (!result)
			result = add(r, &from, &m->level[m->n_levels]);
		if (!result)
			m->n_levels++;
	}
	return result;
}

CUresult images_mipmap_new(const struct ledger_request *r, const CUDA_ARRAY3D_DESCRIPTOR *shape,
			   const struct cudaChannelFormatDesc *format, unsigned levels,
			   cudaMipmappedArray_t *ret)
{
	struct session_mipmap *m;
	CUmipmappedArray handle;
	CUresult result = device.driver->cuMipmappedArrayCreate(&handle, shape, levels);

	if (result)
		return result;
	m = append(&device.session->mipmaps, sizeof(*m));
	if (!m) {
		device.driver->cuMipmappedArrayDestroy(handle);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*m = (struct session_mipmap){ .shape = *shape, .device = r->device, .handle = handle };
	result = add_levels(r, format, levels, m);
	if (result)
		images_mipmap_free((cudaMipmappedArray_t)m);
	else
		*ret = (cudaMipmappedArray_t)m;
	return result;
}

/* The driver's description of what the cell has described; INVALID_HANDLE when its array is gone.
 */
static CUresult resource(const struct session_object *o, CUDA_RESOURCE_DESC *ret)
{
	const struct cudaResourceDesc *d = &o->resource;
	const struct session_mipmap *m;
	const struct session_image *i;

	/* The values of both enums are the same. */
	*ret = (CUDA_RESOURCE_DESC){ .resType = (CUresourcetype)d->resType };
	switch (d->resType) {
	case cudaResourceTypeArray:
		i = images_find(d->res.array.array);
		ret->res.array.hArray = i ? i->handle : NULL;
		return i ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
	case cudaResourceTypeMipmappedArray:
		m = images_mipmap_find(d->res.mipmap.mipmap);
		ret->res.mipmap.hMipmappedArray = m ? m->handle : NULL;
		return m ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
	case cudaResourceTypeLinear:
		ret->res.linear.devPtr = (uintptr_t)d->res.linear.devPtr;
		ret->res.linear.sizeInBytes = d->res.linear.sizeInBytes;
		return (CUresult)images_format(&d->res.linear.desc, &ret->res.linear.format,
					       &ret->res.linear.numChannels);
	case cudaResourceTypePitch2D:
		ret->res.pitch2D.devPtr = (uintptr_t)d->res.pitch2D.devPtr;
		ret->res.pitch2D.width = d->res.pitch2D.width;
		ret->res.pitch2D.height = d->res.pitch2D.height;
		ret->res.pitch2D.pitchInBytes = d->res.pitch2D.pitchInBytes;
		return (CUresult)images_format(&d->res.pitch2D.desc, &ret->res.pitch2D.format,
					       &ret->res.pitch2D.numChannels);
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

static CUDA_TEXTURE_DESC sampling(const struct cudaTextureDesc *t)
{
	CUDA_TEXTURE_DESC d = {
		.filterMode = (CUfilter_mode)t->filterMode,
		.maxAnisotropy = t->maxAnisotropy,
		.mipmapFilterMode = (CUfilter_mode)t->mipmapFilterMode,
		.mipmapLevelBias = t->mipmapLevelBias,
		.minMipmapLevelClamp = t->minMipmapLevelClamp,
		.maxMipmapLevelClamp = t->maxMipmapLevelClamp,
	};

	for (int i = 0; i < 3; i++)
		d.addressMode[i] = (CUaddress_mode)t->addressMode[i];
	for (int i = 0; i < 4; i++)
		d.borderColor[i] = t->borderColor[i];
	d.flags = (t->readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0u) |
		  (t->normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
		  (t->sRGB ? CU_TRSF_SRGB : 0u) |
		  (t->disableTrilinearOptimization ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0u) |
		  (t->seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0u);
	return d;
}

static CUresult create(const struct session_object *o, CUtexObject *ret)
{
	CUDA_RESOURCE_DESC r;
	CUDA_TEXTURE_DESC t = sampling(&o->texture);
	CUDA_RESOURCE_VIEW_DESC v = {
		.format = (CUresourceViewFormat)o->view.format,
		.width = o->view.width,
		.height = o->view.height,
		.depth = o->view.depth,
		.firstMipmapLevel = o->view.firstMipmapLevel,
		.lastMipmapLevel = o->view.lastMipmapLevel,
		.firstLayer = o->view.firstLayer,
		.lastLayer = o->view.lastLayer,
	};
	CUresult result = resource(o, &r);

	if (result)
		return result;
	if (o->surface)
		return device.driver->cuSurfObjectCreate(ret, &r);
	return device.driver->cuTexObjectCreate(ret, &r, &t, o->has_view ? &v : NULL);
}

static void destroy(CUtexObject handle, bool surface)
{
	if (surface)
		device.driver->cuSurfObjectDestroy(handle);
	else
		device.driver->cuTexObjectDestroy(handle);
}

CUresult images_object_new(struct session_object *o)
{
	CUtexObject handle;
	CUresult result = create(o, &handle);
	struct session_object *slot;

	if (result)
		return result;
	slot = session_append(&device.session->objects, struct session_object);
	if (!slot) {
		destroy(handle, o->surface);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	o->handle = handle;
	o->device = device_current();
	*slot = *o;
	return CUDA_SUCCESS;
}

static struct session_object *object_at(uint32_t i)
{
	return session_at(&device.session->objects, struct session_object, i);
}

const struct session_object *images_object_find(uint64_t handle, bool surface)
{
	for (uint32_t i = 0; i < device.session->objects.n; i++)
		if (object_at(i)->handle == handle && object_at(i)->surface == surface)
			return object_at(i);
	return NULL;
}

CUresult images_object_free(uint64_t handle, bool surface)
{
	const struct session_object *o = images_object_find(handle, surface);

	if (!o)
		return CUDA_ERROR_INVALID_VALUE;
	destroy(handle, surface);
	session_remove(&device.session->objects, sizeof(*o), (uint32_t)(o - object_at(0)));
	return CUDA_SUCCESS;
}

/* Make an object again under its old number: numbers that come before it are taken and given back.
 */
static CUresult remake_object(const struct session_object *o)
{
	struct session_array taken = { 0 };
	CUtexObject handle = 0, *slot;
	CUresult result = CUDA_SUCCESS;

	for (int tries = 0; !result && handle != o->handle && tries < OBJECT_TRIES; tries++) {
		result = create(o, &handle);
		if (result || handle == o->handle)
			break;
		slot = session_append(&taken, CUtexObject);
		if (slot)
			*slot = handle;
		else
			result = CUDA_ERROR_OUT_OF_MEMORY;
	}
	for (uint32_t i = 0; i < taken.n; i++)
		destroy(*session_at(&taken, CUtexObject, i), o->surface);
	session_array_clear(&taken);
	/* One whose memory is gone was of no use before either. */
	if (result == CUDA_ERROR_INVALID_HANDLE || (!result && handle != o->handle)) {
		log_error("texture or surface object %llu could not be made again",
			  (unsigned long long)o->handle);
		return CUDA_SUCCESS;
	}
	return result;
}

static CUresult remake_mipmap(struct session_mipmap *m)
{
	CUresult result = device.driver->cuMipmappedArrayCreate(&m->handle, &m->shape, m->n_levels);

	for (uint32_t n = 0; n < m->n_levels && !result; n++)
		result = level_handle(m, n, &m->level[n]->handle);
	return result;
}

static CUresult remake_all(void)
{
	struct device_session *s = device.session;
	int before = device_current();
	CUresult result = CUDA_SUCCESS;

	for (uint32_t n = 0; n < s->mipmaps.n && !result; n++) {
		struct session_mipmap *m = *session_at(&s->mipmaps, struct session_mipmap *, n);

		result = device_switch(m->device);
		if (!result)
			result = remake_mipmap(m);
	}
	for (uint32_t n = 0; n < s->images.n && !result; n++) {
		struct session_image *i = image_at(n);

		result = device_switch(i->device);
		if (!result && !i->mipmap)
			result = device.driver->cuArray3DCreate(&i->handle, &i->shape);
		if (!result)
			result = copy_content(i, false);
		i->written = false;
	}
	for (uint32_t n = 0; n < s->objects.n && !result; n++) {
		result = device_switch(object_at(n)->device);
		if (!result)
			result = remake_object(object_at(n));
	}
	device_switch(before);
	return result;
}

CUresult images_ready(void)
{
	CUresult result = CUDA_SUCCESS;

	if (device.session->images_epoch != device.epoch)
		result = remake_all();
	if (!result)
		device.session->images_epoch = device.epoch;
	return result;
}

CUresult images_before_launch(void)
{
	CUresult result;

	if (!device.session->objects.n)
		return CUDA_SUCCESS;
	result = images_ready();
	for (uint32_t n = 0; n < device.session->objects.n && !result; n++) {
		const struct session_object *o = object_at(n);
		struct session_image *i =
			o->surface ? images_find(o->resource.res.array.array) : NULL;

		if (i)
			result = images_before_write(i);
	}
	return result;
}

CUresult images_settle(void)
{
	CUresult result = CUDA_SUCCESS;

	for (uint32_t n = 0; n < device.session->images.n && !result; n++) {
		struct session_image *i = image_at(n);

		if (!i->written)
			continue;
		result = copy_content(i, true);
		i->written = false;
	}
	return result;
}

void images_reset(void)
{
	struct device_session *s = device.session;

	if (images_ready())
		return;
	while (s->objects.n)
		images_object_free(object_at(0)->handle, object_at(0)->surface);
	while (s->mipmaps.n)
		if (images_mipmap_free(*session_at(&s->mipmaps, cudaMipmappedArray_t, 0)))
			return;
	while (s->images.n)
		if (images_free((cudaArray_t)image_at(0)))
			return;
}
