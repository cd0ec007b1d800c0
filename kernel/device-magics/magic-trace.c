/* SPDX-License-Identifier: Apache-2.0 */
/* %%trace and %trace on: the device operations of cells, in order. */
#include <string.h>

#include "common/base/error.h"
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"
#include "kernel/session/session.h"

static int trace(struct session *s, struct cell *c, const struct magic_call *call,
		 struct error *err)
{
	if (call->is_cell) {
		c->options.traced = true;
		return 0;
	}
	if (!magic_has_word(call->magic, call->args))
		return error_set(
			err, ERROR_INPUT,
			"%%trace: it is %%trace on, %%trace off, or %%%%trace on top of a cell");
	s->trace_all = !strcmp(call->args, "on");
	return 0;
}

const struct magic magic_trace = {
	.name = "trace",
	.alias = "",
	.forms = MAGIC_LINE | MAGIC_CELL | MAGIC_CODE | MAGIC_WORDS,
	.usage = "%%trace, %trace on|off",
	.help = "Shows what the cell asks of the device, in order and with times.\n\n"
		"Allocations, frees, copies, fills, launches and waits, with the line, "
		"the variables, bytes, GB/s and the time that the device took; and a "
		"timeline of streams. Of many calls the first and the last hundred are "
		"shown.\n\n"
		"`%trace on` does it for every cell.",
	.run = trace,
	.words = "on off",
};
