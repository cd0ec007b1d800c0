/* SPDX-License-Identifier: Apache-2.0 */
/* %profile and %%profile: run the cell, and show a profile of its launches beside the source. */
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"

static int run(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	(void)s;
	(void)call;
	(void)err;
	c->options.profiled = true;
	return 0;
}

const struct magic magic_profile = {
	.name = "profile",
	.alias = "",
	.forms = MAGIC_LINE | MAGIC_CELL | MAGIC_CODE,
	.usage = "%%profile",
	.help = "Profiles the CUDA kernels that the cell launches, line by line, on the "
		"emulated device.\n\n"
		"For each line: executed instructions, active lanes, divergent "
		"branches, sectors of global memory for each request, bank conflicts, "
		"local memory, atomics and barriers, as a heat map beside the source; "
		"and a timeline of streams.\n\n"
		"`%profile k<<<1, 32>>>(p);` does one line.",
	.run = run,
};
