/* SPDX-License-Identifier: Apache-2.0 */
/* %%writefile: writes the rest of the cell to a file. The launcher does it, since the kernel
 * process could write what is hidden from cells. */
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"

struct writing {
	struct session *session;
	bool append;
	char path[];
};

static void on_written(void *data, int status, const char *problem)
{
	struct writing *w = data;
	struct session *s = w->session;
	struct error err = ERROR_INIT;

	(void)status;
	if (*problem)
		error_set(&err, ERROR_SYSTEM, "%%%%writefile: %s", problem);
	else
		output_printf(&s->output, STREAM_STDOUT, "%s %s\n",
			      w->append ? "Appended to" : "Wrote", w->path);
	free(w);
	s->hooks->magic_done(s, *err.text ? &err : NULL);
}

static void interrupt(void *data)
{
	struct session *s = data;

	supervisor_interrupt_command(s->supervisor);
}

static int writefile(struct session *s, struct cell *c, const struct magic_call *call,
		     struct error *err)
{
	const char *path = call->args;
	bool append = !strncmp(path, "-a ", 3);
	struct writing *w;

	if (append)
		path += 3 + strspn(path + 3, " \t");
	if (!*path)
		return error_set(err, ERROR_INPUT, "%%%%writefile: which file? %s",
				 call->magic->usage);
	w = malloc(sizeof(*w) + strlen(path) + 1);
	if (!w)
		return error_set(err, ERROR_MEMORY, "%%%%writefile: out of memory");
	*w = (struct writing){ .session = s, .append = append };
	strcpy(w->path, path);
	if (supervisor_write_file(s->supervisor, path, append, call->body, strlen(call->body),
				  on_written, w, err)) {
		free(w);
		return error_wrap(err, "%%%%writefile");
	}
	c->cancel = interrupt;
	c->cancel_data = s;
	return 1;
}

const struct magic magic_writefile = {
	.name = "writefile",
	.alias = "file",
	.forms = MAGIC_CELL,
	.usage = "%%writefile [-a] FILE",
	.help = "Writes the rest of the cell into a file; -a appends.",
	.run = writefile,
	.words = "-a",
	.word = MAGIC_WORD_FILE,
};
