/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SIMD video instructions (PTX ISA 9.7.18) with whole-register operands, as compilers emit them:
 * the same step for each byte or half, with the results kept or, with .add, summed into c.
 */
#define TAKE_VIDEO KEEP
#include "emulator/ptx/ptx-ops.h"
#include "emulator/warp/exec.h"

static int32_t piece(uint32_t v, int i, int bits, bool is_signed)
{
	uint32_t field = v >> (i * bits) & ((1u << bits) - 1);

	return is_signed ? (int32_t)(field << (32 - bits)) >> (32 - bits) : (int32_t)field;
}

static int32_t step(uint32_t what, int32_t a, int32_t b)
{
	switch (what) {
	case VIDEO_ADD:
		return a + b;
	case VIDEO_SUB:
		return a - b;
	case VIDEO_ABSDIFF:
		return a > b ? a - b : b - a;
	case VIDEO_MIN:
		return a < b ? a : b;
	case VIDEO_MAX:
		return a > b ? a : b;
	default:
		return (a + b + (a + b >= 0)) >> 1;
	}
}

static int32_t clamp(int32_t v, int bits, bool is_signed)
{
	int32_t low = is_signed ? -(1 << (bits - 1)) : 0,
		high = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;

	return v < low ? low : v > high ? high : v;
}

HANDLER(video_simd_masked)
{
	const uint32_t *a = ROW(w, uint32_t, o->a), *b = ROW(w, uint32_t, o->b),
		       *c = ROW(w, uint32_t, o->c);
	uint32_t *d = ROW(w, uint32_t, o->d), what = o->flags & 7;
	int bits = o->flags & VIDEO_BYTES ? 8 : 16;

	FOR_ACTIVE (l, w->mask) {
		uint32_t packed = 0, sum = c[l];

		for (int i = 0; i < 32 / bits; i++) {
			int32_t r = step(what, piece(a[l], i, bits, o->flags & VIDEO_A_SIGNED),
					 piece(b[l], i, bits, o->flags & VIDEO_B_SIGNED));

			if (o->flags & VIDEO_SATURATE)
				r = clamp(r, bits, o->flags & VIDEO_D_SIGNED);
			sum += (uint32_t)r;
			packed |= ((uint32_t)r & ((1u << bits) - 1)) << (i * bits);
		}
		d[l] = o->flags & VIDEO_SUM ? sum : packed;
	}
	return o + 1;
}

HANDLER(video_simd_full)
{
	return video_simd_masked(w, o);
}

#define OP EXEC_DEFINE
#include "emulator/ptx/ptx-opcodes.def"
#undef OP

const struct op_entry ENTRIES(exec_video)[] = {
#define OP EXEC_LIST
#include "emulator/ptx/ptx-opcodes.def"
#undef OP
	{ OP_COUNT, NULL, NULL },
};
