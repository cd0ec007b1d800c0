/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison and selection (PTX ISA 9.7.6): a comparison leaves one bit a lane in a predicate. */
#define TAKE_COMPARE KEEP
#include "emulator/warp/exec.h"

#define OP EXEC_DEFINE
#include "emulator/ptx/ptx-opcodes.def"
#undef OP

const struct op_entry ENTRIES(exec_compare)[] = {
#define OP EXEC_LIST
#include "emulator/ptx/ptx-opcodes.def"
#undef OP
	{ OP_COUNT, NULL, NULL },
};
