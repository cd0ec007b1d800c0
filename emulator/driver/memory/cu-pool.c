/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver API, chapter Stream Ordered Memory Allocator: pools. A pool is a device, a limit and its
 * statistics: memory is taken from the device for each allocation, and given back in the stream's
 * order, so nothing is held back in between. Memory that is still in use when its pool is destroyed
 * lives on.
 */
#include "emulator/driver/memory/cu-pool.h"

#include <pthread.h>
#include <stdlib.h>

#include "emulator/driver/device/handle-memory.h"
#include "emulator/driver/device/memory.h"

#define POOL_MAGIC 0x504f4f4cull

static struct handle_memory handles = HANDLE_MEMORY(struct CUmemPoolHandle_st);

static struct pool_table {
	pthread_mutex_t lock; /* of the pools, too */
	struct CUmemPoolHandle_st defaults[GPU_DEVICES_MAX];
	CUmemoryPool current[GPU_DEVICES_MAX]; /* NULL: the default one */
} pools = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void init(CUmemoryPool p, const CUmemPoolProps *props)
{
	*p = (struct CUmemPoolHandle_st){ .magic = POOL_MAGIC,
					  .props = *props,
					  .reuse = { 1, 1, 1 } };
}

CUmemoryPool cu_pool_default(int device)
{
	CUmemoryPool p = &pools.defaults[device];

	pthread_mutex_lock(&pools.lock);
	if (!p->magic)
		init(p, &(CUmemPoolProps){ .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
					   .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE,
							 .id = device } });
	pthread_mutex_unlock(&pools.lock);
	return p;
}

CUmemoryPool cu_pool_current(int device)
{
	return pools.current[device] ? pools.current[device] : cu_pool_default(device);
}

bool cu_pool_valid(CUmemoryPool p)
{
	return p && p->magic == POOL_MAGIC && !p->gone;
}

static bool is_default(CUmemoryPool p)
{
	return p >= pools.defaults && p < pools.defaults + GPU_DEVICES_MAX;
}

static void drop_if_unused(CUmemoryPool p)
{
	if (!p->gone || p->used)
		return;
	handle_memory_give(&handles, p);
}

/* ---- memory ---- */

