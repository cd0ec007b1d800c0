/* SPDX-License-Identifier: Apache-2.0 */
/*
 * D = A * B + C. Products and sums are made in binary64 and rounded once, which is more exact than
 * hardware; products of binary64 elements are added one by one with fma in the order of k. Integers
 * wrap, or clamp with .satfinite.
 *
 * Eight columns are computed at a time. Where the elements of lanes belong is worked out once for
 * each shape of matrix.
 */
#include "emulator/exec/matrix.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/bug.h"

#include "emulator/warp/lane-math.h"

unsigned matrix_bits(enum matrix_type t)
{
	static const uint8_t bits[MATRIX_TYPES] = {
		[MATRIX_F16] = 16, [MATRIX_BF16] = 16, [MATRIX_TF32] = 32, [MATRIX_F32] = 32,
		[MATRIX_F64] = 64, [MATRIX_S8] = 8,    [MATRIX_U8] = 8,    [MATRIX_S4] = 4,
		[MATRIX_U4] = 4,   [MATRIX_B1] = 1,    [MATRIX_S32] = 32,  [MATRIX_E4M3] = 8,
		[MATRIX_E5M2] = 8,
	};

	return bits[t];
}

unsigned matrix_packed(enum matrix_type t)
{
	return t == MATRIX_F64 ? 1 : 32 / matrix_bits(t);
}

unsigned matrix_registers(const struct matrix_op *x, enum matrix_part part, enum matrix_type type)
{
	unsigned elements = part == MATRIX_A   ? x->m * x->k
			    : part == MATRIX_B ? x->k * x->n
					       : x->m * x->n;

	return elements / MATRIX_LANES / matrix_packed(type);
}

static void place(const struct matrix_op *x, enum matrix_part part, enum matrix_type type,
		  unsigned lane, unsigned index, struct matrix_spot *ret)
{
	unsigned group = lane / 4, place = lane % 4, packed = matrix_packed(type);
	unsigned needed = matrix_registers(x, part, type);
	unsigned reg = index / packed % needed, within = index % packed,
		 steps = x->k / (4 * packed);

	unsigned row, column;

	switch (part) {
	case MATRIX_A:
		if (x->m == 8) {
			row = group;
		} else {
			unsigned block = reg / (2 * steps);

			reg %= 2 * steps;
			row = block * 16 + group + 8 * (reg & 1);
			reg >>= 1;
		}
		column = place * packed + within + 4 * packed * reg;
		break;
	case MATRIX_B:
		row = place * packed + within + 4 * packed * (reg % steps);
		column = reg / steps * 8 + group;
		break;
	default:
		index = reg * packed + within;
		if (x->m == 8) {
			row = group;
			column = index / 2 * 8 + place * 2 + (index & 1);
		} else {
			unsigned block = index / 4, wide = x->n / 8u;

			row = block / wide * 16 + group + 8 * (index >> 1 & 1);
			column = block % wide * 8 + place * 2 + (index & 1);
		}
		break;
	}
	*ret = (struct matrix_spot){ (uint16_t)row, (uint16_t)column };
}

/* What the places depend on, and these, element after element, for all lanes. */
struct layout {
	uint16_t m, n, k, part, packed;
	struct matrix_spot spots[];
};

#define LAYOUTS 256 /* of matrices that PTX has there are fewer than half of that */

static struct layout *make_layout(const struct matrix_op *x, enum matrix_part part,
				  enum matrix_type type)
{
	unsigned count = matrix_registers(x, part, type) * matrix_packed(type);
	struct layout *l = malloc(sizeof(*l) + count * MATRIX_LANES * sizeof(l->spots[0]));

	if (!l)
		BUG("no memory for the layout of a matrix");
	*l = (struct layout){ x->m, x->n, x->k, (uint16_t)part, (uint16_t)matrix_packed(type) };
	for (unsigned i = 0; i < count; i++)
		for (unsigned lane = 0; lane < MATRIX_LANES; lane++)
			place(x, part, type, lane, i, &l->spots[i * MATRIX_LANES + lane]);
	return l;
}

const struct matrix_spot *matrix_spots(const struct matrix_op *x, enum matrix_part part,
				       enum matrix_type type, unsigned index)
{
	static struct layout *_Atomic layouts[LAYOUTS];
	unsigned packed = matrix_packed(type),
		 at = (x->m + 3u * x->n + 7u * x->k) / 8 * 5 + part * 67 + packed * 11;
	struct layout *l, *made;

	for (;; at++) {
		l = atomic_load_explicit(&layouts[at % LAYOUTS], memory_order_acquire);
		if (!l) {
			made = make_layout(x, part, type);
			if (atomic_compare_exchange_strong(&layouts[at % LAYOUTS], &l, made))
				l = made;
			else
				free(made);
		}
		if (l->m == x->m && l->n == x->n && l->k == x->k && l->part == part &&
		    l->packed == packed)
			return l->spots + index * MATRIX_LANES;
	}
}

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
