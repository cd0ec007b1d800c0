/* SPDX-License-Identifier: Apache-2.0 */
/* How operations pass taint on, told by their rows in ptx-opcodes.def. */
#ifndef CGPU_EMULATOR_TAINT_RULES_H
#define CGPU_EMULATOR_TAINT_RULES_H

#include "emulator/warp/exec.h"

enum taint_class {
	TAINT_NOTHING, /* no destination, or one that taint.c knows */
	TAINT_ANY,     /* one bit taints all of the result */
	TAINT_HALVES,  /* the same for each 16 bits */
	TAINT_UPWARD,  /* a bit taints those from its place up: sums */
	TAINT_COPY,    /* bit by bit */
	TAINT_MOVED, /* what the operation does to a value it does to its taint; `control` operands
			are values */
	TAINT_AND,
	TAINT_OR,
	TAINT_XOR,
	TAINT_COMPARE, /* a predicate */
	TAINT_EQUAL,   /* a predicate that a difference of known bits decides */
	TAINT_PICK,
	TAINT_SIGN_PICK,
	TAINT_MASK_AND,
	TAINT_MASK_OR,
	TAINT_MASK_COPY,
	TAINT_MASK_ANDN,
	TAINT_LOAD,
	TAINT_STORE,
};

enum taint_type {
	TAINT_TYPE__,
	TAINT_TYPE_p,
	TAINT_TYPE_u8,
	TAINT_TYPE_s8,
	TAINT_TYPE_u16,
	TAINT_TYPE_s16,
	TAINT_TYPE_u32,
	TAINT_TYPE_s32,
	TAINT_TYPE_u64,
	TAINT_TYPE_s64,
	TAINT_TYPE_f16,
	TAINT_TYPE_bf16,
	TAINT_TYPE_f32,
	TAINT_TYPE_f64,
};

struct taint_rule {
	uint8_t class;       /* enum taint_class */
	uint8_t type[4];     /* d, a, b, c: enum taint_type */
	uint8_t control;     /* TAINT_MOVED: bits 0..2 for a..c, 3 for x0 */
	uint8_t size, count; /* TAINT_LOAD, TAINT_STORE: bytes of an element, elements */
	uint8_t space;       /* enum ptx_space */
};

const struct taint_rule *taint_rule(uint32_t id);

/* Bits of a value of this type, 0 for none; a value lies in a row of 64 bits when there are 64. */
static inline unsigned taint_bits(uint8_t type)
{
	static const uint8_t bits[] = { 0, 1, 8, 8, 16, 16, 32, 32, 64, 64, 16, 16, 32, 64 };

	return bits[type];
}

#endif
