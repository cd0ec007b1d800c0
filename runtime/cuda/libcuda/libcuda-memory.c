/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the driver that take memory as a whole: plain, pitched, managed, stream-ordered,
 * arrays, modules, limits. */
#include <stdlib.h>
#include <string.h>

#include "common/memory/address-map.h"
#include "runtime/cuda/cudart/cudart.h"
#include "runtime/cuda/libcuda/libcuda-real.h"
#include "runtime/cuda/memory/ledger.h"
#include "runtime/cuda/memory/library-memory-request.h"
#include "runtime/cuda/memory/vmm-pool.h"
#include "runtime/cuda/session/device-wait.h"

#define PITCH_UNIT 512

/* A call that may wait for the device; an interrupt can end the cell meanwhile. */
#define WAITED(call)                                                                               \
	({                                                                                         \
		CUresult waited_;                                                                  \
                                                                                                   \
		device_wait_begin();                                                               \
		waited_ = (call);                                                                  \
		device_wait_end();                                                                 \
		waited_;                                                                           \
	})

/* ---- plain memory ---- */

/* The call and its row; `address` is read when it has ended well. */
#define COUNTED_MEMORY(name, address, size_, call_)                                                \
	({                                                                                         \
		struct library_memory row_ = { .kind = LIBRARY_MEMORY,                             \
					       .bytes = libcuda_cost(size_),                       \
					       .call = name };                                     \
		int device_;                                                                       \
		CUresult got_ = libcuda_device(&device_);                                          \
                                                                                                   \
		if (!got_)                                                                         \
			got_ = library_memory_reserve(name, device_, row_.bytes);                  \
		if (!got_) {                                                                       \
			got_ = (call_);                                                            \
			if (!got_)                                                                 \
				row_.key = *(address);                                             \
			library_memory_take(device_, row_.bytes, got_, &row_);                     \
		}                                                                                  \
		got_;                                                                              \
	})

static CUresult mem_alloc(CUdeviceptr *ret, size_t size)
{
	return COUNTED_MEMORY("cuMemAlloc", ret, size,
			      LIBCUDA_REAL(LIBCUDA_cuMemAlloc_v2, cuMemAlloc)(ret, size));
}

static CUresult mem_alloc_pitch(CUdeviceptr *ret, size_t *ret_pitch, size_t width, size_t height,
				unsigned int element)
{
	uint64_t pitch = round_up_to(width, PITCH_UNIT);
	uint64_t bytes = height && pitch > UINT64_MAX / height ? UINT64_MAX : pitch * height;

	return COUNTED_MEMORY("cuMemAllocPitch", ret, bytes,
			      LIBCUDA_REAL(LIBCUDA_cuMemAllocPitch_v2, cuMemAllocPitch)(
				      ret, ret_pitch, width, height, element));
}

static CUresult mem_alloc_managed(CUdeviceptr *ret, size_t size, unsigned int flags)
{
	return COUNTED_MEMORY(
		"cuMemAllocManaged", ret, size,
		LIBCUDA_REAL(LIBCUDA_cuMemAllocManaged, cuMemAllocManaged)(ret, size, flags));
}

static CUresult mem_free(CUdeviceptr address)
{
	CUresult result;

	if (vmm_pool_owns(address)) {
		result = device_enter();
		return result ? result : (CUresult)cudart_free_device((void *)(uintptr_t)address);
	}
	result = WAITED(LIBCUDA_REAL(LIBCUDA_cuMemFree_v2, cuMemFree)(address));
	return library_memory_given_back(result, LIBRARY_MEMORY, address);
}

/* Memory of the session is registered as by cudaHostRegister(): its pages change between cells. */
static CUresult host_register(void *p, size_t size, unsigned int flags)
{
	CUresult result;

	if (!address_in_arena((uintptr_t)p))
		return LIBCUDA_REAL(LIBCUDA_cuMemHostRegister_v2, cuMemHostRegister)(p, size,
										     flags);
	result = device_enter();
	return result ? result : (CUresult)cudart_register_host(p, size);
}

