/* SPDX-License-Identifier: Apache-2.0 */
/* %redo and %interrupt: what becomes of a cell that was taken back, or that is interrupted. */
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/declarations/setup.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"
#include "kernel/session/undo.h"

static int redo(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	cleanup_buffer struct buffer report = BUFFER_INIT;

	if (*call->args)
		return error_set(err, ERROR_INPUT, "%%redo has no arguments");
	if (undo_redo(s, c, &report, err))
		return error_wrap(err, "%%redo");
	session_tell_declarations(s);
	setup_again(&s->setup);
	output_printf(&s->output, STREAM_STDOUT, "%s", buffer_text(&report));
	return 0;
}

const struct magic magic_redo = {
	.name = "redo",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "%redo",
	.help = "Brings back what the last %undo or the last interrupt has taken back, as long as "
		"no other cell has run.\n"
		"What an interrupted cell has left may be half done: a list or a file that it was "
		"working on, a lock that it held.",
	.run = redo,
};

static int interrupt(struct session *s, struct cell *c, const struct magic_call *call,
		     struct error *err)
{
	bool keep = strcmp(call->args, "keep") == 0;

	(void)c;
	if (*call->args && !keep && strcmp(call->args, "back") != 0)
		return error_set(err, ERROR_INPUT, "%%interrupt: '%s' is neither `keep` nor `back`",
				 call->args);
	if (*call->args)
		supervisor_set_interrupt(s->supervisor, keep);
	output_printf(&s->output, STREAM_STDOUT,
		      supervisor_interrupt_keeps(s->supervisor)
			      ? "An interrupted cell is kept as far as it came.\n"
			      : "An interrupted cell is rolled back; %%redo brings back how far it "
				"came.\n");
	return 0;
}

static void complete(struct session *s, const char *before, magic_candidate *fn, void *data)
{
	(void)s;
	if (*before)
		return;
	fn(data, "keep", "keyword");
	fn(data, "back", "keyword");
}

const struct magic magic_interrupt = {
	.name = "interrupt",
	.alias = "",
	.forms = MAGIC_LINE | MAGIC_PARKED,
	.usage = "%interrupt [keep|back]",
	.help = "back: an interrupted cell is rolled back, and %redo brings back how far it came.\n"
		"keep: it is kept as far as it came, for the rest of the session.\n"
		"cgpu_checkpoint() in a long cell marks what stays in both.",
	.run = interrupt,
	.complete = complete,
};
