/* SPDX-License-Identifier: Apache-2.0 */
/* %reset: an empty session. */
#include "common/error.h"
#include "kernel/magics/magic.h"
#include "kernel/session/session.h"

static int reset(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	(void)c;
	(void)call;
	if (supervisor_reset(s->supervisor, err))
		return error_wrap(err, "%%reset");
	declarations_clear(&s->declarations);
	undo_release(&s->undo);
	execute_tell_declarations(s);
	setup_again(&s->setup);
	output_printf(&s->output, STREAM_STDOUT, "The session is empty.\n");
	return 0;
}

const struct magic magic_reset = {
	.name = "reset",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%reset",
	.help = "Forgets all variables, functions, types, macros, includes and device buffers. Limits and flags stay.",
	.run = reset,
};
