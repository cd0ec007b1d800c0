/* SPDX-License-Identifier: Apache-2.0 */
/* %%on_restart: runs the cell, and runs it again in each worker that replaces another. %on_restart
 * lists and drops such cells. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "kernel/declarations/setup.h"
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"

static int forget_all(struct session *s)
{
	setup_forget(&s->setup);
	output_printf(&s->output, STREAM_STDOUT, "No cell is run again after a recovery.\n");
	return 0;
}

static int list(struct session *s)
{
	if (!s->setup.n_cells)
		output_printf(&s->output, STREAM_STDOUT,
			      "No cell is run again after a recovery.\n");
	for (size_t i = 0; i < s->setup.n_cells; i++) {
		const struct setup_cell *c = &s->setup.cells[i];
		const char *code = c->code + strspn(c->code, " \t\r\n");
		int shown = (int)strcspn(code, "\r\n");

		output_printf(&s->output, STREAM_STDOUT, "%-8s%s  %.*s\n", c->name,
			      c->failed ? "  (failed; runs again when you have run it)" : "",
			      shown < 80 ? shown : 80, code);
	}
	return 0;
}

/* Drops the cell "3" or "In[3]". */
static int drop(struct session *s, const char *which, struct error *err)
{
	char name[64];

	if (!strcmp(which, "all"))
		return forget_all(s);
	snprintf(name, sizeof(name), isdigit((unsigned char)*which) ? "In[%s]" : "%s", which);
	if (setup_forget_name(&s->setup, name))
		return 0;
	return error_set(
		err, ERROR_NOT_FOUND,
		"%%on_restart: no cell '%s' is run again; %%on_restart list shows those that are",
		which);
}

static int line(struct session *s, const struct magic_call *call, struct error *err)
{
	char *args = call->args, *verb = magic_next_word(&args), *which = magic_next_word(&args);

	if (!*verb || !strcmp(verb, "list"))
		return list(s);
	if (!strcmp(verb, "drop") && *which)
		return drop(s, which, err);
	return error_set(err, ERROR_INPUT,
			 "%%on_restart: it is %%on_restart list, %%on_restart drop CELL|all, or "
			 "%%%%on_restart on top of a cell");
}

static int on_restart(struct session *s, struct cell *c, const struct magic_call *call,
		      struct error *err)
{
	if (!call->is_cell)
		return line(s, call, err);
	c->on_restart = c->script.code[strspn(c->script.code, " \t\r\n")] != '\0';
	return c->on_restart ? 0 : forget_all(s);
}

static enum magic_word complete(struct session *s, const char *before, magic_candidate *fn,
				void *data)
{
	if (!*before) {
		magic_offer("list drop", fn, data);
	} else if (!strncmp(before, "drop", 4)) {
		fn(data, "all", "keyword");
		for (size_t i = 0; i < s->setup.n_cells; i++)
			fn(data, s->setup.cells[i].name, "cell");
	}
	return MAGIC_WORD_NONE;
}

const struct magic magic_on_restart = {
	.name = "on_restart",
	.alias = "",
	.forms = MAGIC_LINE | MAGIC_CELL | MAGIC_CODE | MAGIC_WORDS,
	.usage = "%%on_restart, %on_restart list",
	.help = "Runs the cell, and again whenever the session had to move to a new "
		"process.\n\n"
		"It is for what is no session memory: open files, threads, handles. It "
		"runs before the next cell; if it fails then, it says so and is left "
		"out.\n\n"
		"An empty one forgets all; so does running the cell without this line, "
		"for itself. `%on_restart list`, `%on_restart drop 3|all`.",
	.run = on_restart,
	.complete = complete,
};
