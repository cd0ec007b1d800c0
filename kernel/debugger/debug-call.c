/* SPDX-License-Identifier: Apache-2.0 */
/* What a client has sent may be of any type, and is then as if it were not there. The reply has its
 * status in `success`; a command that fails is no failed request, so the front end reads why. */
#include "kernel/debugger/debug-call.h"

#include <stdlib.h>

#include "common/base/error.h"
#include "kernel/protocol/publish.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"
#include "kernel/show/utf8-json.h"

const char *debug_call_text(const struct debug_call *c, const char *key)
{
	const char *text = json_string_value(json_object_get(c->arguments, key));

	return text ? text : "";
}

json_int_t debug_call_number(const struct debug_call *c, const char *key)
{
	const json_t *value = json_object_get(c->arguments, key);

	return json_is_integer(value) ? json_integer_value(value) : -1;
}

void debug_call_reply(struct debug_call *c, const struct error *err)
{
	json_t *body = c->body ? c->body : json_object(), *content;

	if (err && c->word)
		json_object_set_new(body, "error",
				    json_pack("{si so sb}", "id", 1, "format",
					      utf8_json_text(err->text), "showUser", 1));
	content = json_pack("{ss sI sI ss sb so}", "type", "response", "seq", ++c->debugger->seq,
			    "request_seq", request_number(c->request, "seq", 0), "command",
			    c->command, "success", err == NULL, "body", body);
	if (err && content)
		json_object_set_new(content, "message",
				    c->word ? json_string(c->word) : utf8_json_text(err->text));
	request_reply(c->request, content);
	if (c->event && !err)
		publish(&c->session->publisher, &c->request->message, "debug_event",
			json_pack("{ss sI ss}", "type", "event", "seq", ++c->debugger->seq, "event",
				  c->event));
	if (c->behind && !err)
		c->behind(c->session, c->behind_argument);
}

struct debug_call *debug_call_keep(struct debug_call *c, struct error *err)
{
	struct debug_call *kept = malloc(sizeof(*kept));

	if (!kept) {
		error_set(err, ERROR_MEMORY, "out of memory for a command");
		return NULL;
	}
	c->is_kept = true;
	*kept = *c;
	request_keep(c->request);
	return kept;
}

void debug_call_end(struct debug_call *kept, const struct error *err)
{
	struct request *r = kept->request;

	debug_call_reply(kept, err && err->code ? err : NULL);
	free(kept);
	request_end(r);
}
