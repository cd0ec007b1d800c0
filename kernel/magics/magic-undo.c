/* SPDX-License-Identifier: Apache-2.0 */
/* %undo, %redo and %interrupt: what becomes of cells that are taken back, or interrupted. */
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/declarations/setup.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"
#include "kernel/session/undo.h"

/* The session is another one: the compiler and the next worker are told, and the user by the
 * report. */
static void tell(struct session *s, const struct buffer *report)
{
	session_tell_declarations(s);
	setup_again(&s->setup);
	output_printf(&s->output, STREAM_STDOUT, "%s", buffer_text(report));
}

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
	tell(s, &report);
	return 0;
}

const struct magic magic_undo = {
	.name = "undo",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%undo [N]",
	.help = "Takes back what the last N cells have changed: variables, heap, device "
		"buffers, declarations.\n\n"
		"Without N it is one cell. Cells that changed nothing do not count.",
	.run = undo,
};

static int redo(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	cleanup_buffer struct buffer report = BUFFER_INIT;

	if (*call->args)
		return error_set(err, ERROR_INPUT, "%%redo has no arguments");
	if (undo_redo(s, c, &report, err))
		return error_wrap(err, "%%redo");
	tell(s, &report);
	return 0;
}

const struct magic magic_redo = {
	.name = "redo",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%redo",
	.help = "Brings back what the last %undo or the last interrupt has taken back.\n\n"
		"No other cell may have run since. What an interrupted cell has left "
		"may be half done: a list or a file that it was working on, a lock that "
		"it held.",
	.run = redo,
};

static int interrupt(struct session *s, struct cell *c, const struct magic_call *call,
		     struct error *err)
{
	(void)c;
	if (*call->args && !magic_has_word(call->magic, call->args))
		return error_set(err, ERROR_INPUT, "%%interrupt: '%s' is neither `keep` nor `back`",
				 call->args);
	if (*call->args)
		supervisor_set_interrupt(s->supervisor, !strcmp(call->args, "keep"));
	output_printf(&s->output, STREAM_STDOUT,
		      supervisor_interrupt_keeps(s->supervisor)
			      ? "An interrupted cell is kept as far as it came.\n"
			      : "An interrupted cell is rolled back; %%redo brings back how far it "
				"came.\n");
	return 0;
}

const struct magic magic_interrupt = {
	.name = "interrupt",
	.alias = "",
	.forms = MAGIC_LINE | MAGIC_PARKED,
	.usage = "%interrupt [keep|back]",
	.help = "Sets what becomes of an interrupted cell: rolled back, or kept as far "
		"as it came.\n\n"
		"- `back`: it is rolled back, and `%redo` brings back how far it came.\n"
		"- `keep`: it is kept as far as it came, for the rest of the session.\n\n"
		"cgpu_checkpoint() in a long cell marks what stays in both.",
	.run = interrupt,
	.words = "keep back",
};
