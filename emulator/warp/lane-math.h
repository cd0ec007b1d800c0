/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arithmetic of one lane that is longer than an expression in ptx-opcodes.def. Written without
 * branches on data where a loop over lanes shall become vector code.
 */
#ifndef CGPU_EMULATOR_LANE_MATH_H
#define CGPU_EMULATOR_LANE_MATH_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline float float_of(uint32_t bits)
{
	union {
		uint32_t u;
		float f;
	} v = { .u = bits };

	return v.f;
}

static inline uint32_t bits_of(float f)
{
	union {
		float f;
		uint32_t u;
	} v = { .f = f };

	return v.u;
}

static inline double double_of(uint64_t bits)
{
	union {
		uint64_t u;
		double f;
	} v = { .u = bits };

	return v.f;
}

static inline uint64_t double_bits(double f)
{
	union {
		double f;
		uint64_t u;
	} v = { .f = f };

	return v.u;
}

/* Every NaN result of an f32 operation is 0x7fffffff. */
static inline float canonical_f32(float v)
{
	return v == v ? v : float_of(0x7fffffffu);
}

static inline int32_t saturate_s32(int64_t v)
{
	return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int32_t)v;
}

/* Division by zero gives all ones, remainder by zero the dividend; the overflowing quotient wraps.
 */
static inline int32_t divide_s32(int32_t a, int32_t b)
{
	return b == 0 ? -1 : b == -1 ? (int32_t)(0u - (uint32_t)a) : a / b;
}

static inline int64_t divide_s64(int64_t a, int64_t b)
{
	return b == 0 ? -1 : b == -1 ? (int64_t)(0ull - (uint64_t)a) : a / b;
}

static inline int32_t remainder_s32(int32_t a, int32_t b)
{
	return b == 0 ? a : b == -1 ? 0 : a % b;
}

static inline int64_t remainder_s64(int64_t a, int64_t b)
{
	return b == 0 ? a : b == -1 ? 0 : a % b;
}

static inline uint32_t highest_bit(uint64_t a)
{
	return a ? 63 - (uint32_t)__builtin_clzll(a) : ~0u;
}

static inline uint32_t shift_amount(uint32_t bit, uint32_t top)
{
	return bit == ~0u ? bit : top - bit;
}

/* fns.b32: the n-th set bit of mask counted from base, upwards for n > 0, downwards for n < 0. */
static inline uint32_t find_nth_set(uint32_t mask, uint32_t base, int32_t n)
{
	int step = n < 0 ? -1 : 1;
	int32_t left = n < 0 ? -n : n;

	if (base > 31)
		return ~0u;
	if (n == 0)
		return mask >> base & 1 ? base : ~0u;
	for (int bit = (int)base; bit >= 0 && bit < 32; bit += step)
		if (mask >> bit & 1 && --left == 0)
			return (uint32_t)bit;
	return ~0u;
}

static inline uint32_t reverse_bits32(uint32_t a)
{
	a = (a & 0x55555555u) << 1 | (a >> 1 & 0x55555555u);
	a = (a & 0x33333333u) << 2 | (a >> 2 & 0x33333333u);
	a = (a & 0x0f0f0f0fu) << 4 | (a >> 4 & 0x0f0f0f0fu);
	return __builtin_bswap32(a);
}

static inline uint64_t reverse_bits64(uint64_t a)
{
	return (uint64_t)reverse_bits32((uint32_t)a) << 32 | reverse_bits32((uint32_t)(a >> 32));
}

/* bfe: position and length are the low bytes; a field past the top is filled with zeros or the
 * sign. */
static inline uint32_t extract_u32(uint32_t a, uint32_t pos, uint32_t len)
{
	uint64_t v = (uint64_t)a >> ((pos & 255) < 63 ? pos & 255 : 63);

	len &= 255;
	return (uint32_t)(len < 32 ? v & ((1ull << len) - 1) : v);
}

