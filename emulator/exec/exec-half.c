/* SPDX-License-Identifier: Apache-2.0 */
/* Half precision (PTX ISA 9.7.4): each lane is widened, worked on and rounded once. */
#define TAKE_HALF KEEP
#include "emulator/warp/exec.h"

#define OP EXEC_DEFINE
#include "emulator/ptx/ptx-opcodes.def"
#undef OP

const struct op_entry ENTRIES(exec_half)[] = {
#define OP EXEC_LIST
#include "emulator/ptx/ptx-opcodes.def"
#undef OP
	{ OP_COUNT, NULL, NULL },
};
