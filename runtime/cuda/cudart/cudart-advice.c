/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runtime API, chapter Memory Management: advice about managed memory. It has one place that all
 * reach, so advice changes nothing; it is kept in the session for who asks.
 */
#include "runtime/cuda/cudart/cudart.h"

#include "runtime/cuda/session/advice.h"

/* The range lies in one buffer that this advice is for. */
static cudaError_t check(const void *p, size_t size, const struct cudaMemLocation *l)
{
	if (l && l->type == cudaMemLocationTypeDevice && !cudart_has_device(l->id))
		return cudaErrorInvalidDevice;
	return ledger_holds((uintptr_t)p, size) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t give(const void *p, size_t size, enum session_advice_about about,
			struct cudaMemLocation location)
{
	cudaError_t result = check(p, size, &location);

	device_lock();
	if (!result)
		result = advice_keep(&(struct session_advice){ (uintptr_t)p, (uintptr_t)p + size,
							       about, location })
				 ? cudaSuccess
				 : cudaErrorMemoryAllocation;
	device_unlock();
	return result;
}

/* The host has no number, but a name. */
static struct cudaMemLocation with_number(struct cudaMemLocation l)
{
	if (l.type == cudaMemLocationTypeHost)
		l.id = cudaCpuDeviceId;
	return l;
}

static cudaError_t prefetch(const void *p, size_t size, struct cudaMemLocation location,
			    unsigned flags, cudaStream_t stream)
{
	CUstream s;
	cudaError_t result = flags ? cudaErrorInvalidValue : cudart_stream(stream, &s);

	return result ? result : give(p, size, ADVICE_PREFETCH, with_number(location));
}

cudaError_t cudaMemPrefetchAsync(const void *p, size_t size, struct cudaMemLocation location,
				 unsigned int flags, cudaStream_t stream)
{
	return CUDART_CALL(prefetch(p, size, location, flags, stream));
}

static cudaError_t advise(const void *p, size_t size, enum cudaMemoryAdvise advice,
			  struct cudaMemLocation location)
{
	struct cudaMemLocation none = { .type = cudaMemLocationTypeInvalid,
					.id = cudaInvalidDeviceId };

	switch (advice) {
	case cudaMemAdviseSetReadMostly:
		return give(p, size, ADVICE_READ_MOSTLY,
			    (struct cudaMemLocation){ .type = cudaMemLocationTypeHost, .id = 1 });
	case cudaMemAdviseUnsetReadMostly:
		return give(p, size, ADVICE_READ_MOSTLY, none);
	case cudaMemAdviseSetPreferredLocation:
		return give(p, size, ADVICE_PREFERRED, with_number(location));
	case cudaMemAdviseUnsetPreferredLocation:
		return give(p, size, ADVICE_PREFERRED, none);
	case cudaMemAdviseSetAccessedBy:
		return give(p, size, ADVICE_ACCESSED_BY, with_number(location));
	case cudaMemAdviseUnsetAccessedBy:
		none.id = with_number(location).id;
		return give(p, size, ADVICE_ACCESSED_BY, none);
	default:
		return cudaErrorInvalidValue;
	}
}

cudaError_t cudaMemAdvise(const void *p, size_t size, enum cudaMemoryAdvise advice,
			  struct cudaMemLocation location)
{
	return CUDART_CALL(advise(p, size, advice, location));
}

/* All that have it for the whole range, then as many times nothing as there is room. */
static void list_accessors(int *ret, size_t room, uint64_t at, uint64_t end)
{
	size_t n = 0;

	for (int i = cudaCpuDeviceId; i < device.count && n < room; i++)
		if (advice_location(ADVICE_ACCESSED_BY, i, at, end).type !=
		    cudaMemLocationTypeInvalid)
			ret[n++] = i;
	while (n < room)
		ret[n++] = cudaInvalidDeviceId;
}

static cudaError_t answer(void *ret, size_t size, enum cudaMemRangeAttribute attribute, uint64_t at,
			  uint64_t end)
{
	struct cudaMemLocation preferred = advice_location(ADVICE_PREFERRED, 0, at, end);
	struct cudaMemLocation prefetched = advice_location(ADVICE_PREFETCH, 0, at, end);

	if (!ret || !size || size % sizeof(int) ||
	    (attribute != cudaMemRangeAttributeAccessedBy && size != sizeof(int)))
		return cudaErrorInvalidValue;
	switch (attribute) {
	case cudaMemRangeAttributeReadMostly:
		*(int *)ret = advice_location(ADVICE_READ_MOSTLY, 0, at, end).type !=
			      cudaMemLocationTypeInvalid;
		return cudaSuccess;
	case cudaMemRangeAttributePreferredLocation:
	case cudaMemRangeAttributePreferredLocationId:
		*(int *)ret = preferred.id;
		return cudaSuccess;
	case cudaMemRangeAttributePreferredLocationType:
		*(int *)ret = (int)preferred.type;
		return cudaSuccess;
	case cudaMemRangeAttributeAccessedBy:
		list_accessors(ret, size / sizeof(int), at, end);
		return cudaSuccess;
	case cudaMemRangeAttributeLastPrefetchLocation:
	case cudaMemRangeAttributeLastPrefetchLocationId:
		*(int *)ret = prefetched.id;
		return cudaSuccess;
	case cudaMemRangeAttributeLastPrefetchLocationType:
		*(int *)ret = (int)prefetched.type;
		return cudaSuccess;
	default:
		return cudaErrorInvalidValue;
	}
}

static cudaError_t attributes(void **ret, const size_t *sizes,
			      const enum cudaMemRangeAttribute *asked, size_t n, const void *p,
			      size_t size)
{
	const struct session_buffer *b;
	cudaError_t result = ret && sizes && asked && n ? cudaSuccess : cudaErrorInvalidValue;

	device_lock();
	b = ledger_find((uintptr_t)p);
	if (!b || b->kind != BUFFER_MANAGED || !size || !ledger_holds((uintptr_t)p, size))
		result = cudaErrorInvalidValue;
	for (size_t i = 0; i < n && !result; i++)
		result = answer(ret[i], sizes[i], asked[i], (uintptr_t)p, (uintptr_t)p + size);
	device_unlock();
	return result;
}

cudaError_t cudaMemRangeGetAttribute(void *ret, size_t ret_size,
				     enum cudaMemRangeAttribute attribute, const void *p,
				     size_t size)
{
	return CUDART_CALL(attributes(&ret, &ret_size, &attribute, 1, p, size));
}

cudaError_t cudaMemRangeGetAttributes(void **ret, size_t *sizes, enum cudaMemRangeAttribute *asked,
				      size_t n, const void *p, size_t size)
{
	return CUDART_CALL(attributes(ret, sizes, asked, n, p, size));
}
