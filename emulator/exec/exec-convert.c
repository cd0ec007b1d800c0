/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions (PTX ISA 9.7.9.21). What takes two steps is put together by the decoder. */
#define TAKE_CONVERT KEEP
#include "emulator/warp/exec.h"

#define OP EXEC_DEFINE
#include "emulator/ptx/ptx-opcodes.def"
#undef OP

const struct op_entry ENTRIES(exec_convert)[] = {
#define OP EXEC_LIST
#include "emulator/ptx/ptx-opcodes.def"
#undef OP
	{ OP_COUNT, NULL, NULL },
};
