/* SPDX-License-Identifier: Apache-2.0 */
/* Floating point of 32 and 64 bits (PTX ISA 9.7.3). The operation `mode` runs the one after it with
 * another rounding direction or with subnormals flushed, both by the processor's own control
 * register. */
#define TAKE_FLOAT KEEP
#include "emulator/warp/exec.h"

/* imm holds the bits of MXCSR to use, exceptions masked. */
HANDLER(mode_full)
{
	unsigned saved = mode_enter(o);
	const struct op *next = o[1].full(w, o + 1);

	mode_leave(saved);
	return next;
}

HANDLER(mode_masked)
{
	unsigned saved = mode_enter(o);
	const struct op *next = o[1].masked(w, o + 1);

	mode_leave(saved);
	return next;
}

#define OP EXEC_DEFINE
#include "emulator/ptx/ptx-opcodes.def"
#undef OP

const struct op_entry ENTRIES(exec_float)[] = {
#define OP EXEC_LIST
#include "emulator/ptx/ptx-opcodes.def"
#undef OP
	{ OP_COUNT, NULL, NULL },
};
