/* SPDX-License-Identifier: Apache-2.0 */
/*
 * D = A * B + C. Products and sums are made in binary64 and rounded once, which is more exact than hardware; products
 * of binary64 elements are added one by one with fma in the order of k. Integers wrap, or clamp with .satfinite.
 */
#include "emulator/machine/matrix.h"

#include <math.h>
#include <string.h>

#include "emulator/machine/lane-math.h"

#define LANE_COUNT 32

unsigned matrix_bits(enum matrix_type t)
{
	static const uint8_t bits[MATRIX_TYPES] = {
		[MATRIX_F16] = 16, [MATRIX_BF16] = 16, [MATRIX_TF32] = 32, [MATRIX_F32] = 32, [MATRIX_F64] = 64,
		[MATRIX_S8] = 8, [MATRIX_U8] = 8, [MATRIX_S4] = 4, [MATRIX_U4] = 4, [MATRIX_B1] = 1, [MATRIX_S32] = 32,
		[MATRIX_E4M3] = 8, [MATRIX_E5M2] = 8,
	};

	return bits[t];
}

unsigned matrix_packed(enum matrix_type t)
{
	return t == MATRIX_F64 ? 1 : 32 / matrix_bits(t);
}

unsigned matrix_registers(const struct matrix_op *x, enum matrix_part part, enum matrix_type type)
{
	unsigned elements = part == MATRIX_A ? x->m * x->k : part == MATRIX_B ? x->k * x->n : x->m * x->n;

	return elements / LANE_COUNT / matrix_packed(type);
}

void matrix_place(const struct matrix_op *x, enum matrix_part part, enum matrix_type type, unsigned lane, unsigned index,
		  unsigned *row, unsigned *column)
{
	unsigned group = lane / 4, place = lane % 4, packed = matrix_packed(type);
	unsigned needed = matrix_registers(x, part, type);
	unsigned reg = index / packed % needed, within = index % packed, steps = x->k / (4 * packed);

	switch (part) {
	case MATRIX_A:
		if (x->m == 8) {
			*row = group;
		} else {
			unsigned block = reg / (2 * steps);

			reg %= 2 * steps;
			*row = block * 16 + group + 8 * (reg & 1);
			reg >>= 1;
		}
		*column = place * packed + within + 4 * packed * reg;
		break;
	case MATRIX_B:
		*row = place * packed + within + 4 * packed * (reg % steps);
		*column = reg / steps * 8 + group;
		break;
	default:
		index = reg * packed + within;
		if (x->m == 8) {
			*row = group;
			*column = index / 2 * 8 + place * 2 + (index & 1);
		} else {
			unsigned block = index / 4, wide = x->n / 8u;

			*row = block / wide * 16 + group + 8 * (index >> 1 & 1);
			*column = block % wide * 8 + place * 2 + (index & 1);
		}
		break;
	}
}

float matrix_e4m3(uint8_t v)
{
	int exponent = v >> 3 & 15, mantissa = v & 7;
	float r;

	if ((v & 0x7f) == 0x7f)
		return float_of(0x7fffffffu);
	r = exponent ? ldexpf((float)(8 + mantissa), exponent - 10) : ldexpf((float)mantissa, -9);
	return v & 0x80 ? -r : r;
}

float matrix_e5m2(uint8_t v)
{
	return half_to_float((uint16_t)(v << 8));
}

static int32_t whole_element(enum matrix_type t, uint32_t bits)
{
	switch (t) {
	case MATRIX_S8: return (int8_t)bits;
	case MATRIX_U8: return (uint8_t)bits;
	case MATRIX_S4: return (int32_t)(bits << 28) >> 28;
	case MATRIX_U4: return bits & 15;
	case MATRIX_B1: return bits & 1;
	default: return (int32_t)bits;
	}
}

static double real_element(enum matrix_type t, uint64_t bits)
{
	switch (t) {
	case MATRIX_F16: return half_to_float((uint16_t)bits);
	case MATRIX_BF16: return float_of((uint32_t)(uint16_t)bits << 16);
	case MATRIX_TF32: return float_of((uint32_t)bits & 0xffffe000u);
	case MATRIX_F64: return double_of(bits);
	case MATRIX_E4M3: return matrix_e4m3((uint8_t)bits);
	case MATRIX_E5M2: return matrix_e5m2((uint8_t)bits);
	default: return float_of((uint32_t)bits);
	}
}

