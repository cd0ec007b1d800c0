/* SPDX-License-Identifier: Apache-2.0 */
/* The places of the elements of lanes are worked out once for each shape of matrix. */
#include "emulator/ptx/matrix.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "common/base/bug.h"

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

/* The shape that places depend on, and the places, element after element, for all lanes. */
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
