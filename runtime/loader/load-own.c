/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a unit has for itself, without a name in the session: sections with its static variables,
 * slots, descriptors of thread-local variables of libraries. A program notes where each of them
 * lies, and a later run of it is given the same places; what it would write there is compared only,
 * since it may turn out that its code is another.
 */
#include <string.h>

#include "common/base/error.h"
#include "common/code/unit.h"
#include "runtime/arena/meta.h"
#include "runtime/loader/load-state.h"
#include "runtime/loader/units.h"

uint64_t load_own_find(struct load *l, enum unit_place_kind kind, uint32_t index)
{
	const struct unit_code *again = l->again;

	for (uint32_t k = 0; k < again->n_places; k++) {
		/* Mostly the one behind the last. */
		const struct unit_place *p = &again->places[(l->next_place + k) % again->n_places];

		if (p->kind != kind || p->index != index)
			continue;
		l->next_place = (uint32_t)(p - again->places) + 1;
		return p->address;
	}
	l->differs = true;
	return 0;
}

int load_own_note(struct load *l, enum unit_place_kind kind, uint32_t index, uint64_t address,
		  struct error *err)
{
	if (!l->unit->program)
		return 0;
	if (l->n_places == l->cap_places) {
		uint32_t cap = l->cap_places ? 2 * l->cap_places : 16;
		struct unit_place *places = meta_alloc(cap * sizeof(*places));

		if (!places)
			return error_set(err, ERROR_MEMORY,
					 "the session's tables are full; %%reset starts afresh");
		if (l->n_places)
			memcpy(places, l->places, l->n_places * sizeof(*places));
		meta_free(l->places);
		l->places = places;
		l->cap_places = cap;
	}
	l->places[l->n_places++] = (struct unit_place){ kind, index, address };
	return 0;
}

int load_own_put(struct load *l, enum unit_place_kind kind, uint32_t index, const void *bytes,
		 size_t size, uint64_t *ret, struct error *err)
{
	void *p;

	if (l->again) {
		*ret = load_own_find(l, kind, index);
		l->differs |= *ret && memcmp((const void *)*ret, bytes, size);
		return 0;
	}
	p = size == sizeof(uint64_t) ? symbols_anonymous_slot() : symbols_data(size, 16);
	if (!p)
		return error_set(err, ERROR_LIMIT,
				 "the session's table of addresses is full; %%reset starts afresh");
	memcpy(p, bytes, size);
	*ret = (uint64_t)(uintptr_t)p;
	return load_own_note(l, kind, index, *ret, err);
}
