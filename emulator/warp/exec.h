/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How rows of ptx-opcodes.def become handlers. An exec file defines EMIT_<its family>, includes the
 * table once to make the functions and once to list them. Each LANE operation becomes two loops
 * over 32 lanes that the C compiler turns into vector code: one for all lanes, one that blends
 * under w->lanes. Operand rows are bound to locals before the loop; a destination may be the same
 * row as a source, never a part of one.
 *
 * Files with vector loops are compiled once for each instruction set, with CORE naming the copy.
 */
#ifndef CGPU_EMULATOR_EXEC_H
#define CGPU_EMULATOR_EXEC_H

#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "emulator/ptx/ptx-ops.h"
#include "emulator/warp/lane-math.h"
#include "emulator/warp/warp.h"

/* For what a handler does with its lanes: the copy in each handler becomes vector code of its own.
 * With AddressSanitizer one copy does; compiling hundreds of them, each with all of its checks,
 * takes a minute. */
#ifdef __SANITIZE_ADDRESS__
#define LANE_INLINE static __attribute__((noinline, unused))
#else
#define LANE_INLINE static inline __attribute__((always_inline))
#endif

struct op_entry {
	uint16_t id; /* OP_COUNT ends a list */
	op_handler *full, *masked;
};

#ifndef CORE
#define CORE base
#endif
#define PASTE2(a, b) a##_##b
#define PASTE(a, b) PASTE2(a, b)
/* exec_integer_avx2 and so on */
#define ENTRIES(name) PASTE(name, CORE)

/* Lane types: storage in a row, C type, reading, writing. */
typedef uint32_t store_u8, store_s8, store_u16, store_s16, store_u32, store_s32, store_f16,
	store_bf16;
typedef uint64_t store_u64, store_s64;
typedef float store_f32;
typedef double store_f64;
typedef uint8_t lane_u8;
typedef int8_t lane_s8;
typedef uint16_t lane_u16;
typedef int16_t lane_s16;
typedef uint32_t lane_u32;
typedef int32_t lane_s32;
typedef uint64_t lane_u64;
typedef int64_t lane_s64;
typedef float lane_f16;
typedef float lane_bf16;
typedef float lane_f32;
typedef double lane_f64;
#define GET_u8(x) ((uint8_t)(x))
#define GET_s8(x) ((int8_t)(x))
#define GET_u16(x) ((uint16_t)(x))
#define GET_s16(x) ((int16_t)(x))
#define GET_u32(x) (x)
#define GET_s32(x) ((int32_t)(x))
#define GET_u64(x) (x)
#define GET_s64(x) ((int64_t)(x))
#define GET_f16(x) half_to_float((uint16_t)(x))
#define GET_bf16(x) float_of((uint32_t)(x) << 16)
#define GET_f32(x) (x)
#define GET_f64(x) (x)
#define PUT_u8(x) ((uint32_t)(uint8_t)(x))
#define PUT_s8(x) ((uint32_t)(int32_t)(int8_t)(x))
#define PUT_u16(x) ((uint32_t)(uint16_t)(x))
#define PUT_s16(x) ((uint32_t)(int32_t)(int16_t)(x))
#define PUT_u32(x) ((uint32_t)(x))
#define PUT_s32(x) ((uint32_t)(x))
#define PUT_u64(x) ((uint64_t)(x))
#define PUT_s64(x) ((uint64_t)(x))
#define PUT_f16(x) ((uint32_t)float_to_half(x))
#define PUT_bf16(x) ((uint32_t)float_to_bfloat(x))
#define PUT_f32(x) canonical_f32(x)
#define PUT_f64(x) (x)

#define ROW(w, type, offset) ((type *)__builtin_assume_aligned((w)->rows + (offset), 64))
#define PREDICATE(w, offset) (*(uint32_t *)((w)->rows + (offset)))

