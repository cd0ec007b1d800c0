/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The debugging information of a module as an ELF file that readers of DWARF understand. The text
 * of its sections names labels of code and variables; here all of them are numbers:
 *	label of code       the address of its instruction: functions lie one behind the other from
 *	                    DEBUG_IMAGE_BASE on, an instruction takes CODE_IMAGE_STEP bytes
 *	.local variable     its offset in the local memory of its function
 *	.shared variable    its offset in the shared memory of a block
 *	.global, .const     its device address
 *	section, its label  the offset in that section
 */
#ifndef CGPU_EMULATOR_DEBUG_IMAGE_H
#define CGPU_EMULATOR_DEBUG_IMAGE_H

#include "common/base/buffer.h"
#include "emulator/ptx/ptx-module.h"

#define DEBUG_IMAGE_BASE 0x1000 /* no instruction has address 0 */

struct debug_image_function {
	const struct ptx_function *function;
	uint64_t address;
};

struct debug_image {
	const struct ptx_module *module;
	struct buffer file;                     /* empty: there is no debugging information */
	struct debug_image_function *functions; /* as they stand in the text */
	size_t n_functions;
	uint64_t end; /* of their code */
};

/*
 * dynamic: the offset of the dynamic part in the shared memory of a block. A module without
 * sections, or whose sections say nothing that makes sense, has an empty file. Its file is valid
 * until debug_image_release().
 */
void debug_image_init(struct debug_image *x, const struct ptx_module *m, uint32_t dynamic);
void debug_image_release(struct debug_image *x);

/* The address of instruction number `instruction`; 0: the file does not know the function. */
uint64_t debug_image_address(const struct debug_image *x, const struct ptx_function *f,
			     uint32_t instruction);

#endif
