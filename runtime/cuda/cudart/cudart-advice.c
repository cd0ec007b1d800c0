/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runtime API, chapter Memory Management: advice about managed memory. It has one place that all
 * reach, so advice changes nothing; it is kept in the session for who asks. Each piece of advice
 * holds for a range, the latest one where several do.
 */
#include "runtime/cuda/cudart/cudart.h"

#include "runtime/cuda/cudart/advice.h"

static const struct session_advice nothing = { .location = { .type = cudaMemLocationTypeInvalid,
							     .id = cudaInvalidDeviceId } };

static struct session_advice *advice_at(uint32_t i)
{
	return session_at(&device.session->advice, struct session_advice, i);
}

static bool is_same(const struct session_advice *a, const struct session_advice *b)
{
	return a->about == b->about &&
	       (a->about != ADVICE_ACCESSED_BY || a->location.id == b->location.id);
}

/* What it hides goes. */
static cudaError_t keep(const struct session_advice *a)
{
	struct session_advice *slot;

	for (uint32_t i = device.session->advice.n; i-- > 0;)
		if (is_same(advice_at(i), a) && advice_at(i)->begin >= a->begin &&
		    advice_at(i)->end <= a->end)
			session_remove(&device.session->advice, sizeof(*a), i);
	slot = session_append(&device.session->advice, struct session_advice);
	if (slot)
		*slot = *a;
	return slot ? cudaSuccess : cudaErrorMemoryAllocation;
}

void advice_forget(uint64_t address, uint64_t size)
{
	for (uint32_t i = device.session->advice.n; i-- > 0;)
		if (advice_at(i)->begin < address + size && advice_at(i)->end > address)
			session_remove(&device.session->advice, sizeof(struct session_advice), i);
}

/* What holds at an address; *ret_end: how far, `end` at most. */
static const struct session_advice *look(const struct session_advice *asked, uint64_t at,
					 uint64_t end, uint64_t *ret_end)
{
	const struct session_advice *found = &nothing;

	*ret_end = end;
	for (uint32_t i = 0; i < device.session->advice.n; i++) {
		const struct session_advice *a = advice_at(i);

		if (!is_same(a, asked) || a->end <= at)
			continue;
		if (a->begin <= at)
			found = a;
		if (a->begin > at && a->begin < *ret_end)
			*ret_end = a->begin;
		else if (a->begin <= at && a->end < *ret_end)
			*ret_end = a->end;
	}
	return found;
}

/* The location that holds for all of the range; Invalid: there is none. */
static struct cudaMemLocation common_location(enum session_advice_about about, int ordinal,
					      uint64_t at, uint64_t end)
{
	const struct session_advice asked = { .about = about, .location.id = ordinal };
	uint64_t next;
	struct cudaMemLocation first = look(&asked, at, end, &next)->location;

	while (next < end) {
		const struct session_advice *a = look(&asked, next, end, &next);

		if (a->location.type != first.type || a->location.id != first.id)
			return nothing.location;
	}
	return first;
}

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
		result = keep(&(struct session_advice){ (uintptr_t)p, (uintptr_t)p + size, about,
							location });
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
	struct cudaMemLocation none = nothing.location;

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
		if (common_location(ADVICE_ACCESSED_BY, i, at, end).type !=
		    cudaMemLocationTypeInvalid)
			ret[n++] = i;
	while (n < room)
		ret[n++] = cudaInvalidDeviceId;
}

static cudaError_t answer(void *ret, size_t size, enum cudaMemRangeAttribute attribute, uint64_t at,
			  uint64_t end)
{
	struct cudaMemLocation preferred = common_location(ADVICE_PREFERRED, 0, at, end);
	struct cudaMemLocation prefetched = common_location(ADVICE_PREFETCH, 0, at, end);

	if (!ret || !size || size % sizeof(int) ||
	    (attribute != cudaMemRangeAttributeAccessedBy && size != sizeof(int)))
		return cudaErrorInvalidValue;
	switch (attribute) {
	case cudaMemRangeAttributeReadMostly:
		*(int *)ret = common_location(ADVICE_READ_MOSTLY, 0, at, end).type !=
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
