/* SPDX-License-Identifier: Apache-2.0 */
/* %focus: which thread of a launch stops at breakpoints in device code. */
#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/debugger/debug-focus.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"

static int run(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	(void)c;
	if (*call->args && debug_focus_set(s->supervisor, call->args, err))
		return error_wrap(err, "%%focus");
	debug_focus_describe(s->supervisor, &text);
	output_printf(&s->output, STREAM_STDOUT, "%s\n", buffer_text(&text));
	return 0;
}

const struct magic magic_focus = {
	.name = "focus",
	.alias = "",
	.forms = MAGIC_LINE | MAGIC_PARKED,
	.usage = "%focus [block X,Y thread X]",
	.help = "Sets the thread that the debugger stops in device code, on the "
		"emulated device.\n\n"
		"`%focus block 2 thread 37`. `%focus first` is the first thread of a "
		"launch that comes to a breakpoint, as at the beginning.",
	.words = "block thread first",
	.run = run,
};