static CUresult host_unregister(void *p)
{
	CUresult result = device_enter();

	if (!result)
		result = (CUresult)cudart_unregister_host(p);
	if (result != CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED)
		return result;
	return WAITED(LIBCUDA_REAL(LIBCUDA_cuMemHostUnregister, cuMemHostUnregister)(p));
}

/* ---- stream-ordered memory ---- */

/* Counts what a pool keeps beyond what was allocated from it. */
static void settle_pool(CUmemoryPool pool, int device_number)
{
	struct library_memory row = { .kind = LIBRARY_POOL,
				      .key = (uintptr_t)pool,
				      .call = "cuMemAllocAsync" };
	uint64_t live = library_memory_of_owner(LIBRARY_MEMORY, row.key);
	cuuint64_t reserved = 0;

	if (LIBCUDA_REAL(LIBCUDA_cuMemPoolGetAttribute, cuMemPoolGetAttribute)(
		    pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved))
		return;
	row.bytes = reserved > live ? reserved - live : 0;
	library_memory_settle(device_number, 0, &row);
}

static bool is_capturing(CUstream s, bool per_thread)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
	unsigned number =
		per_thread ? LIBCUDA_cuStreamIsCapturing_ptsz : LIBCUDA_cuStreamIsCapturing;

	return !LIBCUDA_REAL(number, cuStreamIsCapturing)(s, &status) &&
	       status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

/* The call and the row of what it gives. A captured one becomes a node of a graph. */
static CUresult counted_async(const char *name, CUdeviceptr *ret, size_t size, CUmemoryPool pool,
			      CUstream s, bool per_thread, libcuda_async_fn *call)
{
	struct library_memory row = { .kind = LIBRARY_MEMORY,
				      .bytes = libcuda_cost(size),
				      .owner = (uintptr_t)pool,
				      .call = name },
			      slack;
	uint64_t more = row.bytes;
	CUresult result;
	int device_number;

	result = libcuda_device(&device_number);
	if (result)
		return result;
	if (is_capturing(s, per_thread))
		return libcuda_captured(device_number, size, s, per_thread, call, ret);
	if (!pool &&
	    !LIBCUDA_REAL(LIBCUDA_cuDeviceGetMemPool, cuDeviceGetMemPool)(&pool, device_number))
		row.owner = (uintptr_t)pool;
	/* Memory that the pool holds back is counted already. */
	if (library_memory_find(LIBRARY_POOL, (uintptr_t)pool, &slack))
		more = slack.bytes < more ? more - slack.bytes : 0;
	result = library_memory_reserve(name, device_number, more);
	if (result)
		return result;
	result = call(ret, size, pool, s, per_thread);
	if (!result)
		row.key = *ret;
	library_memory_take(device_number, more, result, &row);
	settle_pool(pool, device_number);
	return result;
}

static CUresult call_alloc_async(CUdeviceptr *ret, size_t size, CUmemoryPool pool, CUstream s,
				 bool per_thread)
{
	unsigned number = per_thread ? LIBCUDA_cuMemAllocAsync_ptsz : LIBCUDA_cuMemAllocAsync;

	(void)pool;
	return LIBCUDA_REAL(number, cuMemAllocAsync)(ret, size, s);
}

static CUresult call_alloc_from_pool(CUdeviceptr *ret, size_t size, CUmemoryPool pool, CUstream s,
				     bool per_thread)
{
	unsigned number =
		per_thread ? LIBCUDA_cuMemAllocFromPoolAsync_ptsz : LIBCUDA_cuMemAllocFromPoolAsync;

	return LIBCUDA_REAL(number, cuMemAllocFromPoolAsync)(ret, size, pool, s);
}

static CUresult alloc_async(CUdeviceptr *ret, size_t size, CUstream s)
{
	return counted_async("cuMemAllocAsync", ret, size, NULL, s, false, call_alloc_async);
}

static CUresult alloc_async_per_thread(CUdeviceptr *ret, size_t size, CUstream s)
{
	return counted_async("cuMemAllocAsync", ret, size, NULL, s, true, call_alloc_async);
}

static CUresult alloc_from_pool(CUdeviceptr *ret, size_t size, CUmemoryPool pool, CUstream s)
{
	return counted_async("cuMemAllocFromPoolAsync", ret, size, pool, s, false,
			     call_alloc_from_pool);
}

