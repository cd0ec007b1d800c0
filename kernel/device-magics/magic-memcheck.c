/* SPDX-License-Identifier: Apache-2.0 */
/* %%memcheck: runs the cell with every memory access checked, and leaves the session unchanged. */
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"

static int run(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	(void)s;
	(void)call;
	(void)err;
	c->options.checked = true;
	return 0;
}

const struct magic magic_memcheck = {
	.name = "memcheck",
	.alias = "",
	.forms = MAGIC_LINE | MAGIC_CELL | MAGIC_CODE,
	.usage = "%%memcheck",
	.help = "Runs the cell with checks for accesses out of bounds and after free.\n\n"
		"The heap, the stack and variables are checked, in functions of earlier "
		"cells, too. In a session on a GPU its launches run on the emulated "
		"device, from what the session has on the GPU, so that the thread and "
		"the line of a fault are known.\n\n"
		"Nothing that the cell does is kept, whatever was found.",
	.run = run,
};
