/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Special registers that change while a lane runs (PTX ISA chapter 10): clocks. The constant ones
 * are rows filled before the block starts.
 */
#define TAKE_SPECIAL KEEP
#include "emulator/warp/exec.h"

#include <time.h>

static uint64_t nanoseconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#define DEFINE_CLOCK(name, T, value)                                                               \
	HANDLER(name##_masked)                                                                     \
	{                                                                                          \
		T *d = ROW(w, T, o->d), v = (T)(value);                                            \
                                                                                                   \
		FOR_ACTIVE (l, w->mask)                                                            \
			d[l] = v;                                                                  \
		return o + 1;                                                                      \
	}                                                                                          \
	HANDLER(name##_full)                                                                       \
	{                                                                                          \
		return name##_masked(w, o);                                                        \
	}
DEFINE_CLOCK(clock32, uint32_t, nanoseconds(CLOCK_MONOTONIC))
DEFINE_CLOCK(clock64, uint64_t, nanoseconds(CLOCK_MONOTONIC))
DEFINE_CLOCK(globaltimer, uint64_t, nanoseconds(CLOCK_REALTIME))
DEFINE_CLOCK(globaltimer_lo, uint32_t, nanoseconds(CLOCK_REALTIME))
DEFINE_CLOCK(globaltimer_hi, uint32_t, nanoseconds(CLOCK_REALTIME) >> 32)

/* All lanes get the same place, large enough for the one that asks for most. */
HANDLER(alloca_masked)
{
	const uint64_t *size = ROW(w, uint64_t, o->a);
	uint64_t *d = ROW(w, uint64_t, o->d), align = (uint64_t)o->imm, most = 0, start, base;
	struct frame *f = w->frame;

	FOR_ACTIVE (l, w->mask)
		most = size[l] > most ? size[l] : most;
	start = (uint64_t)f->local_base + f->program->local_bytes;
	base = (start + f->dynamic + align - 1) / align * align;
	if (most > w->local_size || base + most > w->local_size)
		return warp_fault(w, o, GPU_FAULT_STACK, w->mask,
				  "alloca needs more local memory than cudaLimitStackSize allows");
	f->dynamic = (uint32_t)(base + most - start);
	FOR_ACTIVE (l, w->mask)
		d[l] = base;
	return o + 1;
}

HANDLER(stacksave_masked)
{
	FOR_ACTIVE (l, w->mask)
		ROW(w, uint64_t, o->d)[l] = w->frame->dynamic;
	return o + 1;
}

/* While some lanes of the function are elsewhere nothing is given back: they may use what was
 * allocated since. */
HANDLER(stackrestore_masked)
{
	struct frame *f = w->frame;
	uint64_t value = ROW(w, uint64_t, o->a)[first_lane(w->mask)];

	if (w->mask == (f->live & w->live) && value <= f->dynamic)
		f->dynamic = (uint32_t)value;
	return o + 1;
}

HANDLER(alloca_full)
{
	return alloca_masked(w, o);
}

HANDLER(stacksave_full)
{
	return stacksave_masked(w, o);
}

HANDLER(stackrestore_full)
{
	return stackrestore_masked(w, o);
}

#define OP EXEC_DEFINE
#include "emulator/ptx/ptx-opcodes.def"
#undef OP

const struct op_entry ENTRIES(exec_special)[] = {
#define OP EXEC_LIST
#include "emulator/ptx/ptx-opcodes.def"
#undef OP
	{ OP_COUNT, NULL, NULL },
};