static CUresult alloc_from_pool_per_thread(CUdeviceptr *ret, size_t size, CUmemoryPool pool,
					   CUstream s)
{
	return counted_async("cuMemAllocFromPoolAsync", ret, size, pool, s, true,
			     call_alloc_from_pool);
}

static CUresult free_async_on(unsigned number, CUdeviceptr address, CUstream s, bool per_thread)
{
	struct library_memory row;
	CUresult result;

	if (vmm_pool_owns(address))
		return CUDA_ERROR_INVALID_VALUE;
	result = LIBCUDA_REAL(number, cuMemFreeAsync)(address, s);
	/* A captured one only says what a graph will do. */
	if (result || is_capturing(s, per_thread) ||
	    !library_memory_find(LIBRARY_MEMORY, address, &row))
		return result;
	library_memory_drop(LIBRARY_MEMORY, address);
	if (row.owner)
		settle_pool((CUmemoryPool)(uintptr_t)row.owner, row.device);
	return result;
}

static CUresult free_async(CUdeviceptr address, CUstream s)
{
	return free_async_on(LIBCUDA_cuMemFreeAsync, address, s, false);
}

static CUresult free_async_per_thread(CUdeviceptr address, CUstream s)
{
	return free_async_on(LIBCUDA_cuMemFreeAsync_ptsz, address, s, true);
}

/* ---- arrays ---- */

static unsigned element_size(CUarray_format format, unsigned channels)
{
	switch (format) {
	case CU_AD_FORMAT_UNSIGNED_INT8:
	case CU_AD_FORMAT_SIGNED_INT8:
		return channels;
	case CU_AD_FORMAT_UNSIGNED_INT16:
	case CU_AD_FORMAT_SIGNED_INT16:
	case CU_AD_FORMAT_HALF:
		return 2 * channels;
	default:
		return 4 * (channels ? channels : 4); /* block formats are smaller than this */
	}
}

static uint64_t level_bytes(const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned level)
{
	uint64_t n[3] = { d->Width, d->Height, d->Depth },
		 bytes = element_size(d->Format, d->NumChannels);

	for (int i = 0; i < 3; i++) {
		/* The layers of a layered array stay as many. */
		if (i < 2 || !(d->Flags & CUDA_ARRAY3D_LAYERED))
			n[i] >>= level;
		if (!n[i])
			n[i] = 1;
		bytes = bytes > UINT64_MAX / n[i] ? UINT64_MAX : bytes * n[i];
	}
	return bytes;
}

/* Tiles that are mapped later take no memory before. */
static bool has_memory(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	return d && !(d->Flags & (CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING));
}

static CUresult counted_array(const char *name, uint64_t bytes,
			      CUresult (*call)(void *handle, const void *d, unsigned levels),
			      void **ret, const void *d, unsigned levels)
{
	struct library_memory row = { .kind = LIBRARY_ARRAY,
				      .bytes = libcuda_cost(bytes),
				      .call = name };
	CUresult result;
	int device_number;

	result = libcuda_device(&device_number);
	if (!result)
		result = library_memory_reserve(name, device_number, row.bytes);
	if (result)
		return result;
	result = call(ret, d, levels);
	if (!result)
		row.key = (uintptr_t)*ret;
	library_memory_take(device_number, row.bytes, result, &row);
	return result;
}

static CUresult call_array(void *ret, const void *d, unsigned levels)
{
	(void)levels;
	return LIBCUDA_REAL(LIBCUDA_cuArrayCreate_v2, cuArrayCreate)(ret, d);
}

static CUresult call_array_3d(void *ret, const void *d, unsigned levels)
{
	(void)levels;
	return LIBCUDA_REAL(LIBCUDA_cuArray3DCreate_v2, cuArray3DCreate)(ret, d);
}

static CUresult call_mipmap(void *ret, const void *d, unsigned levels)
{
	return LIBCUDA_REAL(LIBCUDA_cuMipmappedArrayCreate, cuMipmappedArrayCreate)(ret, d, levels);
}

