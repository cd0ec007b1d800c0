/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pattern behind a block has no byte that a typical overrun writes: a string's end, a small
 * number. That of a free slot is an address, so that a pointer which is read from it leads to a
 * fault that can be told.
 */
#include "runtime/arena/heap-guard.h"

#include <string.h>

#include "common/memory/address-map.h"

static const uint64_t behind[] = { 0xb5b5b5b5b5b5b5b5u, 0xb5b5b5b5b5b5b5b5u },
		      freed[] = { HEAP_FREED_WORD, HEAP_FREED_WORD };

_Static_assert(sizeof(behind) == HEAP_GUARD_MAX && sizeof(freed) == HEAP_GUARD_MAX,
	       "a pattern is too short");

static size_t at_most(size_t bytes)
{
	return bytes < HEAP_GUARD_MAX ? bytes : HEAP_GUARD_MAX;
}

/* Returns 1 + the offset of the first difference; 0: there is none. */
static size_t difference(const void *memory, const uint64_t *words, size_t len)
{
	const unsigned char *at = memory, *pattern = (const unsigned char *)words;
	size_t i = 0;

	if (!memcmp(at, pattern, len))
		return 0;
	while (at[i] == pattern[i])
		i++;
	return 1 + i;
}

void heap_guard_set(void *block, size_t size, size_t room)
{
	memcpy((char *)block + size, behind, at_most(room - size));
}

size_t heap_guard_overrun(const void *block, size_t size, size_t room)
{
	size_t found = difference((const char *)block + size, behind, at_most(room - size));

	return found ? size + found : 0;
}

void heap_guard_poison(void *slot, size_t room)
{
	memcpy(slot, freed, at_most(room));
}

size_t heap_guard_spoilt(const void *slot, size_t room)
{
	return difference(slot, freed, at_most(room));
}
