/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions (PTX ISA 9.7.9.21). What takes two steps is put together by the decoder. */
#include "emulator/machine/exec.h"

#define TAKE_INTEGER SKIP
#define TAKE_FLOAT SKIP
#define TAKE_HALF SKIP
#define TAKE_COMPARE SKIP
#define TAKE_LOGIC SKIP
#define TAKE_CONVERT KEEP
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

const struct op_entry ENTRIES(exec_convert)[] = {
#define OP EXEC_LIST
#include "emulator/ptx/ptx-opcodes.def"
#undef OP
	{ OP_COUNT, NULL, NULL },
};
