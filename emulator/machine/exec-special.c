/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Special registers that change while a lane runs (PTX ISA chapter 10): clocks. The constant ones are rows filled
 * before the cta starts.
 */
#include "emulator/machine/exec.h"

#include <time.h>

#define TAKE_INTEGER SKIP
#define TAKE_FLOAT SKIP
#define TAKE_HALF SKIP
#define TAKE_COMPARE SKIP
#define TAKE_LOGIC SKIP
#define TAKE_CONVERT SKIP
#define TAKE_MEMORY SKIP
#define TAKE_ATOMIC SKIP
#define TAKE_WARP SKIP
#define TAKE_CONTROL SKIP
#define TAKE_SPECIAL KEEP
#define TAKE_VIDEO SKIP
#define TAKE_STAGE SKIP
#define TAKE_MATRIX SKIP
#define TAKE_ASYNC SKIP

static uint64_t nanoseconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#define DEFINE_CLOCK(name, T, value)                          \
	HANDLER(name##_masked)                                \
	{                                                     \
		T *d = ROW(w, T, o->d), v = (T)(value);       \
							      \
		FOR_ACTIVE(l, w->mask)                        \
			d[l] = v;                             \
		return o + 1;                                 \
	}                                                     \
	HANDLER(name##_full)                                  \
	{                                                     \
		return name##_masked(w, o);                   \
	}
DEFINE_CLOCK(clock32, uint32_t, nanoseconds(CLOCK_MONOTONIC))
DEFINE_CLOCK(clock64, uint64_t, nanoseconds(CLOCK_MONOTONIC))
DEFINE_CLOCK(globaltimer, uint64_t, nanoseconds(CLOCK_REALTIME))
DEFINE_CLOCK(globaltimer_lo, uint32_t, nanoseconds(CLOCK_REALTIME))
DEFINE_CLOCK(globaltimer_hi, uint32_t, nanoseconds(CLOCK_REALTIME) >> 32)

#define OP EXEC_DEFINE
#include "emulator/ptx/ptx-opcodes.def"
#undef OP

const struct op_entry ENTRIES(exec_special)[] = {
#define OP EXEC_LIST
#include "emulator/ptx/ptx-opcodes.def"
#undef OP
	{ OP_COUNT, NULL, NULL },
};
