/* SPDX-License-Identifier: Apache-2.0 */
/* %undo: goes back to the state before the last cells. */
#include <stdlib.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/declarations/setup.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"
#include "kernel/session/undo.h"

static int undo(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	cleanup_buffer struct buffer report = BUFFER_INIT;
	char *end;
	long n = *call->args ? strtol(call->args, &end, 10) : 1;

	(void)c;
	if (*call->args && (*end || n < 1 || n > 1000))
		return error_set(err, ERROR_INPUT, "%%undo: '%s' is not a number of cells",
				 call->args);
	if (undo_cells(s, (unsigned)n, &report, err))
		return error_wrap(err, "%%undo");
	session_tell_declarations(s);
	setup_again(&s->setup);
	output_printf(&s->output, STREAM_STDOUT, "%s", buffer_text(&report));
	return 0;
}

const struct magic magic_undo = {
	.name = "undo",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%undo [N]",
	.help = "Variables, heap, device buffers and declarations are as they were before the last "
		"N cells (1) that\n"
		"changed something.",
	.run = undo,
};
