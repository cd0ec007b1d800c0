/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison and selection (PTX ISA 9.7.6): a comparison leaves one bit a lane in a predicate. */
#include "emulator/machine/exec.h"

#define TAKE_INTEGER SKIP
#define TAKE_FLOAT SKIP
#define TAKE_HALF SKIP
#define TAKE_COMPARE KEEP
#define TAKE_LOGIC SKIP
#define TAKE_CONVERT SKIP
#define TAKE_MEMORY SKIP
#define TAKE_ATOMIC SKIP
#define TAKE_WARP SKIP
#define TAKE_CONTROL SKIP
#define TAKE_SPECIAL SKIP
#define TAKE_VIDEO SKIP
#define TAKE_STAGE SKIP
#define TAKE_MATRIX SKIP
#define TAKE_ASYNC SKIP

#define OP EXEC_DEFINE
#include "emulator/ptx/ptx-opcodes.def"
#undef OP

const struct op_entry ENTRIES(exec_compare)[] = {
#define OP EXEC_LIST
#include "emulator/ptx/ptx-opcodes.def"
#undef OP
	{ OP_COUNT, NULL, NULL },
};
