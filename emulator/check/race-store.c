/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Observers are told of a store before it happens, so what a block of another host thread was noted
 * to have written may not be in memory yet. Each block therefore keeps its last store of global
 * memory with its addresses and values; all that it stored before that has happened, since its
 * operations run one after the other. Whoever compares values with what another block wrote looks
 * there first and at memory afterwards.
 *
 * Invariant: a store is set before its marks can be found. When a mark is found and its store is
 * set no more, or for another address, then the bytes are in memory.
 */
#include "emulator/check/race-store.h"

#include <string.h>

#include "emulator/check/race-state.h"

void race_store_set(struct race_store *s, const struct warp *w, const struct op *o, uint32_t number,
		    const uint64_t *address, uint64_t offset)
{
	race_lock(&s->lock);
	s->number = access_registers_copy(w, o, &s->values) ? number : 0;
	s->op = o;
	s->mask = w->mask;
	s->offset = offset;
	memcpy(s->address, address, sizeof(s->address));
	race_unlock(&s->lock);
}

/* The part of [at, at + size) that the store of that lane covers gets the stored value. */
static void overlay(const struct race_store *s, uint32_t lane, uint64_t at, uint32_t size,
		    uint8_t *bytes)
{
	uint64_t start = s->address[lane] + s->offset,
		 end = start + access_table.shapes[s->op->id].size;
	uint64_t from = start > at ? start : at, to = end < at + size ? end : at + size;
	uint8_t value[16];

	if (from >= to)
		return;
	access_registers_value(&s->values, s->op, lane, value);
	memcpy(bytes + (from - at), value + (from - start), to - from);
}

void race_store_read(struct race_store *s, uint32_t number, uint32_t lane, uint64_t at,
		     const uint8_t *memory, uint32_t size, uint8_t *ret)
{
	race_lock(&s->lock);
	memcpy(ret, memory, size);
	if (s->number == number && s->mask >> lane & 1)
		overlay(s, lane, at, size, ret);
	race_unlock(&s->lock);
}