static CUresult array_create(CUarray *ret, const CUDA_ARRAY_DESCRIPTOR *d)
{
	CUDA_ARRAY3D_DESCRIPTOR flat = { 0 };

	if (d)
		flat = (CUDA_ARRAY3D_DESCRIPTOR){ .Width = d->Width,
						  .Height = d->Height,
						  .Format = d->Format,
						  .NumChannels = d->NumChannels };
	return counted_array("cuArrayCreate", d ? level_bytes(&flat, 0) : 0, call_array,
			     (void **)ret, d, 1);
}

static CUresult array_create_3d(CUarray *ret, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	return counted_array("cuArray3DCreate", has_memory(d) ? level_bytes(d, 0) : 0,
			     call_array_3d, (void **)ret, d, 1);
}

static CUresult mipmap_create(CUmipmappedArray *ret, const CUDA_ARRAY3D_DESCRIPTOR *d,
			      unsigned levels)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; has_memory(d) && i < levels && i < 32; i++)
		bytes += level_bytes(d, i);
	return counted_array("cuMipmappedArrayCreate", bytes, call_mipmap, (void **)ret, d, levels);
}

static CUresult array_destroy(CUarray a)
{
	return library_memory_given_back(LIBCUDA_REAL(LIBCUDA_cuArrayDestroy, cuArrayDestroy)(a),
					 LIBRARY_ARRAY, (uintptr_t)a);
}

static CUresult mipmap_destroy(CUmipmappedArray a)
{
	return library_memory_given_back(
		LIBCUDA_REAL(LIBCUDA_cuMipmappedArrayDestroy, cuMipmappedArrayDestroy)(a),
		LIBRARY_ARRAY, (uintptr_t)a);
}

/* ---- limits and what is shown ---- */

static CUresult set_limit(CUlimit limit, size_t value)
{
	int device_number;
	CUresult result = libcuda_device(&device_number);

	return result ? result : library_memory_limit_set(device_number, limit, value);
}

static CUresult memory_info(size_t *ret_free, size_t *ret_total)
{
	size_t free_bytes = 0, total = 0;
	CUresult result = device.driver->cuMemGetInfo(&free_bytes, &total);

	if (result)
		return result;
	device_lock();
	ledger_cap_view(&free_bytes, &total);
	device_unlock();
	if (ret_free)
		*ret_free = free_bytes;
	if (ret_total)
		*ret_total = total;
	return CUDA_SUCCESS;
}

static CUresult total_memory(size_t *ret, CUdevice ordinal)
{
	CUresult result = device.driver->cuDeviceTotalMem(ret, ordinal);

	if (!result && device.limit && device.limit < *ret)
		*ret = device.limit;
	return result;
}

/* The worker has the primary contexts, too: what the caller has not taken he does not give back. */
static CUresult retain_context(CUcontext *ret, CUdevice ordinal)
{
	CUresult result = device.driver->cuDevicePrimaryCtxRetain(ret, ordinal);

	if (!result && cudart_has_device(ordinal))
		atomic_fetch_add(&device.contexts[ordinal].retained, 1);
	return result;
}

static CUresult release_context(CUdevice ordinal)
{
	if (!cudart_has_device(ordinal))
		return CUDA_ERROR_INVALID_DEVICE;
	if (atomic_fetch_sub(&device.contexts[ordinal].retained, 1) <= 0) {
		atomic_fetch_add(&device.contexts[ordinal].retained, 1);
		return CUDA_ERROR_INVALID_CONTEXT;
	}
	return LIBCUDA_REAL(LIBCUDA_cuDevicePrimaryCtxRelease_v2,
			    cuDevicePrimaryCtxRelease)(ordinal);
}

/* ---- what an address belongs to: buffers of the session lie in chunks, of which the driver would
 * tell ---- */

struct range {
	uint64_t address, size;
};

/* The buffer of the session that has the address; size 0: there is none. */
static struct range buffer_at(CUdeviceptr address)
{
	struct range ret = { 0 };
	const struct session_buffer *b;

	device_lock();
	b = device.session ? ledger_find(address) : NULL;
	if (b)
		ret = (struct range){ .address = b->address, .size = b->size };
	device_unlock();
	return ret;
}

