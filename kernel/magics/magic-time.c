/* SPDX-License-Identifier: Apache-2.0 */
/* %time and %%time: show how long the cell's steps took. */
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"

static int run_time(struct session *s, struct cell *c, const struct magic_call *call,
		    struct error *err)
{
	(void)s;
	(void)call;
	(void)err;
	c->timed = true;
	return 0;
}

const struct magic magic_time = {
	.name = "time",
	.alias = "",
	.forms = MAGIC_LINE | MAGIC_CELL | MAGIC_CODE,
	.usage = "%time CODE",
	.help = "Prints how long compiling, running (until the device is idle) and committing the "
		"cell took.",
	.run = run_time,
};