static bool is_whole(enum matrix_type t)
{
	return (t >= MATRIX_S8 && t <= MATRIX_B1) || t == MATRIX_S32;
}

/* Largest matrices: 16 x 256 bits, 32 x 16 halves. */
#define ELEMENTS 4096

/* The elements of a part, row after row. */
static void collect(const struct matrix_op *x, enum matrix_part part, enum matrix_type type, const uint64_t (*stage)[32],
		    double *real, int32_t *whole)
{
	unsigned packed = matrix_packed(type), bits = matrix_bits(type), columns = part == MATRIX_A ? x->k : x->n;
	unsigned count = matrix_registers(x, part, type) * packed;

	for (unsigned lane = 0; lane < LANE_COUNT; lane++)
		for (unsigned i = 0; i < count; i++) {
			uint64_t v = stage[i / packed][lane] >> (i % packed * bits);
			unsigned row, column;

			matrix_place(x, part, type, lane, i, &row, &column);
			if (is_whole(type))
				whole[row * columns + column] = whole_element(type, (uint32_t)v);
			else
				real[row * columns + column] = real_element(type, v);
		}
}

static uint64_t rounded(enum matrix_type t, double v)
{
	if (t == MATRIX_F64)
		return double_bits(v);
	if (t == MATRIX_F16)
		return double_to_half(v, 0);
	return bits_of(canonical_f32((float)v));
}

static uint32_t dot_whole(const struct matrix_op *x, const int32_t *a, const int32_t *b, int32_t c)
{
	int64_t sum = c;

	for (unsigned k = 0; k < x->k; k++) {
		int32_t u = a[k], v = b[k * x->n];

		sum += x->type[0] != MATRIX_B1 ? u * v : x->and_bits ? (u & v) : (u ^ v);
	}
	return x->saturate ? (uint32_t)saturate_s32(sum) : (uint32_t)sum;
}

static double dot_real(const struct matrix_op *x, const double *a, const double *b, double c)
{
	double sum = x->result == MATRIX_F64 ? c : 0;

	for (unsigned k = 0; k < x->k; k++)
		sum = fma(a[k], b[k * x->n], sum);
	return x->result == MATRIX_F64 ? sum : sum + c;
}

void matrix_multiply(const struct matrix_op *x, uint64_t (*stage)[32])
{
	union {
		double real[3][ELEMENTS];
		int32_t whole[3][ELEMENTS];
	} parts;
	const uint64_t (*from)[32] = (const uint64_t(*)[32])stage;
	enum matrix_type result = (enum matrix_type)x->result;
	unsigned packed = matrix_packed(result), count = matrix_registers(x, MATRIX_C, result) * packed;

	collect(x, MATRIX_A, (enum matrix_type)x->type[0], from, parts.real[0], parts.whole[0]);
	collect(x, MATRIX_B, (enum matrix_type)x->type[1], from + MATRIX_STAGE_B, parts.real[1], parts.whole[1]);
	collect(x, MATRIX_C, (enum matrix_type)x->type[2], from + MATRIX_STAGE_C, parts.real[2], parts.whole[2]);
	for (unsigned lane = 0; lane < LANE_COUNT; lane++)
		for (unsigned i = 0; i < count; i++) {
			unsigned row, column, at, bits = matrix_bits(result) % 64;
			uint64_t v, *to = &stage[i / packed][lane];

			matrix_place(x, MATRIX_C, result, lane, i, &row, &column);
			at = row * x->n + column;
			if (is_whole(result))
				v = dot_whole(x, parts.whole[0] + row * x->k, parts.whole[1] + column, parts.whole[2][at]);
			else
				v = rounded(result, dot_real(x, parts.real[0] + row * x->k, parts.real[1] + column,
							     parts.real[2][at]));
			*to = i % packed ? *to | v << (i % packed * bits) : v;
		}
}
