/* SPDX-License-Identifier: Apache-2.0 */
/* The reply has its status in `success`; a command that fails is no failed request, so the front
 * end reads why. */
#include "kernel/debugger/debug-request.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/debugger/debug-call.h"
#include "kernel/debugger/debug-cells.h"
#include "kernel/debugger/debug-stack.h"
#include "kernel/debugger/debug-start.h"
#include "kernel/debugger/debug-stops.h"
#include "kernel/debugger/debug-variables.h"
#include "kernel/protocol/publish.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"
#include "kernel/show/utf8-json.h"

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

static void reply(struct request *r, struct debug_call *c, const char *command,
		  const struct error *err)
{
	json_t *body = c->body ? c->body : json_object(), *content;

	if (err && c->word)
		json_object_set_new(body, "error",
				    json_pack("{si so sb}", "id", 1, "format",
					      utf8_json_text(err->text), "showUser", 1));
	content = json_pack("{ss sI sI ss sb so}", "type", "response", "seq", ++c->debugger->seq,
			    "request_seq", request_number(r, "seq", 0), "command", command,
			    "success", err == NULL, "body", body);
	if (err && content)
		json_object_set_new(content, "message",
				    c->word ? json_string(c->word) : utf8_json_text(err->text));
	request_reply(r, content);
	if (c->event && !err)
		publish(&r->session->publisher, &r->message, "debug_event",
			json_pack("{ss sI ss}", "type", "event", "seq", ++c->debugger->seq, "event",
				  c->event));
	if (c->behind && !err)
		c->behind(r->session, c->behind_argument);
}

void debug_request(struct request *r)
{
	struct session *s = r->session;
	const char *command = request_text(r, "command");
	struct error err = ERROR_INIT;
	struct debug_call c = {
		.session = s,
		.arguments = json_object_get(r->message.content, "arguments"),
	};

	if (!s->debugger)
		s->debugger = calloc(1, sizeof(*s->debugger));
	c.debugger = s->debugger;
	if (!c.debugger) {
		request_fail(r, "OutOfMemory", "out of memory for the debugger");
		return;
	}
	reply(r, &c, command, run(&c, command, &err) ? &err : NULL);
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
	free(d);
	s->debugger = NULL;
}
