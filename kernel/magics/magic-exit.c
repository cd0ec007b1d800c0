/* SPDX-License-Identifier: Apache-2.0 */
/* %exit: ends a terminal front end, and the kernel with it. */
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"

static int run_exit(struct session *s, struct cell *c, const struct magic_call *call,
		    struct error *err)
{
	(void)s;
	(void)call;
	(void)err;
	json_array_append_new(c->payload,
			      json_pack("{ss sb}", "source", "ask_exit", "keepkernel", 0));
	return 0;
}

const struct magic magic_exit = {
	.name = "exit",
	.alias = "quit",
	.forms = MAGIC_LINE,
	.usage = "%exit",
	.help = "Ends a session in a terminal (jupyter console); there exit and quit alone do, "
		"too.",
	.run = run_exit,
};
