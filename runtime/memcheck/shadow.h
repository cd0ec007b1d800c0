/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which bytes of the address space a checked cell may touch: one byte of shadow for eight bytes, as
 * AddressSanitizer has it (Serebryany and others, USENIX ATC 2012): 0: all eight, 1 to 7: the first
 * so many, otherwise none, and why.
 */
#ifndef CGPU_RUNTIME_MEMCHECK_SHADOW_H
#define CGPU_RUNTIME_MEMCHECK_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "common/memory/address-map.h"

struct error;

/* Values of the stack are the compiler's. */
enum shadow_value {
	SHADOW_ALLOCA_LEFT = 0xca,
	SHADOW_ALLOCA_RIGHT = 0xcb,
	SHADOW_STACK_LEFT = 0xf1,
	SHADOW_STACK_MIDDLE = 0xf2,
	SHADOW_STACK_RIGHT = 0xf3,
	SHADOW_STACK_SCOPE = 0xf8,
	SHADOW_GLOBAL = 0xf9,
	SHADOW_HEAP = 0xfa,
	SHADOW_FREED = 0xfd,
};

int shadow_map(struct error *err);
/* [at, at + size) is out of bounds; a byte in front of it keeps its shadow. The end is rounded up
 * to eight. */
void shadow_poison(uint64_t at, uint64_t size, enum shadow_value why);
/* An object of this size starts here, at a multiple of eight. */
void shadow_allow(uint64_t at, uint64_t size);

static inline uint8_t *shadow_of(uint64_t address)
{
	return (uint8_t *)((address >> SHADOW_SHIFT) + SHADOW_BASE);
}

/* A user address that the shadow covers. */
static inline bool shadow_covers(uint64_t address)
{
	return address >> SHADOW_SHIFT < SHADOW_SIZE;
}

/* True if all bytes may be touched; size up to 16. */
static inline bool shadow_allows(uint64_t at, uint64_t size)
{
	uint64_t last = at + size - 1;
	uint8_t first_value, last_value;

	if (!shadow_covers(at) || !shadow_covers(last))
		return true; /* a fault by itself */
	first_value = *shadow_of(at);
	last_value = *shadow_of(last);
	if (!first_value && !last_value)
		return true;
	if (shadow_of(at) != shadow_of(last) && first_value)
		return false;
	return !last_value || (last_value < 8 && (last & 7) < last_value);
}

/* The first byte of a range that must not be touched; 0 if there is none. */
uint64_t shadow_first_bad(uint64_t at, uint64_t size);

#endif
