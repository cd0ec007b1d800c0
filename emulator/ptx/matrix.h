/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fragments of matrix instructions (PTX ISA 9.7.14): which lane holds which elements. All shapes
 * with one rule: lanes are eight groups of four; in A a group is a row and its lanes hold
 * neighbouring columns, in B a group is a column, in C and D a group is a row and a lane holds two
 * columns; larger matrices repeat that in blocks of 16 or 8. For mma this is the ISA's layout. For
 * wmma, whose layout the ISA leaves open, it is the same.
 */
#ifndef CGPU_EMULATOR_MATRIX_H
#define CGPU_EMULATOR_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#define MATRIX_LANES 32

enum matrix_type {
	MATRIX_F16,
	MATRIX_BF16,
	MATRIX_TF32,
	MATRIX_F32,
	MATRIX_F64,
	MATRIX_S8,
	MATRIX_U8,
	MATRIX_S4,
	MATRIX_U4,
	MATRIX_B1,
	MATRIX_S32,
	MATRIX_E4M3,
	MATRIX_E5M2,
	MATRIX_TYPES,
};

enum matrix_part { MATRIX_A, MATRIX_B, MATRIX_C };

/* One instruction. The decoder makes it, handlers read it. */
struct matrix_op {
	uint16_t m, n, k;
	uint8_t type[3];      /* of A, B, C */
	uint8_t result;       /* of D */
	uint8_t part;         /* enum matrix_part that a load or store is about; D counts as C */
	uint8_t registers[3]; /* of a fragment; more than the elements need when they are held twice
			       */
	uint8_t space;        /* enum ptx_space of loads and stores */
	bool by_rows;
	bool saturate;
	bool and_bits; /* of b1: a & b, else a ^ b */
};

/* Bits of an element as it lies in memory and in a register; tf32 takes a whole register. */
unsigned matrix_bits(enum matrix_type t);
/* Elements in a register. */
unsigned matrix_packed(enum matrix_type t);
/* Registers that hold a lane's part of the matrix once. */
unsigned matrix_registers(const struct matrix_op *x, enum matrix_part part, enum matrix_type type);
struct matrix_spot {
	uint16_t row, column;
};
/* The places of element number `index` of each of the 32 lanes. */
const struct matrix_spot *matrix_spots(const struct matrix_op *x, enum matrix_part part,
				       enum matrix_type type, unsigned index);

/* stage rows: A from 0, B from 16, C from 32; D goes to 0. */
#define MATRIX_STAGE_B 16
#define MATRIX_STAGE_C 32

#endif
