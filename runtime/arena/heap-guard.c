/* SPDX-License-Identifier: Apache-2.0 */
/* No byte of the patterns is one that a typical overrun writes: a string's end, a small number. */
#include "runtime/arena/heap-guard.h"

#include <string.h>

static const unsigned char behind[HEAP_GUARD_MAX] = { 0xb5, 0xb5, 0xb5, 0xb5, 0xb5, 0xb5,
						      0xb5, 0xb5, 0xb5, 0xb5, 0xb5, 0xb5,
						      0xb5, 0xb5, 0xb5, 0xb5 },
			   freed[HEAP_GUARD_MAX] = {
				   0xdf, 0xdf, 0xdf, 0xdf, 0xdf, 0xdf, 0xdf, 0xdf,
				   0xdf, 0xdf, 0xdf, 0xdf, 0xdf, 0xdf, 0xdf, 0xdf
			   };

static size_t at_most(size_t bytes)
{
	return bytes < HEAP_GUARD_MAX ? bytes : HEAP_GUARD_MAX;
}

/* Returns 1 + the offset of the first difference; 0: there is none. */
static size_t difference(const unsigned char *at, const unsigned char *pattern, size_t len)
{
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
	size_t found =
		difference((const unsigned char *)block + size, behind, at_most(room - size));

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
