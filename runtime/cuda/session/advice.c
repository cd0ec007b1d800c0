/* SPDX-License-Identifier: Apache-2.0 */
/* A table that is small: cells give advice once for a buffer, if at all. */
#include "runtime/cuda/session/advice.h"

#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/session/session.h"

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

bool advice_keep(const struct session_advice *a)
{
	struct session_advice *slot;

	for (uint32_t i = device.session->advice.n; i-- > 0;)
		if (is_same(advice_at(i), a) && advice_at(i)->begin >= a->begin &&
		    advice_at(i)->end <= a->end)
			session_remove(&device.session->advice, sizeof(*a), i);
	slot = session_append(&device.session->advice, struct session_advice);
	if (slot)
		*slot = *a;
	return slot;
}

void advice_forget(uint64_t address, uint64_t size)
{
	for (uint32_t i = device.session->advice.n; i-- > 0;)
		if (advice_at(i)->begin < address + size && advice_at(i)->end > address)
			session_remove(&device.session->advice, sizeof(struct session_advice), i);
}

/* The advice that holds at an address; *ret_end: how far, `end` at most. */
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

struct cudaMemLocation advice_location(enum session_advice_about about, int ordinal, uint64_t at,
				       uint64_t end)
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
