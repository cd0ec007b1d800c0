/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runtime API, chapter Stream Ordered Memory Allocator. A pool has chunks of its own, so that it
 * can be open to devices that do not reach the rest; what is freed is the session's again at once,
 * and its chunks go back with the cell at the latest, whatever the release threshold says. Pools
 * are session state.
 */
#include "runtime/cuda/cudart/cudart.h"

#include <string.h>

#include "runtime/cuda/graphs/graphs.h"
#include "runtime/cuda/memory/vmm-pool.h"
#include "runtime/cuda/rollback/preimage.h"
#include "runtime/cuda/session/capture.h"
#include "runtime/cuda/session/handles.h"

static struct session_pool *new_pool(int ordinal, uint64_t max_size)
{
	struct session_pool *p = device.host->session_alloc(sizeof(*p));
	struct session_pool **slot =
		p ? session_append(&device.session->pools, struct session_pool *) : NULL;

	if (!slot) {
		if (p)
			device.host->session_free(p);
		return NULL;
	}
	*p = (struct session_pool){ .device = ordinal, .max_size = max_size, .reuse = { 1, 1, 1 } };
	*slot = p;
	return p;
}

/* The default pool of a device, made when it is first asked for; NULL when there is no memory for
 * it. device.lock is held. */
static struct session_pool *default_pool(int ordinal)
{
	struct session_pool **p = &device.session->default_pool[ordinal];

	if (!*p)
		*p = new_pool(ordinal, 0);
	return *p;
}

static struct session_pool *current_pool(int ordinal)
{
	struct session_pool *p = device.session->current_pool[ordinal];

	return p ? p : default_pool(ordinal);
}

static struct session_pool *find(cudaMemPool_t pool)
{
	return session_index_of(&device.session->pools, pool) < 0 ? NULL
								  : (struct session_pool *)pool;
}

static uint64_t used(const struct session_pool *p)
{
	const struct session_array *a = &device.session->buffers;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < a->n; i++) {
		const struct session_buffer *b = session_at(a, struct session_buffer, i);

		if (b->pool == p && !b->dead)
			sum += b->size;
	}
	return sum;
}

static void note_high(struct session_pool *p)
{
	uint64_t bytes = used(p), reserved = vmm_pool_reserved(p);

	if (bytes > p->used_high)
		p->used_high = bytes;
	if (reserved > p->reserved_high)
		p->reserved_high = reserved;
}

/* pool NULL: the current one of the stream's device. */
static cudaError_t allocate(const char *call, void **ret, size_t size, cudaMemPool_t pool,
			    cudaStream_t stream)
{
	struct ledger_request r = cudart_request(call, size, BUFFER_MALLOC);
	struct session_stream *captured = capture_find(stream);
	struct session_pool *p;
	uint64_t address = 0;
	cudaError_t result = cudaSuccess;
	CUstream s;

	if (!ret)
		return cudaErrorInvalidValue;
	device_lock();
	p = pool ? find(pool) : current_pool(handles_stream_device(stream));
	if (!p)
		result = pool ? cudaErrorInvalidValue : cudaErrorMemoryAllocation;
	else if (!captured)
		result = cudart_stream(stream, &s);
	if (!result && p->max_size && (size > p->max_size || used(p) > p->max_size - size))
		result = cudaErrorMemoryAllocation;
	if (p) {
		r.device = p->device;
		r.pool = p;
	}
	if (!result && size)
		result = cudart_error(ledger_alloc(&r, &address));
	if (!result && size)
		note_high(p);
	device_unlock();
	cudart_forget_note();
	if (!result && captured)
		result = graphs_capture(
			captured, &(struct session_node){
					  .kind = NODE_ALLOC,
					  .memory = { (void *)(uintptr_t)address, size, false } });
	if (!result)
		*ret = (void *)(uintptr_t)address;
	return result;
}

cudaError_t cudaMallocAsync(void **ret, size_t size, cudaStream_t stream)
{
	return CUDART_CALL(allocate("cudaMallocAsync", ret, size, NULL, stream));
}

cudaError_t cudaMallocFromPoolAsync(void **ret, size_t size, cudaMemPool_t pool,
				    cudaStream_t stream)
{
	return CUDART_CALL(pool ? allocate("cudaMallocFromPoolAsync", ret, size, pool, stream)
				: cudaErrorInvalidValue);
}

static cudaError_t free_async(void *p, cudaStream_t stream)
{
	struct session_stream *captured = capture_find(stream);
	cudaError_t result;
	CUstream s;

	if (captured && p)
		return graphs_capture(
			captured,
			&(struct session_node){ .kind = NODE_FREE, .memory = { p, 0, false } });
	result = cudart_stream(stream, &s);
	return result ? result : p ? cudart_free_device(p) : cudaErrorInvalidValue;
}

cudaError_t cudaFreeAsync(void *p, cudaStream_t stream)
{
	return CUDART_CALL(free_async(p, stream));
}

