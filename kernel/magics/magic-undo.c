/* SPDX-License-Identifier: Apache-2.0 */
/* %undo: back to before the last cell. */
#include "common/error.h"
#include "kernel/magics/magic.h"
#include "kernel/session/session.h"

static int undo(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	(void)c;
	(void)call;
	if (supervisor_undo(s->supervisor, err))
		return error_wrap(err, "%%undo");
	declarations_undo(&s->declarations);
	execute_tell_declarations(s);
	setup_again(&s->setup);
	output_printf(&s->output, STREAM_STDOUT, "The session is as it was before the last cell that ran.\n");
	return 0;
}

const struct magic magic_undo = {
	.name = "undo",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%undo",
	.help = "Variables, heap, device buffers and declarations are as they were before the last cell that ran. Once.",
	.run = undo,
};