static inline uint64_t extract_u64(uint64_t a, uint32_t pos, uint32_t len)
{
	uint64_t v = (pos & 255) < 64 ? a >> (pos & 63) : 0;

	len &= 255;
	return len < 64 ? v & ((1ull << len) - 1) : v;
}

static inline int64_t extract_s64(int64_t a, uint32_t pos, uint32_t len)
{
	int64_t v = a >> ((pos & 255) < 64 ? pos & 255 : 63);

	len &= 255;
	if (len == 0)
		return 0;
	return len < 64 ? (int64_t)((uint64_t)v << (64 - len)) >> (64 - len) : v;
}

static inline int32_t extract_s32(int32_t a, uint32_t pos, uint32_t len)
{
	return (int32_t)extract_s64(a, pos, len);
}

/* bfi: the low `len` bits of a are put into b at `pos`. */
static inline uint64_t insert_bits(uint64_t a, uint64_t b, uint32_t pos, uint32_t len)
{
	uint64_t mask;

	pos &= 255;
	len &= 255;
	if (pos > 63 || len == 0)
		return b;
	mask = (len < 64 ? (1ull << len) - 1 : ~0ull) << pos;
	return (b & ~mask) | (a << pos & mask);
}

static inline uint32_t extend_u32(uint32_t a, uint32_t bits)
{
	return bits >= 32 ? a : a & ((1u << bits) - 1);
}

static inline int32_t extend_s32(int32_t a, uint32_t bits)
{
	if (bits >= 32)
		return a;
	return bits ? (int32_t)((uint32_t)a << (32 - bits)) >> (32 - bits) : 0;
}

static inline uint32_t bit_mask(uint32_t pos, uint32_t len)
{
	uint64_t ones = len < 32 ? (1ull << len) - 1 : 0xffffffffull;

	return pos < 32 ? (uint32_t)(ones << pos) : 0;
}

static inline uint32_t dot4(uint32_t a, bool a_signed, uint32_t b, bool b_signed, uint32_t c)
{
	for (int i = 0; i < 32; i += 8) {
		int32_t x = a_signed ? (int8_t)(a >> i) : (uint8_t)(a >> i);
		int32_t y = b_signed ? (int8_t)(b >> i) : (uint8_t)(b >> i);

		c += (uint32_t)(x * y);
	}
	return c;
}

static inline uint32_t dot2(uint32_t a, bool a_signed, uint32_t b, bool b_signed, uint32_t c,
			    int from)
{
	for (int i = 0; i < 2; i++) {
		int32_t x = a_signed ? (int16_t)(a >> 16 * i) : (uint16_t)(a >> 16 * i);
		int32_t y =
			b_signed ? (int8_t)(b >> (from + 8 * i)) : (uint8_t)(b >> (from + 8 * i));

		c += (uint32_t)x * (uint32_t)y;
	}
	return c;
}

static inline uint32_t funnel_left(uint32_t a, uint32_t b, uint32_t n)
{
	return (uint32_t)((((uint64_t)b << 32 | a) << n) >> 32);
}

static inline uint32_t funnel_right(uint32_t a, uint32_t b, uint32_t n)
{
	return (uint32_t)(((uint64_t)b << 32 | a) >> n);
}

static inline uint32_t pick_byte(uint64_t pool, uint32_t selector)
{
	uint32_t byte = (uint32_t)(pool >> 8 * (selector & 7)) & 255;

	return selector & 8 ? (byte & 128 ? 255 : 0) : byte;
}

static inline uint32_t permute_bytes(uint32_t a, uint32_t b, uint32_t c)
{
	uint64_t pool = (uint64_t)b << 32 | a;

	return pick_byte(pool, c) | pick_byte(pool, c >> 4) << 8 | pick_byte(pool, c >> 8) << 16 |
	       pick_byte(pool, c >> 12) << 24;
}

static inline uint32_t permute_forward4(uint32_t a, uint32_t b, uint32_t c)
{
	return (uint32_t)(((uint64_t)b << 32 | a) >> 8 * (c & 3));
}

