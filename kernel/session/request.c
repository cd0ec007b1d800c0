/* SPDX-License-Identifier: Apache-2.0 */
/* Replies, and the busy and idle messages around them. */
#include "kernel/session/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "kernel/base/utf8.h"
#include "kernel/protocol/publish.h"
#include "kernel/session/cell.h"
#include "kernel/session/session.h"

struct request *request_new(struct session *s, enum channel channel, struct message *message)
{
	struct request *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->session = s;
	r->channel = channel;
	r->message = *message;
	memset(message, 0, sizeof(*message));
	return r;
}

void request_begin(struct request *r)
{
	publish_status(&r->session->publisher, &r->message, "busy");
}

void request_end(struct request *r)
{
	struct session *s = r->session;
	const struct request *at_work = cell_at_work(s);

	publish_status(&s->publisher, &r->message, "idle");
	/* A debugger's panel asks anew for each message of a cell, so this must be none. */
	if (at_work && at_work != r)
		publish_status(&s->publisher,
			       !strcmp(r->message.type, "debug_request") ? &r->message
									 : &at_work->message,
			       "busy");
	message_release(&r->message);
	free(r);
}

void request_reply_with(struct request *r, json_t *metadata, json_t *content)
{
	struct session *s = r->session;
	struct error err = ERROR_INIT;
	struct outgoing m = { .parent = &r->message, .metadata = metadata, .content = content };
	const char *end = strstr(r->message.type, "_request");
	char type[64];

	if (!end || (size_t)(end - r->message.type) > sizeof(type) - sizeof("_reply"))
		end = r->message.type;
	snprintf(type, sizeof(type), "%.*s_reply", (int)(end - r->message.type), r->message.type);
	m.type = type;
	if (content && !json_object_get(content, "status"))
		json_object_set_new(content, "status", json_string("ok"));
	if (wire_reply(&s->wire, s->channels->sockets[r->channel], &m, &err))
		log_error("%s: %s", channel_name(r->channel), err.text);
}

void request_reply(struct request *r, json_t *content)
{
	request_reply_with(r, NULL, content);
}

void request_fail(struct request *r, const char *ename, const char *evalue)
{
	json_t *content;

	if (!strstr(r->message.type, "_request"))
		return;
	content = json_pack("{ss ss s[s++]}", "ename", ename, "evalue", evalue, "traceback", ename,
			    ": ", evalue);
	if (!strcmp(r->message.type, "execute_request"))
		publish(&r->session->publisher, &r->message, "error", json_copy(content));
	if (content)
		json_object_set_new(content, "status", json_string("error"));
	request_reply(r, content);
}

const char *request_text(const struct request *r, const char *key)
{
	const char *text = json_string_value(json_object_get(r->message.content, key));

	return text ? text : "";
}

bool request_flag(const struct request *r, const char *key, bool otherwise)
{
	const json_t *value = json_object_get(r->message.content, key);

	return json_is_boolean(value) ? json_is_true(value) : otherwise;
}

json_int_t request_number(const struct request *r, const char *key, json_int_t otherwise)
{
	const json_t *value = json_object_get(r->message.content, key);

	return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

size_t request_cursor(const struct request *r, const char *code)
{
	json_int_t at = request_number(r, "cursor_pos", -1);

	return at < 0 ? strlen(code) : utf8_bytes(code, at);
}
