/* SPDX-License-Identifier: Apache-2.0 */
/* The handlers of all commands stand in one table. */
#include "kernel/debugger/debug-request.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/debugger/debug-call.h"
#include "kernel/debugger/debug-cells.h"
#include "kernel/debugger/debug-evaluate.h"
#include "kernel/debugger/debug-stack.h"
#include "kernel/debugger/debug-start.h"
#include "kernel/debugger/debug-stops.h"
#include "kernel/debugger/debug-variables.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"

static const struct {
	const char *name;
	int (*run)(struct debug_call *c, struct error *err);
} commands[] = {
#define COMMAND(name, handler) { #name, handler },
#include "kernel/debugger/debug-commands.def"
#undef COMMAND
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static int refuse(const char *command, struct error *err)
{
	cleanup_buffer struct buffer names = BUFFER_INIT;

	for (size_t i = 0; i < COMMANDS; i++)
		buffer_printf(&names, "%s%s", i ? ", " : "", commands[i].name);
	if (!*command)
		return error_set(err, ERROR_INPUT,
				 "a debug_request has a command, which is one of %s",
				 buffer_text(&names));
	return error_set(err, ERROR_UNSUPPORTED,
			 "%.60s is not among the commands of this debugger: %s", command,
			 buffer_text(&names));
}

static int run(struct debug_call *c, const char *command, struct error *err)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i].name, command))
			return commands[i].run(c, err);
	return refuse(command, err);
}

void debug_request(struct request *r)
{
	struct session *s = r->session;
	struct error err = ERROR_INIT;
	struct debug_call c = {
		.session = s,
		.request = r,
		.command = request_text(r, "command"),
		.arguments = json_object_get(r->message.content, "arguments"),
	};

	if (!s->debugger)
		s->debugger = calloc(1, sizeof(*s->debugger));
	c.debugger = s->debugger;
	if (!c.debugger) {
		request_fail(r, "OutOfMemory", "out of memory for the debugger");
		return;
	}
	if (run(&c, c.command, &err))
		debug_call_reply(&c, &err);
	else if (!c.is_kept)
		debug_call_reply(&c, NULL);
}

void debug_request_release(struct session *s)
{
	struct debugger *d = s->debugger;

	if (!d)
		return;
	debug_references_release(&d->references);
	debug_stack_release(&d->stack);
	json_decref(d->list);
	debug_cells_release(d);
	debug_conditions_release(d);
	free(d);
	s->debugger = NULL;
}
