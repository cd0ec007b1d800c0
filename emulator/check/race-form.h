/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The forms of a kernel's registers are what they hold, as far as its text and one launch tell
 * before it runs: sums of the thread's and the block's numbers times constants, and which buffers a
 * value may be an address in. Private to race*.c.
 */
#ifndef CGPU_EMULATOR_RACE_FORM_H
#define CGPU_EMULATOR_RACE_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/ptx/ptx-syntax.h"
#include "emulator/warp/machine.h"

/* start + factor[i] * number i of: threadIdx.x, y, z, blockIdx.x, y, z. Without overflow on any
 * thread of the launch. */
#define RACE_NUMBERS_OF_THREAD 6

struct race_form {
	int64_t start;
	int64_t factor[RACE_NUMBERS_OF_THREAD];
};

/* How many values each number has. */
static inline uint32_t race_form_count(const struct machine_launch *l, int i)
{
	return i < 3 ? l->block[i] : l->grid[i - 3];
}

struct race_definition;

struct race_forms {
	const struct machine_launch *launch;
	struct race_definition *definitions; /* by register */
	uint32_t depth;
};

/* The forms of all registers of l->kernel. -1: out of memory. */
int race_forms_init(struct race_forms *x, const struct machine_launch *l);
void race_forms_release(struct race_forms *x);
/* The form of an address operand. False: it is no such sum, as far as can be seen. */
bool race_forms_address(struct race_forms *x, const struct ptx_operand *o, struct race_form *ret);
/* The eight bytes of the launch's parameters that a load reads. False: it loads something else. */
bool race_forms_parameter(const struct machine_launch *l, const struct ptx_instruction *in,
			  uint32_t element, uint64_t *ret);

#endif
