/* SPDX-License-Identifier: Apache-2.0 */
/* Half precision (PTX ISA 9.7.4): each lane is widened, worked on and rounded once. */
#include "emulator/machine/exec.h"

#define TAKE_INTEGER SKIP
#define TAKE_FLOAT SKIP
#define TAKE_HALF KEEP
#define TAKE_COMPARE SKIP
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

const struct op_entry ENTRIES(exec_half)[] = {
#define OP EXEC_LIST
#include "emulator/ptx/ptx-opcodes.def"
#undef OP
	{ OP_COUNT, NULL, NULL },
};