CUresult cu_pool_take(CUmemoryPool p, size_t size)
{
	bool fits;

	pthread_mutex_lock(&pools.lock);
	fits = !p->props.maxSize ||
	       (size <= p->props.maxSize && p->used <= p->props.maxSize - size);
	if (fits)
		p->used += size;
	if (p->used > p->used_high)
		p->used_high = p->used;
	pthread_mutex_unlock(&pools.lock);
	return fits ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

void cu_pool_give_back(CUmemoryPool p, size_t size)
{
	pthread_mutex_lock(&pools.lock);
	p->used -= size;
	drop_if_unused(p);
	pthread_mutex_unlock(&pools.lock);
}

void cu_pool_freed(const struct mapping *m)
{
	if (m->pool)
		cu_pool_give_back(m->pool, m->size);
}

/* ---- pools ---- */

CUresult cuMemPoolCreate(CUmemoryPool *ret, const CUmemPoolProps *props)
{
	CUresult result = gpu_enter("cuMemPoolCreate", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!ret || !props || props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
		return CUDA_ERROR_INVALID_VALUE;
	if (props->location.type != CU_MEM_LOCATION_TYPE_DEVICE || props->handleTypes)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (!gpu_has(props->location.id))
		return CUDA_ERROR_INVALID_DEVICE;
	*ret = handle_memory_take(&handles);
	if (!*ret)
		return CUDA_ERROR_OUT_OF_MEMORY;
	init(*ret, props);
	return CUDA_SUCCESS;
}

CUresult cuMemPoolDestroy(CUmemoryPool p)
{
	CUresult result = gpu_enter("cuMemPoolDestroy", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!cu_pool_valid(p) || is_default(p))
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&pools.lock);
	for (int i = 0; i < GPU_DEVICES_MAX; i++)
		if (pools.current[i] == p)
			pools.current[i] = NULL;
	p->gone = true;
	drop_if_unused(p);
	pthread_mutex_unlock(&pools.lock);
	return CUDA_SUCCESS;
}

/* Whether the device is there and so is where to answer to. */
static CUresult ask_device(const char *call, const void *ret, int device)
{
	CUresult result = gpu_enter(call, GPU_CALL_DEVICE);

	if (!result && !ret)
		result = CUDA_ERROR_INVALID_VALUE;
	return result || gpu_has(device) ? result : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *ret, CUdevice device)
{
	CUresult result = ask_device("cuDeviceGetDefaultMemPool", ret, device);

	if (!result)
		*ret = cu_pool_default(device);
	return result;
}

CUresult cuDeviceGetMemPool(CUmemoryPool *ret, CUdevice device)
{
	CUresult result = ask_device("cuDeviceGetMemPool", ret, device);

	if (!result)
		*ret = cu_pool_current(device);
	return result;
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool p)
{
	CUresult result = ask_device("cuDeviceSetMemPool", p, device);

	if (result || !cu_pool_valid(p) || p->props.location.id != device)
		return result ? result : CUDA_ERROR_INVALID_VALUE;
	pools.current[device] = p;
	return CUDA_SUCCESS;
}

/* By a place: that of a device. */
static bool is_on_device(const CUmemLocation *l, CUmemAllocationType type)
{
	return l && l->type == CU_MEM_LOCATION_TYPE_DEVICE && type == CU_MEM_ALLOCATION_TYPE_PINNED;
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool *ret, CUmemLocation *l, CUmemAllocationType type)
{
	return is_on_device(l, type) ? cuDeviceGetDefaultMemPool(ret, l->id)
				     : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuMemGetMemPool(CUmemoryPool *ret, CUmemLocation *l, CUmemAllocationType type)
{
	return is_on_device(l, type) ? cuDeviceGetMemPool(ret, l->id) : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuMemSetMemPool(CUmemLocation *l, CUmemAllocationType type, CUmemoryPool p)
{
	return is_on_device(l, type) ? cuDeviceSetMemPool(l->id, p) : CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult ask_pool(const char *call, CUmemoryPool p, const void *ret)
{
	CUresult result = gpu_enter(call, GPU_CALL_DEVICE);

	return result ? result : cu_pool_valid(p) && ret ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemPoolTrimTo(CUmemoryPool p, size_t keep)
{
	(void)keep;
	return ask_pool("cuMemPoolTrimTo", p, p);
}

/* The two high marks can be set to 0 only. */
CUresult cuMemPoolSetAttribute(CUmemoryPool p, CUmemPool_attribute attribute, void *value)
{
	CUresult result = ask_pool("cuMemPoolSetAttribute", p, value);

	if (result)
		return result;
	switch (attribute) {
	case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
	case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
	case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
		p->reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES] =
			*(const int *)value;
		return CUDA_SUCCESS;
	case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
		p->release_threshold = *(const cuuint64_t *)value;
		return CUDA_SUCCESS;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
	case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
		if (*(const cuuint64_t *)value)
			return CUDA_ERROR_INVALID_VALUE;
		p->used_high = p->used;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult cuMemPoolGetAttribute(CUmemoryPool p, CUmemPool_attribute attribute, void *ret)
{
	CUresult result = ask_pool("cuMemPoolGetAttribute", p, ret);

	if (result)
		return result;
	switch (attribute) {
	case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
	case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
	case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
		*(int *)ret = p->reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES];
		return CUDA_SUCCESS;
	case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
		*(cuuint64_t *)ret = p->release_threshold;
		return CUDA_SUCCESS;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
	case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
		*(cuuint64_t *)ret = p->used;
		return CUDA_SUCCESS;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
	case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
		*(cuuint64_t *)ret = p->used_high;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

/* A device has its own pools for good, and reaches those of others as it reaches their memory. */
CUresult cuMemPoolSetAccess(CUmemoryPool p, const CUmemAccessDesc *desc, size_t n)
{
	CUresult result = ask_pool("cuMemPoolSetAccess", p, desc);

	for (size_t i = 0; i < n && !result; i++) {
		const CUmemLocation *l = &desc[i].location;

		if (l->type != CU_MEM_LOCATION_TYPE_DEVICE)
			result = CUDA_ERROR_INVALID_VALUE;
		else if (!gpu_has(l->id))
			result = CUDA_ERROR_INVALID_DEVICE;
		else if (l->id != p->props.location.id)
			memory_peer(l->id, p->props.location.id,
				    desc[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
		else if (desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
			result = CUDA_ERROR_INVALID_DEVICE;
	}
	return result;
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *ret, CUmemoryPool p, CUmemLocation *l)
{
	CUresult result = ask_pool("cuMemPoolGetAccess", p, ret);
	int owner, peer = 0;

	if (result || !l || l->type != CU_MEM_LOCATION_TYPE_DEVICE)
		return result ? result : CUDA_ERROR_INVALID_VALUE;
	if (!gpu_has(l->id))
		return CUDA_ERROR_INVALID_DEVICE;
	owner = p->props.location.id;
	if (l->id != owner) {
		peer = memory_peer(l->id, owner, true);
		memory_peer(l->id, owner, peer);
	}
	*ret = l->id == owner || peer ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
				      : CU_MEM_ACCESS_FLAGS_PROT_NONE;
	return CUDA_SUCCESS;
}