/* Bytes a[c], then downwards around the eight. */
static inline uint32_t permute_backward4(uint32_t a, uint32_t b, uint32_t c)
{
	uint64_t pool = (uint64_t)b << 32 | a;
	uint32_t r = 0;

	for (uint32_t i = 0; i < 4; i++)
		r |= pick_byte(pool, ((c & 3) - i) & 7) << 8 * i;
	return r;
}

static inline uint32_t permute_clamp_left(uint32_t a, uint32_t c)
{
	uint32_t r = 0;

	c &= 3;
	for (uint32_t i = 0; i < 4; i++)
		r |= (a >> 8 * (i < c ? c : i) & 255) << 8 * i;
	return r;
}

static inline uint32_t permute_clamp_right(uint32_t a, uint32_t c)
{
	uint32_t r = 0;

	c &= 3;
	for (uint32_t i = 0; i < 4; i++)
		r |= (a >> 8 * (i > c ? c : i) & 255) << 8 * i;
	return r;
}

/* min and max: a NaN loses against a number, -0 is less than +0. */
static inline float min_f32(float a, float b)
{
	float r = a < b ? a : b;

	r = a == b ? float_of(bits_of(a) | bits_of(b)) : r;
	r = b != b ? a : r;
	return r;
}

static inline float max_f32(float a, float b)
{
	float r = a > b ? a : b;

	r = a == b ? float_of(bits_of(a) & bits_of(b)) : r;
	r = b != b ? a : r;
	return r;
}

static inline double min_f64(double a, double b)
{
	double r = a < b ? a : b;

	r = a == b ? double_of(double_bits(a) | double_bits(b)) : r;
	r = b != b ? a : r;
	return r;
}

static inline double max_f64(double a, double b)
{
	double r = a > b ? a : b;

	r = a == b ? double_of(double_bits(a) & double_bits(b)) : r;
	r = b != b ? a : r;
	return r;
}

/* Adding and taking away 1.5 * 2^23 rounds to even in the default mode; larger numbers are whole
 * already. */
static inline float round_even_f32(float a)
{
	float big = __builtin_copysignf(8388608.0f, a);
	float r = __builtin_copysignf((a + big) - big, a);

	return __builtin_fabsf(a) < 8388608.0f ? r : a;
}

static inline double round_even_f64(double a)
{
	double big = __builtin_copysign(4503599627370496.0, a);
	double r = __builtin_copysign((a + big) - big, a);

	return __builtin_fabs(a) < 4503599627370496.0 ? r : a;
}

static inline float clamp_f32(float a, float low, float high)
{
	a = a > low ? a : low == low && a == a ? low : 0.0f;
	return a < high ? a : high;
}

/*
 * What a NaN becomes as an integer: zero, but from binary64, and where the integer has 64 bits, its
 * highest bit alone (PTX ISA, cvt; so an H200 does).
 */
static inline double clamp_f64(double a, double low, double high)
{
	a = a > low ? a : a == a || low < 0 ? low : (high + 1) / 2;
	return a < high ? a : high;
}

static inline int32_t f32_to_s32(float a)
{
	int32_t r = (int32_t)(a < 2147483648.0f && a >= -2147483648.0f ? a : 0.0f);

	r = a >= 2147483648.0f ? INT32_MAX : r;
	return a < -2147483648.0f ? INT32_MIN : r;
}

static inline uint32_t f32_to_u32(float a)
{
	float in = a < 4294967296.0f && a > 0.0f ? a : 0.0f;
	bool high = in >= 2147483648.0f;
	uint32_t r = (uint32_t)(int32_t)(high ? in - 2147483648.0f : in) + (high ? 0x80000000u : 0);

	return a >= 4294967296.0f ? UINT32_MAX : r;
}

static inline int64_t f32_to_s64(float a)
{
	if (!(a == a))
		return INT64_MIN;
	if (a >= 9223372036854775808.0f)
		return INT64_MAX;
	return a < -9223372036854775808.0f ? INT64_MIN : (int64_t)a;
}

