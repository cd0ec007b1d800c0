/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared memory has a shadow for each array, as long as not all of the array was written; local
 * memory has one always.
 */
#include "emulator/memory/block-memory.h"

#include <string.h>

#include "emulator/memory/shadow.h"

const struct memory_cache *block_array(const struct block *c, uint64_t offset, uint64_t size)
{
	for (uint32_t i = 0; i < c->array_count; i++) {
		const struct memory_cache *a = &c->arrays[i];

		if (offset - a->base < a->size && size <= a->size - (offset - a->base))
			return a;
	}
	return NULL;
}

void block_forget_shared(struct block *c)
{
	memset(c->shared_shadow, 0, c->shared_size / SHADOW_WORD + 1);
	for (uint32_t i = 0; i < c->array_count; i++) {
		struct memory_cache *a = &c->arrays[i];

		a->known = 0;
		a->shadow = a->size ? c->shared_shadow + a->base / SHADOW_WORD : NULL;
		if (a->size % SHADOW_WORD)
			a->shadow[a->size / SHADOW_WORD] =
				(uint8_t)(SHADOW_KNOWN << a->size % SHADOW_WORD & SHADOW_KNOWN);
	}
}

void block_settle_shadows(struct block *c)
{
	for (uint32_t i = 0; i < c->array_count; i++) {
		struct memory_cache *a = &c->arrays[i];
		uint64_t words = (a->size + SHADOW_WORD - 1) / SHADOW_WORD;

		if (!a->shadow)
			continue;
		a->known = shadow_scan(a->shadow, a->known, words);
		if (a->known == words)
			a->shadow = NULL;
	}
}

void warp_forget_locals(struct warp *w, uint32_t lanes, uint32_t base, uint32_t size)
{
	if (!size)
		return;
	for (; lanes; lanes &= lanes - 1)
		memset(w->local_shadow +
			       ((size_t)first_lane(lanes) * w->local_size + base) / SHADOW_WORD,
		       0, (size + SHADOW_WORD - 1) / SHADOW_WORD);
}
