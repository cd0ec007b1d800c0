/* SPDX-License-Identifier: Apache-2.0 */
/* %%on_restart: the cell is run now, and again in each worker that replaces another. */
#include <string.h>

#include "kernel/magics/magic.h"
#include "kernel/session/cell.h"
#include "kernel/session/session.h"

static int on_restart(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	(void)call;
	(void)err;
	c->on_restart = c->script.code[strspn(c->script.code, " \t\r\n")] != '\0';
	if (!c->on_restart) {
		setup_forget(&s->setup);
		output_printf(&s->output, STREAM_STDOUT, "No cell is run again after a recovery.\n");
	}
	return 0;
}

const struct magic magic_on_restart = {
	.name = "on_restart",
	.alias = "",
	.forms = MAGIC_CELL | MAGIC_CODE,
	.usage = "%%on_restart",
	.help = "The cell runs now, and again before the next cell whenever the session had to move to a new process, to make what\n"
		"is no session memory: open files, threads, handles. If it fails then it says so and is left out. An empty one\n"
		"forgets all.",
	.run = on_restart,
};
