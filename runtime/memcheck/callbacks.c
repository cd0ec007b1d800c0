/* SPDX-License-Identifier: Apache-2.0 */
/* Each access is a compare and a return as long as nothing is wrong. */
#include "runtime/memcheck/callbacks.h"

#include <string.h>

#include "runtime/memcheck/memcheck.h"
#include "runtime/memcheck/shadow.h"
#include "runtime/process/cell-stack.h"

#define ALLOCA_RED_ZONE 32u

static inline __attribute__((always_inline)) void check(uint64_t at, uint64_t size, bool is_write,
							const void *caller)
{
	if (!memcheck_on || shadow_allows(at, size))
		return;
	memcheck_found(shadow_first_bad(at, size), size, is_write, caller);
}

#define ACCESS(size)                                                                               \
	void callbacks_load##size(uint64_t at)                                                     \
	{                                                                                          \
		check(at, size, false, __builtin_return_address(0));                               \
	}                                                                                          \
	void callbacks_store##size(uint64_t at)                                                    \
	{                                                                                          \
		check(at, size, true, __builtin_return_address(0));                                \
	}

ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

static void check_range(uint64_t at, uint64_t size, bool is_write, const void *caller)
{
	uint64_t bad = memcheck_on ? shadow_first_bad(at, size) : 0;

	if (bad)
		memcheck_found(bad, size, is_write, caller);
}

void callbacks_load_n(uint64_t at, uint64_t size)
{
	check_range(at, size, false, __builtin_return_address(0));
}

void callbacks_store_n(uint64_t at, uint64_t size)
{
	check_range(at, size, true, __builtin_return_address(0));
}

static void set(uint8_t *at, uint64_t n, int value)
{
	if (memcheck_on)
		memset(at, value, n);
}

#define SET(value)                                                                                 \
	void callbacks_set_##value(uint8_t *at, uint64_t n)                                        \
	{                                                                                          \
		set(at, n, 0x##value);                                                             \
	}

SET(00)
SET(01)
SET(02)
SET(03)
SET(04)
SET(05)
SET(06)
SET(07)
SET(f1)
SET(f2)
SET(f3)
SET(f5)
SET(f8)

void callbacks_poison_stack(uint64_t at, uint64_t size)
{
	if (memcheck_on)
		shadow_poison(at, size, SHADOW_STACK_SCOPE);
}

void callbacks_unpoison_stack(uint64_t at, uint64_t size)
{
	if (memcheck_on)
		shadow_allow(at, size);
}

/* The compiler has left a red zone on both sides; the right one starts at the next multiple of its
 * size. */
void callbacks_poison_alloca(uint64_t at, uint64_t size)
{
	uint64_t end = (at + size + ALLOCA_RED_ZONE - 1) & ~(uint64_t)(ALLOCA_RED_ZONE - 1);

	if (!memcheck_on)
		return;
	shadow_allow(at, size);
	shadow_poison(at - ALLOCA_RED_ZONE, ALLOCA_RED_ZONE, SHADOW_ALLOCA_LEFT);
	shadow_poison(at + size, end + ALLOCA_RED_ZONE - at - size, SHADOW_ALLOCA_RIGHT);
}

void callbacks_unpoison_allocas(uint64_t top, uint64_t bottom)
{
	if (memcheck_on && top && top <= bottom)
		memset(shadow_of(top), 0, (bottom - top) >> SHADOW_SHIFT);
}

void callbacks_no_return(void)
{
	uint64_t at = (uint64_t)(uintptr_t)__builtin_frame_address(0) & ~7ull,
		 top = cell_stack_top(at);

	if (memcheck_on && top)
		memset(shadow_of(at), 0, (top - at) >> SHADOW_SHIFT);
}

void callbacks_nothing(void)
{
}