static inline uint64_t f32_to_u64(float a)
{
	if (!(a > 0.0f))
		return a == a ? 0 : 1ull << 63;
	return a >= 18446744073709551616.0f ? UINT64_MAX : (uint64_t)a;
}

static inline int32_t f64_to_s32(double a)
{
	return (int32_t)clamp_f64(a, -2147483648.0, 2147483647.0);
}

static inline uint32_t f64_to_u32(double a)
{
	return (uint32_t)(int64_t)clamp_f64(a, 0.0, 4294967295.0);
}

static inline int64_t f64_to_s64(double a)
{
	if (!(a == a))
		return INT64_MIN;
	if (a >= 9223372036854775808.0)
		return INT64_MAX;
	return a < -9223372036854775808.0 ? INT64_MIN : (int64_t)a;
}

static inline uint64_t f64_to_u64(double a)
{
	if (!(a > 0.0))
		return a == a ? 0 : 1ull << 63;
	return a >= 18446744073709551616.0 ? UINT64_MAX : (uint64_t)a;
}

/* ---- binary16 ---- */

static inline float half_to_float(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, rest = h & 0x7fff;
	uint32_t normal = (rest << 13) + (112u << 23);
	/* Subnormals: rest * 2^-24 is exact in binary32. */
	uint32_t small = bits_of((float)(int32_t)rest * 5.9604644775390625e-8f);
	uint32_t special = (rest << 13) | 0x7f800000u;
	uint32_t r = rest >= 0x7c00 ? special : rest >= 0x0400 ? normal : small;

	return float_of(r | sign);
}

/* To nearest even; NaN becomes 0x7fff. */
static inline uint16_t float_to_half(float f)
{
	uint32_t bits = bits_of(f), sign = bits >> 16 & 0x8000, a = bits & 0x7fffffffu;
	/* Normal results: round the 13 bits that go away, carry into the exponent is right. */
	uint32_t normal = (a + 0x0fff + (a >> 13 & 1)) - (112u << 23);
	/* Subnormal results: adding 0.5 puts the 2^-24 place at the last bit. */
	uint32_t small = bits_of(float_of(a) + 0.5f) - 0x3f000000u;
	uint32_t r = a < 0x38800000u ? small : normal >> 13;

	r = a >= 0x477ff000u ? 0x7c00 : r;
	r = a > 0x7f800000u ? 0x7fff : r;
	return (uint16_t)(a > 0x7f800000u ? r : r | sign);
}

/* mode: 0 nearest even, 1 toward zero, 2 down, 3 up. */
static inline uint16_t double_to_half(double d, int mode)
{
	uint64_t bits = double_bits(d), a = bits & ~(1ull << 63);
	uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
	bool away = (mode == 2 && sign) || (mode == 3 && !sign);
	int exponent = (int)(a >> 52) - 1023, drop;
	uint64_t mantissa, kept, rest, half;

	if (a > 0x7ff0000000000000ull)
		return 0x7fff;
	if (a == 0x7ff0000000000000ull)
		return sign | 0x7c00;
	if (exponent > 15)
		return (uint16_t)(sign | (mode == 0 || away ? 0x7c00 : 0x7bff));
	if (a == 0)
		return sign;
	if (exponent < -26)
		return (uint16_t)(sign | (away ? 1 : 0));
	mantissa = (a & 0xfffffffffffffull) | 1ull << 52;
	drop = exponent >= -14 ? 42 : 42 + (-14 - exponent);
	kept = mantissa >> drop;
	rest = mantissa & ((1ull << drop) - 1);
	half = 1ull << (drop - 1);
	if (mode == 0)
		kept += rest > half || (rest == half && (kept & 1));
	else
		kept += away && rest;
	if (exponent >= -14)
		kept += (uint64_t)(exponent + 14) << 10;
	/* A finite value that only rounding away pushed past the largest half is infinite. */
	return (uint16_t)(sign | kept);
}

