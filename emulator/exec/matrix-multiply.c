/* SPDX-License-Identifier: Apache-2.0 */
/*
 * D = A * B + C. Products and sums are made in binary64 and rounded once, which is more exact than
 * hardware; products of binary64 elements are added one by one with fma in the order of k. Integers
 * wrap, or clamp with .satfinite.
 *
 * Eight columns are computed at a time.
 */
#include "emulator/exec/matrix-multiply.h"

#include <math.h>
#include <string.h>

#include "common/base/bug.h"
#include "emulator/warp/lane-math.h"

/* 8-bit floats, also for cvt. */
static float matrix_e4m3(uint8_t v)
{
	int exponent = v >> 3 & 15, mantissa = v & 7;
	float r;

	if ((v & 0x7f) == 0x7f)
		return float_of(0x7fffffffu);
	r = exponent ? ldexpf((float)(8 + mantissa), exponent - 10) : ldexpf((float)mantissa, -9);
	return v & 0x80 ? -r : r;
}

static float matrix_e5m2(uint8_t v)
{
	return half_to_float((uint16_t)(v << 8));
}

static int32_t whole_element(enum matrix_type t, uint32_t bits)
{
	switch (t) {
	case MATRIX_S8:
		return (int8_t)bits;
	case MATRIX_U8:
		return (uint8_t)bits;
	case MATRIX_S4:
		return (int32_t)(bits << 28) >> 28;
	case MATRIX_U4:
		return bits & 15;
	case MATRIX_B1:
		return bits & 1;
	default:
		return (int32_t)bits;
	}
}

static double real_element(enum matrix_type t, uint64_t bits)
{
	switch (t) {
	case MATRIX_F16:
		return half_to_float((uint16_t)bits);
	case MATRIX_BF16:
		return float_of((uint32_t)(uint16_t)bits << 16);
	case MATRIX_TF32:
		return float_of((uint32_t)bits & 0xffffe000u);
	case MATRIX_F64:
		return double_of(bits);
	case MATRIX_E4M3:
		return matrix_e4m3((uint8_t)bits);
	case MATRIX_E5M2:
		return matrix_e5m2((uint8_t)bits);
	default:
		return float_of((uint32_t)bits);
	}
}

static bool is_whole(enum matrix_type t)
{
	return (t >= MATRIX_S8 && t <= MATRIX_B1) || t == MATRIX_S32;
}

/* Largest matrices: 16 x 256 bits, 32 x 16 halves. */
#define ELEMENTS 4096

/* The elements of a part, row after row. */
static void collect(const struct matrix_op *x, enum matrix_part part, enum matrix_type type,
		    const uint64_t (*stage)[32], double *real, int32_t *whole)
{
	unsigned packed = matrix_packed(type), bits = matrix_bits(type),
		 columns = part == MATRIX_A ? x->k : x->n;
	unsigned count = matrix_registers(x, part, type) * packed;
	const struct matrix_spot *spot = matrix_spots(x, part, type, 0);

	for (unsigned i = 0; i < count; i++)
		for (unsigned lane = 0; lane < MATRIX_LANES; lane++, spot++) {
			uint64_t v = stage[i / packed][lane] >> (i % packed * bits);

			if (is_whole(type))
				whole[spot->row * columns + spot->column] =
					whole_element(type, (uint32_t)v);
			else
				real[spot->row * columns + spot->column] = real_element(type, v);
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

#define GROUP 8 /* columns; all matrices have some of these */
typedef int32_t wholes __attribute__((vector_size(GROUP * sizeof(int32_t)), aligned(4), may_alias));
typedef double reals __attribute__((vector_size(GROUP * sizeof(double)), aligned(8), may_alias));

/* Sums of at most 256 products of bytes fit into 32 bits. C becomes D. */
static void multiply_wholes(const struct matrix_op *x, const int32_t *a, const int32_t *b,
			    int32_t *c)
{
	for (unsigned row = 0; row < x->m; row++)
		for (unsigned column = 0; column < x->n; column += GROUP) {
			int32_t *to = c + row * x->n + column;
			wholes sum = { 0 };

			for (unsigned k = 0; k < x->k; k++) {
				wholes v = *(const wholes *)(b + k * x->n + column);
				int32_t u = a[row * x->k + k];

				sum += x->type[0] != MATRIX_B1 ? u * v
				       : x->and_bits           ? (u & v)
							       : (u ^ v);
			}
			for (unsigned i = 0; i < GROUP; i++) {
				int64_t all = (int64_t)to[i] + sum[i];

				to[i] = x->saturate ? saturate_s32(all) : (int32_t)all;
			}
		}
}

/* A product of elements that are smaller than binary64 is exact there, so this is what fma() gives.
 */
static void multiply_reals(const struct matrix_op *x, const double *a, const double *b, double *c)
{
	for (unsigned row = 0; row < x->m; row++)
		for (unsigned column = 0; column < x->n; column += GROUP) {
			reals sum = { 0 };

			for (unsigned k = 0; k < x->k; k++)
				sum += a[row * x->k + k] * *(const reals *)(b + k * x->n + column);
			*(reals *)(c + row * x->n + column) += sum;
		}
}

static void multiply_doubles(const struct matrix_op *x, const double *a, const double *b, double *c)
{
	for (unsigned row = 0; row < x->m; row++)
		for (unsigned column = 0; column < x->n; column++)
			for (unsigned k = 0; k < x->k; k++)
				c[row * x->n + column] =
					fma(a[row * x->k + k], b[k * x->n + column],
					    c[row * x->n + column]);
}

void matrix_multiply(const struct matrix_op *x, uint64_t (*stage)[32])
{
	union {
		double real[3][ELEMENTS];
		int32_t whole[3][ELEMENTS];
	} parts;
	const uint64_t(*from)[32] = (const uint64_t(*)[32])stage;
	enum matrix_type result = (enum matrix_type)x->result;
	unsigned packed = matrix_packed(result),
		 count = matrix_registers(x, MATRIX_C, result) * packed;
	const struct matrix_spot *spot = matrix_spots(x, MATRIX_C, result, 0);

	collect(x, MATRIX_A, (enum matrix_type)x->type[0], from, parts.real[0], parts.whole[0]);
	collect(x, MATRIX_B, (enum matrix_type)x->type[1], from + MATRIX_STAGE_B, parts.real[1],
		parts.whole[1]);
	collect(x, MATRIX_C, (enum matrix_type)x->type[2], from + MATRIX_STAGE_C, parts.real[2],
		parts.whole[2]);
	if (is_whole(result))
		multiply_wholes(x, parts.whole[0], parts.whole[1], parts.whole[2]);
	else if (result == MATRIX_F64)
		multiply_doubles(x, parts.real[0], parts.real[1], parts.real[2]);
	else
		multiply_reals(x, parts.real[0], parts.real[1], parts.real[2]);
	for (unsigned i = 0; i < count; i++)
		for (unsigned lane = 0; lane < MATRIX_LANES; lane++, spot++) {
			unsigned at = spot->row * x->n + spot->column,
				 bits = matrix_bits(result) % 64;
			uint64_t v = is_whole(result) ? (uint32_t)parts.whole[2][at]
						      : rounded(result, parts.real[2][at]);
			uint64_t *to = &stage[i / packed][lane];

			*to = i % packed ? *to | v << (i % packed * bits) : v;
		}
}
