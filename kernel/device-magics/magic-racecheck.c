/* SPDX-License-Identifier: Apache-2.0 */
/* %%racecheck: checks all launches of the cell for races. Unless the device is a GPU, the cell is
 * committed like any other. */
#include "common/cuda/emulator-extension.h"
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"

static int run(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	(void)s;
	(void)call;
	(void)err;
	c->options.device_checks |= EMULATOR_CHECK_RACES;
	return 0;
}

const struct magic magic_racecheck = {
	.name = "racecheck",
	.alias = "",
	.forms = MAGIC_LINE | MAGIC_CELL | MAGIC_CODE,
	.usage = "%%racecheck",
	.help = "Checks all launches of the cell for races, in shared memory and "
		"between blocks.\n\n"
		"It sums up threads, lines, variable and values of both sides. Without "
		"it the start of each CUDA kernel is checked, and only errors are told.\n\n"
		"The checks are those of the emulated device. In a session on a GPU "
		"nothing of the cell is kept.",
	.run = run,
};
