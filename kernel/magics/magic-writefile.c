/* SPDX-License-Identifier: Apache-2.0 */
/* %%writefile: writes the rest of the cell to a file. */
#include <stdio.h>
#include <string.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"

static int writefile(struct session *s, struct cell *c, const struct magic_call *call,
		     struct error *err)
{
	const char *path = call->args;
	bool append = !strncmp(path, "-a ", 3);
	cleanup_file FILE *f = NULL;

	(void)c;
	if (append)
		path += 3 + strspn(path + 3, " \t");
	if (!*path)
		return error_set(err, ERROR_INPUT, "%%%%writefile: which file? %s",
				 call->magic->usage);
	f = fopen(path, append ? "ae" : "we");
	if (!f || fputs(call->body, f) < 0 || fflush(f))
		return error_errno(err, "%%%%writefile: cannot write %s", path);
	output_printf(&s->output, STREAM_STDOUT, "%s %s\n", append ? "Appended to" : "Wrote", path);
	return 0;
}

const struct magic magic_writefile = {
	.name = "writefile",
	.alias = "file",
	.forms = MAGIC_CELL,
	.usage = "%%writefile [-a] FILE",
	.help = "Writes the rest of the cell into a file; -a appends.",
	.run = writefile,
};
