/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asynchronous copies and mbarrier objects (PTX ISA 9.7.9.25, 9.7.13.15). The object is one 64-bit
 * word of shared memory whose layout is ours: arrivals still pending, arrivals expected in each
 * phase, bytes still expected, and the phase. The warps of a block run on one host thread, so its
 * word needs no atomic operations.
 */
#define TAKE_ASYNC KEEP
#include "emulator/memory/state-space.h"
#include "emulator/ptx/ptx-ops.h"
#include "emulator/warp/exec.h"

HANDLER(cp_async_masked)
{
	const uint64_t *to = ROW(w, uint64_t, o->a), *from = ROW(w, uint64_t, o->b);
	const uint32_t *exists = ROW(w, uint32_t, o->c);
	uint32_t bytes = (uint32_t)o->imm, all = w->mask, reading = 0;
	uint8_t *target[LANES], *source[LANES];
	struct memory_access write = { PTX_SPACE_SHARED, GPU_ACCESS_WRITE, bytes, bytes };
	struct memory_access read = { PTX_SPACE_GLOBAL, GPU_ACCESS_READ, bytes, bytes };

	FOR_ACTIVE (l, all)
		reading |= (uint32_t)(exists[l] != 0) << l;
	if (!state_space_resolve(w, o, to, write, target))
		return NULL;
	/* A lane that copies nothing may name no memory at all. */
	if (reading) {
		bool found;

		w->mask = reading;
		found = state_space_resolve(w, o, from, read, source);
		w->mask = all;
		if (!found)
			return NULL;
	}
	FOR_ACTIVE (l, all) {
		uint32_t n = exists[l] < bytes ? exists[l] : bytes;

		if (n)
			memcpy(target[l], source[l], n);
		memset(target[l] + n, 0, bytes - n);
	}
	return o + 1;
}

#define COUNT_MASK 0xfffffull
#define EXPECTED_SHIFT 20
#define BYTES_SHIFT 40
#define BYTES_MASK 0x3fffffull
#define PHASE (1ull << 63)

static uint64_t with_bytes(uint64_t word, int64_t change)
{
	uint64_t bytes = ((word >> BYTES_SHIFT) + (uint64_t)change) & BYTES_MASK;

	return (word & ~(BYTES_MASK << BYTES_SHIFT)) | bytes << BYTES_SHIFT;
}

/* The phase ends when nothing is pending; the next one expects the same again. */
static uint64_t settle(uint64_t word)
{
	if ((word & COUNT_MASK) || (word >> BYTES_SHIFT & BYTES_MASK))
		return word;
	return (word ^ PHASE) | (word >> EXPECTED_SHIFT & COUNT_MASK);
}

/* Bulk copies are made by one lane each. */
HANDLER(cp_bulk_masked)
{
	const uint64_t *to = ROW(w, uint64_t, o->a), *from = ROW(w, uint64_t, o->b);
	const uint32_t *size = ROW(w, uint32_t, o->c);
	bool stores = o->imm;
	uint32_t all = w->mask;

	FOR_ACTIVE (l, all) {
		struct memory_access write = { stores ? PTX_SPACE_GLOBAL : PTX_SPACE_SHARED,
					       GPU_ACCESS_WRITE, size[l], 16 };
		struct memory_access read = { stores ? PTX_SPACE_SHARED : PTX_SPACE_GLOBAL,
					      GPU_ACCESS_READ, size[l], 16 };
		struct memory_access barrier = { PTX_SPACE_SHARED, GPU_ACCESS_ATOMIC, 8, 8 };
		uint8_t *target[LANES], *source[LANES], *object[LANES];
		bool found;

		w->mask = 1u << l;
		found = state_space_resolve(w, o, to, write, target) &&
			state_space_resolve(w, o, from, read, source) &&
			(o->x[0] == PTX_NO_OPERAND ||
			 state_space_resolve(w, o, ROW(w, uint64_t, o->x[0]), barrier, object));
		w->mask = all;
		if (!found)
			return NULL;
		memcpy(target[l], source[l], size[l]);
		if (o->x[0] != PTX_NO_OPERAND) {
			uint64_t *word = (uint64_t *)object[l];

			*word = settle(with_bytes(*word, -(int64_t)size[l]));
		}
	}
	return o + 1;
}

