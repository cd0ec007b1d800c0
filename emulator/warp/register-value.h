/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The value that a register of PTX held for one lane, worked out again from its text: launch
 * parameters, special registers and constants are at hand as long as the launch runs, and most
 * indices are made of them. Rows of the register file would not do: registers share them, and
 * compiled code leaves dead ones unwritten.
 *
 * A value that cannot be worked out (loaded, exchanged, counted in a loop) is unknown, until the
 * caller assumes one.
 */
#ifndef CGPU_EMULATOR_REGISTER_VALUE_H
#define CGPU_EMULATOR_REGISTER_VALUE_H

#include "emulator/ptx/ptx-syntax.h"
#include "emulator/warp/warp.h"

#define REGISTER_VALUES_ASSUMED 8

struct register_values {
	const struct warp *warp;
	const struct ptx_function *function;
	uint32_t lane;
	uint32_t steps; /* left, so that no text takes long */
	struct {
		uint32_t index;
		uint64_t value;
	} assumed[REGISTER_VALUES_ASSUMED];
	uint32_t assumed_count;
};

/* Begin with the function that the warp is in. */
void register_values_init(struct register_values *v, const struct warp *w, uint32_t lane);
/* The one instruction that writes the register, always; NULL: there are several, or it has a guard.
 */
const struct ptx_instruction *register_values_definition(const struct register_values *v,
							 uint32_t index);
/* Registers of 32 bits and less give their bits without sign. False: unknown. */
bool register_values_get(struct register_values *v, const struct ptx_operand *o, uint64_t *ret);
/* From here on the register has this value. */
void register_values_assume(struct register_values *v, uint32_t index, uint64_t value);

/* "mul.wide.s32" taken apart: is the opcode that; bits of its last type, 0 for floating point and
 * predicates. */
bool instruction_is(const struct ptx_instruction *in, const char *opcode);
bool instruction_has(const struct ptx_instruction *in, const char *modifier);
uint32_t instruction_bits(const struct ptx_instruction *in);
/* The n-th operand as the text has it, an address without brackets and offset. */
void instruction_operand_text(const struct ptx_instruction *in, uint32_t n, char *ret, size_t size);
/* "%ctaid.x" -> "blockIdx.x"; other names as they are. */
const char *special_register_name(const char *name);

#endif
