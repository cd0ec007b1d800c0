/* SPDX-License-Identifier: Apache-2.0 */
/* %help: all magics, or one. */
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"

static void list_all(const struct magic *const *table, struct buffer *out)
{
	const struct magic *m;

	buffer_puts(out, "Commands stand at the top of a cell, before its C code; `//%name` works "
			 "on any line.\n\n");
	for (size_t i = 0; (m = table[i]); i++)
		buffer_printf(out, "  %-34s %.*s\n", m->usage, (int)strcspn(m->help, "\n"),
			      m->help);
	buffer_puts(out, "\n`%help NAME` says more.\n");
}

static int help(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	const char *name = call->args + strspn(call->args, "%");
	const struct magic *m = magic_find(call->table, name);

	(void)c;
	if (*name && !m) {
		m = magic_nearest(call->table, name);
		return error_set(err, ERROR_NOT_FOUND, "%%help: there is no magic %%%s%s%s", name,
				 m ? "; the nearest is " : "", m ? m->usage : "");
	}
	if (m)
		magic_describe(m, &text);
	else
		list_all(call->table, &text);
	output_text(&s->output, STREAM_STDOUT, text.data, text.len);
	return 0;
}

const struct magic magic_help = {
	.name = "help",
	.alias = "lsmagic",
	.forms = MAGIC_LINE | MAGIC_PARKED,
	.usage = "%help [NAME]",
	.help = "All commands, or one of them.",
	.run = help,
	.word = MAGIC_WORD_MAGIC,
};