/* Takes one step on the object; the result is the state before it, or whether a phase is over. */
static uint64_t step(uint64_t *word, enum mbarrier_what what, uint64_t operand)
{
	uint64_t before = *word;

	switch (what) {
	case MBARRIER_INIT:
		*word = (operand & COUNT_MASK) | (operand & COUNT_MASK) << EXPECTED_SHIFT;
		break;
	case MBARRIER_INVAL:
		*word = 0;
		break;
	case MBARRIER_DROP:
		*word -= operand << EXPECTED_SHIFT;
		*word = settle(*word - operand);
		break;
	case MBARRIER_ARRIVE:
		*word = settle(*word - operand);
		break;
	case MBARRIER_EXPECT:
		*word = with_bytes(*word, (int64_t)operand);
		break;
	case MBARRIER_COMPLETE:
		*word = settle(with_bytes(*word, -(int64_t)operand));
		break;
	case MBARRIER_TEST:
		return (before ^ operand) >> 63;
	default:
		return before >> 63 != (operand & 1);
	}
	return before;
}

/* a: address, b: operand, x0: space, x1: row of the state or predicate that results */
HANDLER(mbarrier_masked)
{
	enum mbarrier_what what = (enum mbarrier_what)o->flags;
	bool waits = what == MBARRIER_TEST || what == MBARRIER_TEST_PARITY;
	struct memory_access access = { (enum ptx_space)o->x[0], GPU_ACCESS_ATOMIC, 8, 8 };
	uint8_t *at[LANES];
	uint32_t done = 0;

	if (!state_space_resolve(w, o, ROW(w, uint64_t, o->a), access, at))
		return NULL;
	FOR_ACTIVE (l, w->mask) {
		uint64_t operand = what == MBARRIER_TEST ? ROW(w, uint64_t, o->b)[l]
							 : ROW(w, uint32_t, o->b)[l];
		uint64_t *word = (uint64_t *)at[l], result;

		if (what != MBARRIER_INIT && what != MBARRIER_INVAL &&
		    !(*word >> EXPECTED_SHIFT & COUNT_MASK))
			return warp_fault(w, o, GPU_FAULT_BARRIER, 1u << l,
					  "this mbarrier object was not initialised");
		if ((what == MBARRIER_ARRIVE || what == MBARRIER_DROP) &&
		    operand > (*word & COUNT_MASK))
			return warp_fault(
				w, o, GPU_FAULT_BARRIER, 1u << l,
				"more arrivals at an mbarrier object in one phase than it expects");
		result = step(word, what, operand);
		if (waits)
			done |= (uint32_t)(result & 1) << l;
		else if (o->x[1] != PTX_NO_OPERAND)
			ROW(w, uint64_t, o->x[1])[l] = result;
	}
	if (waits) {
		uint32_t *p = &PREDICATE(w, o->x[1]);

		*p = (*p & ~w->mask) | done;
		/* Who still waits lets others run sooner. */
		if (done != w->mask)
			w->budget -= MACHINE_LOST_RACE;
	}
	return o + 1;
}

#define SAME_WHEN_FULL(name)                                                                       \
	HANDLER(name##_full)                                                                       \
	{                                                                                          \
		return name##_masked(w, o);                                                        \
	}
SAME_WHEN_FULL(cp_async)
SAME_WHEN_FULL(cp_bulk)
SAME_WHEN_FULL(mbarrier)

#define OP EXEC_DEFINE
#include "emulator/ptx/ptx-opcodes.def"
#undef OP

const struct op_entry ENTRIES(exec_async)[] = {
#define OP EXEC_LIST
#include "emulator/ptx/ptx-opcodes.def"
#undef OP
	{ OP_COUNT, NULL, NULL },
};