static cudaError_t create(cudaMemPool_t *ret, const struct cudaMemPoolProps *props)
{
	struct session_pool *p;

	if (!ret || !props || props->allocType != cudaMemAllocationTypePinned)
		return cudaErrorInvalidValue;
	if (props->location.type != cudaMemLocationTypeDevice || props->handleTypes)
		return cudaErrorNotSupported;
	if (!cudart_has_device(props->location.id))
		return cudaErrorInvalidDevice;
	device_lock();
	p = new_pool(props->location.id, props->maxSize);
	device_unlock();
	*ret = (cudaMemPool_t)p;
	return p ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *ret, const struct cudaMemPoolProps *props)
{
	return CUDART_CALL(create(ret, props));
}

/* Memory that was taken from a pool lives on until it is freed. */
static cudaError_t destroy(cudaMemPool_t pool)
{
	struct device_session *s = device.session;
	struct session_pool *p;

	device_lock();
	p = find(pool);
	if (p && s->default_pool[p->device] == p)
		p = NULL;
	for (uint32_t i = 0; p && i < s->buffers.n; i++)
		if (session_at(&s->buffers, struct session_buffer, i)->pool == p)
			session_at(&s->buffers, struct session_buffer, i)->pool = NULL;
	for (int i = 0; p && i < DEVICES_MAX; i++)
		if (s->current_pool[i] == p)
			s->current_pool[i] = NULL;
	if (p) {
		vmm_pool_disown(p);
		vmm_pool_reach_changed();
		preimage_reach_changed();
		session_remove(&s->pools, sizeof(void *),
			       (uint32_t)session_index_of(&device.session->pools, pool));
		device.host->session_free(p);
	}
	device_unlock();
	return p ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
	return CUDART_CALL(destroy(pool));
}

static cudaError_t give_pool(cudaMemPool_t *ret, int ordinal, bool current)
{
	struct session_pool *p;

	if (!ret || !cudart_has_device(ordinal))
		return ret ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
	device_lock();
	p = current ? current_pool(ordinal) : default_pool(ordinal);
	device_unlock();
	*ret = (cudaMemPool_t)p;
	return p ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *ret, int ordinal)
{
	return CUDART_CALL(give_pool(ret, ordinal, false));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *ret, int ordinal)
{
	return CUDART_CALL(give_pool(ret, ordinal, true));
}

static cudaError_t set_pool(int ordinal, cudaMemPool_t pool)
{
	struct session_pool *p;

	if (!cudart_has_device(ordinal))
		return cudaErrorInvalidDevice;
	device_lock();
	p = find(pool);
	if (p && p->device != ordinal)
		p = NULL;
	if (p)
		device.session->current_pool[ordinal] = p;
	device_unlock();
	return p ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaDeviceSetMemPool(int ordinal, cudaMemPool_t pool)
{
	return CUDART_CALL(set_pool(ordinal, pool));
}

/* Pools are of devices; those of the host and of managed memory are not there. */
static cudaError_t check_location(const struct cudaMemLocation *l, enum cudaMemAllocationType type)
{
	if (!l || (type != cudaMemAllocationTypePinned && type != cudaMemAllocationTypeManaged))
		return cudaErrorInvalidValue;
	return l->type == cudaMemLocationTypeDevice && type == cudaMemAllocationTypePinned
		       ? cudaSuccess
		       : cudaErrorNotSupported;
}

static cudaError_t give_pool_at(cudaMemPool_t *ret, const struct cudaMemLocation *l,
				enum cudaMemAllocationType type, bool current)
{
	cudaError_t result = check_location(l, type);

	return result ? result : give_pool(ret, l->id, current);
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *ret, struct cudaMemLocation *l,
				     enum cudaMemAllocationType type)
{
	return CUDART_CALL(give_pool_at(ret, l, type, false));
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *ret, struct cudaMemLocation *l,
			      enum cudaMemAllocationType type)
{
	return CUDART_CALL(give_pool_at(ret, l, type, true));
}

static cudaError_t set_pool_at(const struct cudaMemLocation *l, enum cudaMemAllocationType type,
			       cudaMemPool_t pool)
{
	cudaError_t result = check_location(l, type);

	return result ? result : set_pool(l->id, pool);
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *l, enum cudaMemAllocationType type,
			      cudaMemPool_t pool)
{
	return CUDART_CALL(set_pool_at(l, type, pool));
}

/* The two high marks can be set to 0 only. */
static cudaError_t set_attribute(struct session_pool *p, enum cudaMemPoolAttr attribute,
				 const void *value)
{
	switch (attribute) {
	case cudaMemPoolReuseFollowEventDependencies:
	case cudaMemPoolReuseAllowOpportunistic:
	case cudaMemPoolReuseAllowInternalDependencies:
		p->reuse[attribute - cudaMemPoolReuseFollowEventDependencies] = *(const int *)value;
		return cudaSuccess;
	case cudaMemPoolAttrReleaseThreshold:
		p->release_threshold = *(const uint64_t *)value;
		return cudaSuccess;
	case cudaMemPoolAttrReservedMemHigh:
	case cudaMemPoolAttrUsedMemHigh:
		if (*(const uint64_t *)value)
			return cudaErrorInvalidValue;
		if (attribute == cudaMemPoolAttrUsedMemHigh)
			p->used_high = used(p);
		else
			p->reserved_high = vmm_pool_reserved(p);
		return cudaSuccess;
	default:
		return cudaErrorInvalidValue;
	}
}

static cudaError_t get_attribute(const struct session_pool *p, enum cudaMemPoolAttr attribute,
				 void *ret)
{
	switch (attribute) {
	case cudaMemPoolReuseFollowEventDependencies:
	case cudaMemPoolReuseAllowOpportunistic:
	case cudaMemPoolReuseAllowInternalDependencies:
		*(int *)ret = p->reuse[attribute - cudaMemPoolReuseFollowEventDependencies];
		return cudaSuccess;
	case cudaMemPoolAttrReleaseThreshold:
		*(uint64_t *)ret = p->release_threshold;
		return cudaSuccess;
	case cudaMemPoolAttrReservedMemCurrent:
		*(uint64_t *)ret = vmm_pool_reserved(p);
		return cudaSuccess;
	case cudaMemPoolAttrUsedMemCurrent:
		*(uint64_t *)ret = used(p);
		return cudaSuccess;
	case cudaMemPoolAttrReservedMemHigh:
		*(uint64_t *)ret = p->reserved_high;
		return cudaSuccess;
	case cudaMemPoolAttrUsedMemHigh:
		*(uint64_t *)ret = p->used_high;
		return cudaSuccess;
	default:
		return cudaErrorInvalidValue;
	}
}

static cudaError_t attribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value,
			     bool set)
{
	cudaError_t result = cudaErrorInvalidValue;
	struct session_pool *p;

	device_lock();
	p = find(pool);
	if (p && value)
		result = set ? set_attribute(p, attribute, value)
			     : get_attribute(p, attribute, value);
	device_unlock();
	return result;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value)
{
	return CUDART_CALL(attribute(pool, attr, value, true));
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value)
{
	return CUDART_CALL(attribute(pool, attr, value, false));
}

