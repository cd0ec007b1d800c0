/* SPDX-License-Identifier: Apache-2.0 */
/* Reads an execute_request and writes its outcome. */
#include "kernel/session/cell.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/cleanup.h"
#include "common/cuda/lambda-name.h"
#include "kernel/base/text-style.h"
#include "kernel/comms/comm-inbox.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"
#include "kernel/settings/time-text.h"
#include "kernel/show/utf8-json.h"
#include "kernel/units/compiled-unit.h"

struct cell *cell_new(struct request *request)
{
	struct cell *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->request = request;
	c->code = json_object_get(request->message.content, "code");
	c->silent = request_flag(request, "silent", false);
	c->store = request_flag(request, "store_history", !c->silent) && !c->silent;
	c->allow_stdin = request_flag(request, "allow_stdin", true);
	c->stop_on_error = request_flag(request, "stop_on_error", true);
	c->expressions = json_object_get(request->message.content, "user_expressions");
	c->id = json_string_value(json_object_get(request->message.metadata, "cellId"));
	if (!c->id)
		c->id = "";
	c->payload = json_array();
	c->values = json_object();
	return c;
}

void cell_free(struct cell *c)
{
	if (!c)
		return;
	request_end(c->request);
	delivery_free(c->delivery);
	magic_script_release(&c->script);
	buffer_release(&c->behind);
	buffer_release(&c->expected);
	compiled_unit_release(c->unit);
	buffer_release(&c->shown);
	buffer_release(&c->set_aside);
	buffer_release(&c->dropping);
	look_release(&c->look);
	json_decref(c->ename);
	json_decref(c->evalue);
	json_decref(c->traceback);
	json_decref(c->payload);
	json_decref(c->values);
	free(c);
}

static json_t *lines(const char *text)
{
	json_t *array = json_array();
	size_t len;

	for (; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		json_array_append_new(array, utf8_json(text, len));
	}
	return array;
}

/* Returns the text with names as the user knows them. */
static char *shown(const char *text)
{
	char *copy = strdup(text);

	lambda_name_show(copy);
	return copy;
}

void cell_fail(struct cell *c, const char *ename, const char *evalue, const char *traceback)
{
	cleanup_free char *value = shown(evalue), *text = shown(traceback);

	if (c->failed)
		return;
	c->failed = true;
	c->ename = utf8_json_text(ename);
	c->evalue = utf8_json_text(value ? value : evalue);
	c->traceback = lines(text ? text : traceback);
}

void cell_fail_more(struct cell *c, const char *text)
{
	cleanup_free char *whole = shown(text);
	json_t *more = lines(whole ? whole : text);

	json_array_extend(c->traceback, more);
	json_decref(more);
}

void cell_fail_plain(struct cell *c, const char *ename, const char *evalue)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	buffer_printf(&text, TEXT_BOLD "%s" TEXT_PLAIN ": %s", ename, evalue);
	cell_fail(c, ename, evalue, buffer_text(&text));
}

const char *cell_interruption(const struct cell *c, struct buffer *ret)
{
	char text[TIME_TEXT_MAX];

	if (!c->over_ms)
		return "Interrupted";
	buffer_printf(ret, "the cell took longer than %s (`%%limit time`)",
		      time_text(c->over_ms, text));
	return "TimeLimit";
}

void cell_fail_interrupted(struct cell *c, const char *evalue)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	const char *ename = cell_interruption(c, &text);

	buffer_printf(&text, "%s%s", text.len ? ": " : "", evalue);
	cell_fail_plain(c, ename, buffer_text(&text));
}

json_t *cell_error(const struct cell *c)
{
	return json_pack("{sO sO sO}", "ename", c->ename, "evalue", c->evalue, "traceback",
			 c->traceback);
}

json_t *cell_reply(const struct cell *c, uint32_t count)
{
	json_t *reply = c->failed ? cell_error(c) : json_object();

	json_object_set_new(reply, "status", json_string(c->failed ? "error" : "ok"));
	json_object_set_new(reply, "execution_count", json_integer(count));
	json_object_set(reply, "payload", c->payload);
	json_object_set(reply, "user_expressions", c->values);
	return reply;
}

const struct request *cell_at_work(const struct session *s)
{
	return s->executor.current ? s->executor.current->request : NULL;
}
