/* SPDX-License-Identifier: Apache-2.0 */
/* %regs and %%regs: the resources of a multiprocessor that entries need, and the number of blocks
 * that fit. */
#include "kernel/session/look.h"
#include "kernel/session/magic.h"

static int regs(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	return look_run(s, c, call, LOOK_REGISTERS, err);
}

const struct magic magic_regs = {
	.name = "regs",
	.alias = "",
	.forms = MAGIC_LINE | MAGIC_CELL | MAGIC_CODE | MAGIC_OPTIONS,
	.usage = "%regs [NAME]",
	.help = "Shows registers, spills and memory of CUDA kernels, and what occupancy "
		"follows.\n\n"
		"What limits the occupancy is named. `%regs [NAME] [--arch sm_80] "
		"[--block THREADS] [--shared BYTES]`, of dynamic shared memory.\n\n"
		"A cell that starts with `%%regs` is compiled and looked at, and not "
		"run.",
	.run = regs,
	.words = "--arch --block --shared",
	.word = MAGIC_WORD_CODE,
};
