/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The meaning of every operation of ptx-opcodes.def as a function over the 32 lanes of its rows.
 * Clang makes bitcode of this file when the project is built, each loop unrolled into one step on
 * vectors of 32; hot-library.c finds the functions by their names and copies their instructions
 * into compiled code. What does not become one straight piece (divisions, calls into libm) stays
 * with the interpreter's handlers.
 *
 * Unlike the handlers, an f32 result is left as it comes, since a NaN's bits matter only where they
 * are seen: `canonical` is put behind it there.
 */
#include "emulator/warp/exec.h"

#undef PUT_f32
#define PUT_f32(x) (x)

#define WHOLE                                                                                      \
	_Pragma("clang loop vectorize(assume_safety) vectorize_width(32)")                         \
		_Pragma("clang loop interleave_count(1) unroll(disable)")
#define ALL WHOLE for (int l = 0; l < LANES; l++)

#define ROW_OF_u8(n) , const store_u8 *p##n
#define ROW_OF_s8(n) , const store_s8 *p##n
#define ROW_OF_u16(n) , const store_u16 *p##n
#define ROW_OF_s16(n) , const store_s16 *p##n
#define ROW_OF_u32(n) , const store_u32 *p##n
#define ROW_OF_s32(n) , const store_s32 *p##n
#define ROW_OF_u64(n) , const store_u64 *p##n
#define ROW_OF_s64(n) , const store_s64 *p##n
#define ROW_OF_f16(n) , const store_f16 *p##n
#define ROW_OF_bf16(n) , const store_bf16 *p##n
#define ROW_OF_f32(n) , const store_f32 *p##n
#define ROW_OF_f64(n) , const store_f64 *p##n
#define ROW_OF__(n)

#define HOT_LANE(name, D, A, B, C, ...)                                                            \
	void lane_##name(store_##D *restrict pd ROW_OF_##A(a) ROW_OF_##B(b) ROW_OF_##C(c));        \
	void lane_##name(store_##D *restrict pd ROW_OF_##A(a) ROW_OF_##B(b) ROW_OF_##C(c))         \
	{                                                                                          \
		ALL                                                                                \
		{                                                                                  \
			READ_##A(a) READ_##B(b) READ_##C(c) pd[l] = PUT_##D((__VA_ARGS__));        \
		}                                                                                  \
	}
#define HOT_TEST(name, D, A, B, C, ...)                                                            \
	void lane_##name(uint32_t *restrict pd ROW_OF_##A(a) ROW_OF_##B(b));                       \
	void lane_##name(uint32_t *restrict pd ROW_OF_##A(a) ROW_OF_##B(b))                        \
	{                                                                                          \
		ALL                                                                                \
		{                                                                                  \
			READ_##A(a) READ_##B(b) pd[l] = (__VA_ARGS__) ? 1 : 0;                     \
		}                                                                                  \
	}
#define HOT_MASK(name, D, A, B, C, ...)                                                            \
	void lane_##name(uint32_t *restrict pd, const uint32_t *pa, const uint32_t *pb);           \
	void lane_##name(uint32_t *restrict pd, const uint32_t *pa, const uint32_t *pb)            \
	{                                                                                          \
		uint32_t a = *pa, b = *pb;                                                         \
		(void)b;                                                                           \
		*pd = (__VA_ARGS__);                                                               \
	}
#define HOT_PICK(name, D, A, B, C, ...)
#define HOT_HAND(name, D, A, B, C, ...)

#define OP(family, name, form, shape, D, A, B, C, ...) HOT_##shape(name, D, A, B, C, __VA_ARGS__)
#include "emulator/ptx/ptx-opcodes.def"
#undef OP

HOT_LANE(canonical, f32, f32, _, _, canonical_f32(a))