static inline uint16_t float_to_bfloat(float f)
{
	uint32_t bits = bits_of(f);

	if (f != f)
		return 0x7fff;
	return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* The neighbour with an odd last bit when rounding lost something, so that rounding again to few
 * bits is exact. */
static inline double to_odd(double v, double lost)
{
	uint64_t bits = double_bits(v);

	if (lost == 0 || lost != lost || (bits & 1))
		return v;
	return double_of((lost > 0) == (v > 0) ? bits + 1 : bits - 1);
}

static inline double unsigned_to_odd(uint64_t a)
{
	/* The last 11 bits only tell whether something is lost. */
	uint64_t high = a >> 11 | ((a & 0x7ff) != 0);

	return a >> 53 ? (double)high * 2048.0 : (double)a;
}

static inline double signed_to_odd(int64_t a)
{
	return a < 0 ? -unsigned_to_odd(0 - (uint64_t)a) : unsigned_to_odd((uint64_t)a);
}

/* mode: 0 nearest even, 1 toward zero, 2 down, 3 up. */
static inline uint16_t double_to_bfloat(double d, int mode)
{
	float f = (float)d;
	uint32_t bits = bits_of(f), rest;
	bool negative = bits >> 31, away = (mode == 2 && negative) || (mode == 3 && !negative);

	if (d != d)
		return 0x7fff;
	if (f - f != 0) {
		/* Too large for binary32, hence for any smaller format; infinity itself stays. */
		bits = d - d != 0 || mode == 0 || away ? 0x7f80 : 0x7f7f;
		return (uint16_t)(bits | (negative ? 0x8000 : 0));
	}
	/* To odd, as in to_odd(), in binary32. */
	if ((double)f != d && !(bits & 1))
		bits = ((double)f < d) == !negative ? bits + 1 : bits - 1;
	if (f == 0 && d != 0)
		bits = (d < 0 ? 0x80000000u : 0) | 1;
	rest = bits & 0xffff;
	if (mode == 0)
		bits += 0x7fff + (bits >> 16 & 1);
	else if (away && rest)
		bits += 0x10000;
	return (uint16_t)(bits >> 16);
}

/* The product of two bfloats is exact in binary64; what the sum loses is known by the error of a
 * sum of two. */
static inline uint16_t fma_bfloat(uint16_t a, uint16_t b, uint16_t c)
{
	double p = (double)float_of((uint32_t)a << 16) * (double)float_of((uint32_t)b << 16);
	double q = float_of((uint32_t)c << 16), sum = p + q, back = sum - p;
	double lost = (p - (sum - back)) + (q - back);

	return double_to_bfloat(to_odd(sum, lost), 0);
}

/* tf32 keeps ten bits of the fraction; `up` is what rounds before the rest is cut off. */
static inline uint32_t bits_to_tf32(uint32_t bits, uint32_t up)
{
	uint32_t magnitude = bits & 0x7fffffffu;

	if (magnitude > 0x7f800000u)
		return 0x7fffffffu;
	return magnitude == 0x7f800000u ? bits : (bits + up) & 0xffffe000u;
}

/* 8-bit floats: to nearest even, what is too large becomes the largest one. */
static inline uint8_t float_to_small(float v, int fraction, int lowest, uint32_t largest,
				     uint32_t nan)
{
	uint32_t bits = bits_of(v), a = bits & 0x7fffffffu, code;
	int exponent = (int)(a >> 23) - 127;
	float quantum, steps;

	if (a > 0x7f800000u)
		return (uint8_t)nan;
	exponent = exponent < lowest ? lowest : exponent;
	if (exponent > 20)
		return (uint8_t)(largest | bits >> 31 << 7);
	quantum = float_of((uint32_t)(exponent - fraction + 127) << 23);
	steps = round_even_f32(float_of(a) / quantum);
	code = (uint32_t)((exponent - lowest) << fraction) + (uint32_t)(int32_t)steps;
	code = code > largest ? largest : code;
	return (uint8_t)(code | bits >> 31 << 7);
}

static inline uint16_t small_to_half(uint32_t v)
{
	uint32_t sign = (v & 0x80) << 8, exponent = v >> 3 & 15, fraction = v & 7;

	if ((v & 0x7f) == 0x7f)
		return 0x7fff;
	if (exponent)
		return (uint16_t)(sign | (exponent + 8) << 10 | fraction << 7);
	return (uint16_t)(sign | float_to_half((float)(int32_t)fraction * 0.001953125f));
}

static inline uint16_t canonical_half(uint16_t h)
{
	return (h & 0x7fff) > 0x7c00 ? 0x7fff : h;
}

static inline uint16_t canonical_bfloat(uint16_t h)
{
	return (h & 0x7fff) > 0x7f80 ? 0x7fff : h;
}

/* A NaN that is converted from binary64 keeps its sign and the bits that there is room for. */
static inline uint16_t cvt_half(double d, int mode)
{
	uint32_t bits = bits_of((float)d);

	return d == d ? double_to_half(d, mode)
		      : (uint16_t)((bits >> 16 & 0x8000) | 0x7c00 | (bits >> 13 & 0x3ff));
}

static inline uint16_t cvt_bfloat(double d, int mode)
{
	return d == d ? double_to_bfloat(d, mode) : (uint16_t)(bits_of((float)d) >> 16);
}

/* The product is exact in binary64 and so is every sum that does not round to one of its terms. */
static inline uint16_t fma_half(uint16_t a, uint16_t b, uint16_t c)
{
	return double_to_half(
		(double)half_to_float(a) * (double)half_to_float(b) + (double)half_to_float(c), 0);
}

#define LOW(x) ((uint16_t)(x))
#define HIGH(x) ((uint16_t)((x) >> 16))
#define HALVES(low, high) ((uint32_t)float_to_half(low) | (uint32_t)float_to_half(high) << 16)

static inline uint32_t canonical_halves(uint32_t x)
{
	return canonical_half(LOW(x)) | (uint32_t)canonical_half(HIGH(x)) << 16;
}

static inline uint32_t canonical_bfloats(uint32_t x)
{
	return canonical_bfloat(LOW(x)) | (uint32_t)canonical_bfloat(HIGH(x)) << 16;
}

/* ---- approximations: at least as exact as the ISA asks ---- */

/*
 * 2^a through a split into the nearest whole and a rest in [-0.5, 0.5], with the Taylor series of
 * 2^x in binary64: rounded once, the error is below 0.51 ulp.
 */
static inline float exp2_f32(float a)
{
	double x = a < -160.0f ? -160.0 : a > 130.0f ? 130.0 : (double)a;
	double shifted = x + 6755399441055744.0;
	double r = x - (shifted - 6755399441055744.0);
	double scale = double_of((double_bits(shifted) + 1023) << 52);
	double p = 1.5252733804059841e-5;

	p = p * r + 1.5403530393381609e-4;
	p = p * r + 1.3333558146428443e-3;
	p = p * r + 9.6181291076284772e-3;
	p = p * r + 5.5504108664821580e-2;
	p = p * r + 2.4022650695910072e-1;
	p = p * r + 6.9314718055994531e-1;
	p = p * r + 1.0;
	return a == a ? (float)(p * scale) : a;
}

/* rcp.approx.ftz.f64 looks at the upper 32 bits only and clears the lower 32 of the result. */
static inline double gross_flush(double a)
{
	uint64_t bits = double_bits(a);

	return double_of(bits & 0x7ff0000000000000ull ? bits : bits & 1ull << 63);
}

static inline double gross_reciprocal(double a)
{
	double r = 1.0 / double_of(double_bits(gross_flush(a)) & 0xffffffff00000000ull);

	return double_of(double_bits(gross_flush(r)) & 0xffffffff00000000ull);
}

static inline double gross_reciprocal_root(double a)
{
	double r = 1.0 /
		   __builtin_sqrt(double_of(double_bits(gross_flush(a)) & 0xffffffff00000000ull));

	return double_of(double_bits(gross_flush(r)) & 0xffffffff00000000ull);
}

#endif
