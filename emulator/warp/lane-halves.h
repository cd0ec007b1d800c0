/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Halves of a warp: what the addresses of 16 neighbouring lanes have in common. Most accesses go up
 * by one element from lane to lane, or are the same for all, over a half of the warp at least:
 * blocks are 16 threads wide as often as 32. Such a half is checked by its first address and moved
 * as one piece; all else is looked at lane by lane.
 */
#ifndef CGPU_EMULATOR_LANE_HALVES_H
#define CGPU_EMULATOR_LANE_HALVES_H

#include "emulator/warp/exec.h"

#define HALF_LANES 16
#define AHEAD 1024 /* bytes */

/* A range that an access may go to: bytes[0..size) stand for the addresses base..base+size. */
struct span {
	uint64_t base, size;
	uint8_t *bytes;
	uint8_t *shadow; /* NULL: all was written */
};

struct half {
	uint8_t *at; /* of the first lane */
	bool same;   /* of all lanes, else they follow each other */
};

/* Is a[l] == a[0] + l * step for the 16 lanes? */
LANE_INLINE bool half_goes_by_uint64_t(const uint64_t *a, uint64_t step)
{
#if defined(__AVX512F__)
	__m512i first = _mm512_set1_epi64((long long)a[0]);
	__m512i low = _mm512_set_epi64(7 * step, 6 * step, 5 * step, 4 * step, 3 * step, 2 * step,
				       step, 0);
	__m512i high = _mm512_add_epi64(low, _mm512_set1_epi64(8 * step));

	return !(_mm512_cmpneq_epi64_mask(_mm512_load_si512(a), _mm512_add_epi64(first, low)) |
		 _mm512_cmpneq_epi64_mask(_mm512_load_si512(a + 8), _mm512_add_epi64(first, high)));
#else
	uint64_t differs = 0;

	for (uint64_t l = 0; l < HALF_LANES; l++)
		differs |= a[l] ^ (a[0] + l * step);
	return !differs;
#endif
}

LANE_INLINE bool half_goes_by_uint32_t(const uint32_t *a, uint32_t step)
{
#if defined(__AVX512F__)
	__m512i ramp = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
	__m512i wanted = _mm512_add_epi32(_mm512_set1_epi32((int)a[0]),
					  _mm512_mullo_epi32(ramp, _mm512_set1_epi32((int)step)));

	return !_mm512_cmpneq_epi32_mask(_mm512_load_si512(a), wanted);
#else
	uint32_t differs = 0;

	for (uint32_t l = 0; l < HALF_LANES; l++)
		differs |= a[l] ^ (a[0] + l * step);
	return !differs;
#endif
}

/* False: not of this kind, or an address is bad. */
#define DEFINE_HALF_FIND(R)                                                                        \
	LANE_INLINE bool half_find_##R(const R *a, R imm, const struct span *s, uint64_t bytes,    \
				       struct half *ret)                                           \
	{                                                                                          \
		R address = a[0] + imm;                                                            \
		uint64_t off = address - s->base, extent = bytes;                                  \
                                                                                                   \
		ret->same = false;                                                                 \
		if (half_goes_by_##R(a, (R)bytes))                                                 \
			extent = HALF_LANES * bytes;                                               \
		else if (half_goes_by_##R(a, 0))                                                   \
			ret->same = true;                                                          \
		else                                                                               \
			return false;                                                              \
		ret->at = s->bytes + off;                                                          \
		/* A later warp is going to look there. */                                         \
		__builtin_prefetch(ret->at + AHEAD);                                               \
		return s->size >= extent && off <= s->size - extent && !(address & (bytes - 1));   \
	}
DEFINE_HALF_FIND(uint32_t)
DEFINE_HALF_FIND(uint64_t)

/* Both halves of a full warp. */
LANE_INLINE bool halves_find(const struct warp *w, const struct op *o, const struct span *s,
			     uint64_t bytes, struct half *ret)
{
	if (o->flags & OP_ADDRESS_32) {
		const uint32_t *a = ROW(w, uint32_t, o->a);

		return half_find_uint32_t(a, (uint32_t)o->imm, s, bytes, ret) &&
		       half_find_uint32_t(a + HALF_LANES, (uint32_t)o->imm, s, bytes, ret + 1);
	}
	const uint64_t *a = ROW(w, uint64_t, o->a);

	return half_find_uint64_t(a, (uint64_t)o->imm, s, bytes, ret) &&
	       half_find_uint64_t(a + HALF_LANES, (uint64_t)o->imm, s, bytes, ret + 1);
}

#endif