static CUresult address_range(CUdeviceptr *ret_base, size_t *ret_size, CUdeviceptr address)
{
	struct range b = buffer_at(address);

	if (!b.size)
		return LIBCUDA_REAL(LIBCUDA_cuMemGetAddressRange_v2,
				    cuMemGetAddressRange)(ret_base, ret_size, address);
	if (ret_base)
		*ret_base = b.address;
	if (ret_size)
		*ret_size = b.size;
	return CUDA_SUCCESS;
}

/* False: the driver knows better. */
static bool tell_range(void *ret, CUpointer_attribute attribute, const struct range *b)
{
	if (!ret || !b->size)
		return false;
	if (attribute == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR)
		*(CUdeviceptr *)ret = b->address;
	else if (attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE)
		*(size_t *)ret = b->size;
	else
		return false;
	return true;
}

static CUresult pointer_attribute(void *ret, CUpointer_attribute attribute, CUdeviceptr address)
{
	struct range b = buffer_at(address);
	CUresult result = libcuda_renew_pinning();

	if (result || tell_range(ret, attribute, &b))
		return result;
	return LIBCUDA_REAL(LIBCUDA_cuPointerGetAttribute, cuPointerGetAttribute)(ret, attribute,
										  address);
}

static CUresult pointer_attributes(unsigned n, CUpointer_attribute *attributes, void **ret,
				   CUdeviceptr address)
{
	struct range b = buffer_at(address);
	CUresult result = libcuda_renew_pinning();

	if (!result)
		result = LIBCUDA_REAL(LIBCUDA_cuPointerGetAttributes,
				      cuPointerGetAttributes)(n, attributes, ret, address);
	for (unsigned i = 0; i < n && !result; i++)
		tell_range(ret[i], attributes[i], &b);
	return result;
}

const struct libcuda_guard libcuda_memory_guards[] = {
	LIBCUDA_GUARD(cuMemAlloc_v2, mem_alloc),
	LIBCUDA_GUARD(cuMemAllocPitch_v2, mem_alloc_pitch),
	LIBCUDA_GUARD(cuMemAllocManaged, mem_alloc_managed),
	LIBCUDA_GUARD(cuMemFree_v2, mem_free),
	LIBCUDA_GUARD(cuMemHostRegister_v2, host_register),
	LIBCUDA_GUARD(cuMemHostUnregister, host_unregister),
	LIBCUDA_GUARD(cuMemAllocAsync, alloc_async),
	LIBCUDA_GUARD(cuMemAllocAsync_ptsz, alloc_async_per_thread),
	LIBCUDA_GUARD(cuMemAllocFromPoolAsync, alloc_from_pool),
	LIBCUDA_GUARD(cuMemAllocFromPoolAsync_ptsz, alloc_from_pool_per_thread),
	LIBCUDA_GUARD(cuMemFreeAsync, free_async),
	LIBCUDA_GUARD(cuMemFreeAsync_ptsz, free_async_per_thread),
	LIBCUDA_GUARD(cuArrayCreate_v2, array_create),
	LIBCUDA_GUARD(cuArray3DCreate_v2, array_create_3d),
	LIBCUDA_GUARD(cuMipmappedArrayCreate, mipmap_create),
	LIBCUDA_GUARD(cuArrayDestroy, array_destroy),
	LIBCUDA_GUARD(cuMipmappedArrayDestroy, mipmap_destroy),
	LIBCUDA_GUARD(cuCtxSetLimit, set_limit),
	LIBCUDA_GUARD(cuMemGetAddressRange_v2, address_range),
	LIBCUDA_GUARD(cuMemGetInfo_v2, memory_info),
	LIBCUDA_GUARD(cuPointerGetAttribute, pointer_attribute),
	LIBCUDA_GUARD(cuPointerGetAttributes, pointer_attributes),
	LIBCUDA_GUARD(cuDeviceTotalMem_v2, total_memory),
	LIBCUDA_GUARD(cuDevicePrimaryCtxRetain, retain_context),
	LIBCUDA_GUARD(cuDevicePrimaryCtxRelease_v2, release_context),
	{ 0, NULL },
};