/* Rows are the same or apart, so no lane waits for another. */
#if defined(__clang__)
#define NO_LANE_WAITS _Pragma("clang loop vectorize(assume_safety)")
#else
#define NO_LANE_WAITS _Pragma("GCC ivdep")
#endif
#define FOR_LANES NO_LANE_WAITS for (int l = 0; l < LANES; l++)
#define FOR_ACTIVE(l, set)                                                                         \
	for (uint32_t l, left_##l = (set);                                                         \
	     left_##l && (l = (uint32_t)__builtin_ctz(left_##l), true); left_##l &= left_##l - 1)

/* Operand lists of LANE by which sources exist. */
#define READ__(n, T)
#define BIND__(n, T)
#define BIND(n, T) const store_##T *p##n = ROW(w, store_##T, o->n);
#define READ(n, T)                                                                                 \
	lane_##T n = GET_##T(p##n[l]);                                                             \
	(void)n;
#define BIND_u8(n) BIND(n, u8)
#define BIND_s8(n) BIND(n, s8)
#define BIND_u16(n) BIND(n, u16)
#define BIND_s16(n) BIND(n, s16)
#define BIND_u32(n) BIND(n, u32)
#define BIND_s32(n) BIND(n, s32)
#define BIND_u64(n) BIND(n, u64)
#define BIND_s64(n) BIND(n, s64)
#define BIND_f16(n) BIND(n, f16)
#define BIND_bf16(n) BIND(n, bf16)
#define BIND_f32(n) BIND(n, f32)
#define BIND_f64(n) BIND(n, f64)
#define BIND__(n, T)
#define BIND_NONE(n)
#define READ_u8(n) READ(n, u8)
#define READ_s8(n) READ(n, s8)
#define READ_u16(n) READ(n, u16)
#define READ_s16(n) READ(n, s16)
#define READ_u32(n) READ(n, u32)
#define READ_s32(n) READ(n, s32)
#define READ_u64(n) READ(n, u64)
#define READ_s64(n) READ(n, s64)
#define READ_f16(n) READ(n, f16)
#define READ_bf16(n) READ(n, bf16)
#define READ_f32(n) READ(n, f32)
#define READ_f64(n) READ(n, f64)
#undef BIND__
#undef READ__
#define BIND__(n)
#define READ__(n)

/*
 * NaN results of f32 are canonical. LANE operations see to that when the row is written: whoever
 * reads it next does not wait for a comparison that hardly ever finds one.
 */
static inline bool any_nan(const float *d)
{
#if defined(__AVX512F__)
	__m512 low = _mm512_load_ps(d), high = _mm512_load_ps(d + 16);

	return _mm512_cmp_ps_mask(low, low, _CMP_UNORD_Q) |
	       _mm512_cmp_ps_mask(high, high, _CMP_UNORD_Q);
#elif defined(__AVX__)
	__m256 t = _mm256_setzero_ps();

	for (int i = 0; i < 4; i++)
		t = _mm256_or_ps(t, _mm256_cmp_ps(_mm256_load_ps(d + 8 * i),
						  _mm256_load_ps(d + 8 * i), _CMP_UNORD_Q));
	return _mm256_movemask_ps(t);
#else
	uint32_t t = 0;

	for (int l = 0; l < LANES; l++)
		t |= d[l] != d[l];
	return t;
#endif
}

static inline void settle_f32(float *d, uint32_t mask)
{
	if (__builtin_expect(any_nan(d), 0))
		for (int l = 0; l < LANES; l++)
			if (mask >> l & 1)
				d[l] = canonical_f32(d[l]);
}

#define LEAVE_u8 PUT_u8
#define SETTLE_u8(d, mask)
#define LEAVE_s8 PUT_s8
#define SETTLE_s8(d, mask)
#define LEAVE_u16 PUT_u16
#define SETTLE_u16(d, mask)
#define LEAVE_s16 PUT_s16
#define SETTLE_s16(d, mask)
#define LEAVE_u32 PUT_u32
#define SETTLE_u32(d, mask)
#define LEAVE_s32 PUT_s32
#define SETTLE_s32(d, mask)
#define LEAVE_u64 PUT_u64
#define SETTLE_u64(d, mask)
#define LEAVE_s64 PUT_s64
#define SETTLE_s64(d, mask)
#define LEAVE_f16 PUT_f16
#define SETTLE_f16(d, mask)
#define LEAVE_bf16 PUT_bf16
#define SETTLE_bf16(d, mask)
#define LEAVE_f64 PUT_f64
#define SETTLE_f64(d, mask)
#define LEAVE_f32(x) (x)
#define SETTLE_f32(d, mask) settle_f32(d, mask);

#define HANDLER(name) static const struct op *name(struct warp *w, const struct op *o)

#define DEFINE_LANE(name, D, A, B, C, ...)                                                         \
	HANDLER(name##_full)                                                                       \
	{                                                                                          \
		store_##D *pd = ROW(w, store_##D, o->d);                                           \
		BIND_##A(a) BIND_##B(b) BIND_##C(c) FOR_LANES                                      \
		{                                                                                  \
			READ_##A(a) READ_##B(b) READ_##C(c) pd[l] = LEAVE_##D((__VA_ARGS__));      \
		}                                                                                  \
		SETTLE_##D(pd, ALL_LANES) return o + 1;                                            \
	}                                                                                          \
	HANDLER(name##_masked)                                                                     \
	{                                                                                          \
		store_##D *pd = ROW(w, store_##D, o->d);                                           \
		const uint32_t *m = w->lanes;                                                      \
		BIND_##A(a) BIND_##B(b) BIND_##C(c) FOR_LANES                                      \
		{                                                                                  \
			READ_##A(a) READ_##B(b) READ_##C(c) store_##D r =                          \
				LEAVE_##D((__VA_ARGS__));                                          \
			pd[l] = m[l] ? r : pd[l];                                                  \
		}                                                                                  \
		SETTLE_##D(pd, w->mask) return o + 1;                                              \
	}

/* Sign bits of 32 lanes as one mask. */
static inline uint32_t pack_lanes(const uint32_t *t)
{
#if defined(__AVX512DQ__)
	return (uint32_t)_mm512_movepi32_mask(_mm512_load_si512(t)) |
	       (uint32_t)_mm512_movepi32_mask(_mm512_load_si512(t + 16)) << 16;
#elif defined(__AVX2__)
	uint32_t m = 0;

	for (int i = 0; i < 4; i++)
		m |= (uint32_t)_mm256_movemask_ps(_mm256_load_ps((const float *)t + 8 * i))
		     << (8 * i);
	return m;
#elif defined(__SSE2__)
	uint32_t m = 0;

	for (int i = 0; i < 8; i++)
		m |= (uint32_t)_mm_movemask_ps(_mm_load_ps((const float *)t + 4 * i)) << (4 * i);
	return m;
#else
	uint32_t m = 0;

	for (int l = 0; l < LANES; l++)
		m |= (t[l] >> 31) << l;
	return m;
#endif
}

static inline uint32_t pack_wide_lanes(const uint64_t *t)
{
	uint32_t m = 0;

#if defined(__AVX512DQ__)
	for (int i = 0; i < 4; i++)
		m |= (uint32_t)_mm512_movepi64_mask(_mm512_load_si512(t + 8 * i)) << (8 * i);
#elif defined(__AVX2__)
	for (int i = 0; i < 8; i++)
		m |= (uint32_t)_mm256_movemask_pd(_mm256_load_pd((const double *)t + 4 * i))
		     << (4 * i);
#elif defined(__SSE2__)
	for (int i = 0; i < 16; i++)
		m |= (uint32_t)_mm_movemask_pd(_mm_load_pd((const double *)t + 2 * i)) << (2 * i);
#else
	for (int l = 0; l < LANES; l++)
		m |= (uint32_t)(t[l] >> 63) << l;
#endif
	return m;
}

/* Truth values are as wide as what is compared, so that no lane changes its place in a vector. */
#define TRUTH(A) __typeof__(__builtin_choose_expr(sizeof(lane_##A) == 8, (uint64_t)0, (uint32_t)0))
#define PACK(A, t)                                                                                 \
	(sizeof(lane_##A) == 8 ? pack_wide_lanes((const uint64_t *)(t))                            \
			       : pack_lanes((const uint32_t *)(t)))

#define DEFINE_TEST(name, D, A, B, C, ...)                                                         \
	static inline uint32_t name##_test(struct warp *w, const struct op *o)                     \
	{                                                                                          \
		_Alignas(64) TRUTH(A) t[LANES];                                                    \
		BIND_##A(a) BIND_##B(b) FOR_LANES                                                  \
		{                                                                                  \
			READ_##A(a) READ_##B(b) t[l] = (__VA_ARGS__) ? ~(TRUTH(A))0 : 0;           \
		}                                                                                  \
		return PACK(A, t);                                                                 \
	}                                                                                          \
	HANDLER(name##_full)                                                                       \
	{                                                                                          \
		PREDICATE(w, o->d) = name##_test(w, o);                                            \
		return o + 1;                                                                      \
	}                                                                                          \
	HANDLER(name##_masked)                                                                     \
	{                                                                                          \
		uint32_t t = name##_test(w, o), *d = &PREDICATE(w, o->d);                          \
		*d = (*d & ~w->mask) | (t & w->mask);                                              \
		return o + 1;                                                                      \
	}

#define DEFINE_PICK(name, D, A, B, C, ...)                                                         \
	HANDLER(name##_full)                                                                       \
	{                                                                                          \
		store_##D *pd = ROW(w, store_##D, o->d);                                           \
		uint32_t set = PREDICATE(w, o->c);                                                 \
		BIND_##A(a) BIND_##B(b) FOR_LANES                                                  \
		{                                                                                  \
			uint32_t p = set >> l & 1;                                                 \
			READ_##A(a) READ_##B(b) pd[l] = (__VA_ARGS__);                             \
		}                                                                                  \
		return o + 1;                                                                      \
	}                                                                                          \
	HANDLER(name##_masked)                                                                     \
	{                                                                                          \
		store_##D *pd = ROW(w, store_##D, o->d);                                           \
		uint32_t set = PREDICATE(w, o->c);                                                 \
		const uint32_t *m = w->lanes;                                                      \
		BIND_##A(a) BIND_##B(b) FOR_LANES                                                  \
		{                                                                                  \
			uint32_t p = set >> l & 1;                                                 \
			READ_##A(a) READ_##B(b) store_##D r = (__VA_ARGS__);                       \
			pd[l] = m[l] ? r : pd[l];                                                  \
		}                                                                                  \
		return o + 1;                                                                      \
	}

#define DEFINE_MASK(name, D, A, B, C, ...)                                                         \
	HANDLER(name##_full)                                                                       \
	{                                                                                          \
		uint32_t a = PREDICATE(w, o->a), b = PREDICATE(w, o->b);                           \
		(void)b;                                                                           \
		PREDICATE(w, o->d) = (__VA_ARGS__);                                                \
		return o + 1;                                                                      \
	}                                                                                          \
	HANDLER(name##_masked)                                                                     \
	{                                                                                          \
		uint32_t a = PREDICATE(w, o->a), b = PREDICATE(w, o->b);                           \
		uint32_t *d = &PREDICATE(w, o->d);                                                 \
		(void)b;                                                                           \
		*d = (*d & ~w->mask) | ((__VA_ARGS__) & w->mask);                                  \
		return o + 1;                                                                      \
	}

#define DEFINE_HAND(name, D, A, B, C, ...)

/*
 * EXEC_DEFINE and EXEC_LIST as the meaning of OP() make the functions and the entries of the one
 * family for which the file defines TAKE_<family> as KEEP before it includes this; families not
 * taken expand to nothing.
 */
#define SKIP(...)
#define KEEP(...) __VA_ARGS__
#ifndef TAKE_INTEGER
#define TAKE_INTEGER SKIP
#endif
#ifndef TAKE_FLOAT
#define TAKE_FLOAT SKIP
#endif
#ifndef TAKE_HALF
#define TAKE_HALF SKIP
#endif
#ifndef TAKE_COMPARE
#define TAKE_COMPARE SKIP
#endif
#ifndef TAKE_LOGIC
#define TAKE_LOGIC SKIP
#endif
#ifndef TAKE_CONVERT
#define TAKE_CONVERT SKIP
#endif
#ifndef TAKE_MEMORY
#define TAKE_MEMORY SKIP
#endif
#ifndef TAKE_ATOMIC
#define TAKE_ATOMIC SKIP
#endif
#ifndef TAKE_WARP
#define TAKE_WARP SKIP
#endif
#ifndef TAKE_CONTROL
#define TAKE_CONTROL SKIP
#endif
#ifndef TAKE_SPECIAL
#define TAKE_SPECIAL SKIP
#endif
#ifndef TAKE_VIDEO
#define TAKE_VIDEO SKIP
#endif
#ifndef TAKE_STAGE
#define TAKE_STAGE SKIP
#endif
#ifndef TAKE_MATRIX
#define TAKE_MATRIX SKIP
#endif
#ifndef TAKE_ASYNC
#define TAKE_ASYNC SKIP
#endif
#define EXEC_DEFINE(family, name, form, shape, D, A, B, C, ...)                                    \
	TAKE_##family(DEFINE_##shape(name, D, A, B, C, __VA_ARGS__))
#define EXEC_LIST(family, name, form, shape, D, A, B, C, ...)                                      \
	TAKE_##family({ OP_##name, name##_full, name##_masked }, )

/* The lists of all exec files; vector ones once per instruction set. */
#define EXEC_VECTOR_FILES(X)                                                                       \
	X(exec_integer)                                                                            \
	X(exec_float) X(exec_half) X(exec_compare) X(exec_logic) X(exec_convert) X(exec_memory)
#define EXEC_SCALAR_FILES(X)                                                                       \
	X(exec_atomic)                                                                             \
	X(exec_warp)                                                                               \
	X(exec_control) X(exec_special) X(exec_video) X(exec_image) X(exec_matrix) X(exec_async)

#define DECLARE(name) extern const struct op_entry PASTE(name, CORE)[];
EXEC_VECTOR_FILES(DECLARE)
#undef DECLARE

/* The rounding and flushing that the operation `mode` asks for, and back. */
static inline unsigned mode_enter(const struct op *o)
{
#if defined(__SSE2__)
	unsigned saved = _mm_getcsr();

	_mm_setcsr((unsigned)o->imm);
	return saved;
#else
	(void)o;
	return 0;
#endif
}

static inline void mode_leave(unsigned saved)
{
#if defined(__SSE2__)
	_mm_setcsr(saved);
#else
	(void)saved;
#endif
}

#endif
