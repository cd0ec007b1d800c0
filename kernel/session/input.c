/* SPDX-License-Identifier: Apache-2.0 */
/* input_request goes to the identity that sent the execute_request, since clients use one identity
 * for shell and stdin. */
#include "kernel/session/input.h"

#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "kernel/protocol/wire.h"
#include "kernel/session/output.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"
#include "kernel/session/subshells.h"
#include "kernel/supervisor/supervisor.h"

#define END_OF_FILE "\x04"

void input_ask(struct session *s, const struct request *request, bool allow, const char *prompt,
	       bool password)
{
	struct outgoing m = {
		.type = "input_request",
		.parent = &request->message,
		.subshell = subshells_id_of(&request->message),
	};
	struct error err = ERROR_INIT;

	output_flush(&s->output);
	if (!allow) {
		output_printf(&s->output, STREAM_STDERR,
			      "stdin: this front end does not answer questions, so the cell reads "
			      "end of file\n");
		supervisor_input(s->supervisor, true, "");
		return;
	}
	m.content = json_pack("{ss sb}", "prompt", prompt, "password", (int)password);
	if (wire_reply(&s->wire, s->channels->sockets[CHANNEL_STDIN], &m, &err)) {
		log_error("stdin: %s", err.text);
		supervisor_input(s->supervisor, true, "");
		return;
	}
	snprintf(s->input.asked, sizeof(s->input.asked), "%s", m.id);
}

void input_reply(struct session *s, struct message *m)
{
	const char *parent = json_string_value(json_object_get(m->parent, "msg_id"));
	const char *value = json_string_value(json_object_get(m->content, "value"));

	/* jupyter_client answers without a parent header, which is accepted. */
	if (strcmp(m->type, "input_reply") || !*s->input.asked ||
	    (parent && strcmp(parent, s->input.asked))) {
		log_info("stdin: a %s that nobody waits for is dropped", m->type);
	} else {
		input_cancel(s);
		supervisor_input(s->supervisor, !value || !strcmp(value, END_OF_FILE),
				 value ? value : "");
	}
	message_release(m);
}

void input_cancel(struct session *s)
{
	s->input.asked[0] = '\0';
}