/* Pools hold back nothing but chunks of this cell, which go or stay together. */
static cudaError_t trim(cudaMemPool_t pool, size_t keep)
{
	struct session_pool *p;

	device_lock();
	p = find(pool);
	if (p && vmm_pool_reserved(p) > keep)
		vmm_pool_trim();
	device_unlock();
	return p ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
	return CUDART_CALL(trim(pool, keep));
}

/* Nobody takes its own memory from a device, and there is reading and writing or nothing. */
static cudaError_t check_access(const struct session_pool *p, const struct cudaMemAccessDesc *d)
{
	if (d->location.type != cudaMemLocationTypeDevice ||
	    (d->flags != cudaMemAccessFlagsProtReadWrite && d->flags != cudaMemAccessFlagsProtNone))
		return cudaErrorInvalidValue;
	if (!cudart_has_device(d->location.id) ||
	    (d->location.id == p->device && d->flags == cudaMemAccessFlagsProtNone))
		return cudaErrorInvalidDevice;
	return cudaSuccess;
}

static cudaError_t set_access(cudaMemPool_t pool, const struct cudaMemAccessDesc *desc, size_t n)
{
	struct session_pool *p;
	cudaError_t result = cudaErrorInvalidValue;

	device_lock();
	p = find(pool);
	if (p && (desc || !n))
		result = cudaSuccess;
	for (size_t i = 0; i < n && !result; i++)
		result = check_access(p, &desc[i]);
	for (size_t i = 0; i < n && !result; i++) {
		uint32_t bit = 1u << desc[i].location.id;

		p->access = desc[i].flags == cudaMemAccessFlagsProtNone ? p->access & ~bit
									: p->access | bit;
	}
	if (!result)
		result = cudart_error(vmm_pool_reach_changed());
	preimage_reach_changed();
	device_unlock();
	return result;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *desc, size_t n)
{
	return CUDART_CALL(set_access(pool, desc, n));
}

static cudaError_t get_access(enum cudaMemAccessFlags *ret, cudaMemPool_t pool,
			      const struct cudaMemLocation *location)
{
	const struct session_pool *p;
	bool open = false;

	device_lock();
	p = find(pool);
	if (p && location)
		open = location->id == p->device ||
		       (cudart_has_device(location->id) && (p->access >> location->id & 1));
	device_unlock();
	if (!p || !ret || !location || location->type != cudaMemLocationTypeDevice)
		return cudaErrorInvalidValue;
	if (!cudart_has_device(location->id))
		return cudaErrorInvalidDevice;
	*ret = open ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
	return cudaSuccess;
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *ret, cudaMemPool_t pool,
				 struct cudaMemLocation *location)
{
	return CUDART_CALL(get_access(ret, pool, location));
}
