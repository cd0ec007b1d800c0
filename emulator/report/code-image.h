/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel as a debugger finds it in the machine code of a GPU: its symbols and the lines of its
 * instructions. There is no machine code; a PTX instruction stands for 16 bytes, as in reports.
 * Line information is what ptxas makes of the same PTX: DWARF 2 with NVIDIA's opcode for inlined
 * calls.
 */
#ifndef CGPU_EMULATOR_CODE_IMAGE_H
#define CGPU_EMULATOR_CODE_IMAGE_H

#include "common/base/buffer.h"
#include "emulator/ptx/ptx-module.h"

#define CODE_IMAGE_FUNCTIONS 8
#define CODE_IMAGE_STEP 16 /* bytes of an instruction */

struct code_image {
	const struct ptx_function
		*functions[CODE_IMAGE_FUNCTIONS]; /* the kernel first, then those that it calls */
	uint32_t count;
	uint64_t address; /* of the kernel */
};

/* Once a function; what is too many is left out. */
void code_image_add(struct code_image *c, const struct ptx_function *f);
/* The address of an instruction; 0: the function is none of them. */
uint64_t code_image_address(const struct code_image *c, const char *function, uint32_t offset);
/* Appends the ELF file. 0, or -1: out of memory. */
int code_image_build(const struct code_image *c, struct buffer *out, struct error *err);

#endif
