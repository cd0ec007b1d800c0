/* SPDX-License-Identifier: Apache-2.0 */
/* A question to the compiler keeps its request until the answer comes. */
#include "kernel/requests/introspect.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/record.h"
#include "common/protocol/compiler-protocol.h"
#include "kernel/base/utf8.h"
#include "kernel/magics/magic-script.h"
#include "kernel/magics/magic-table.h"
#include "kernel/reports/inspected.h"
#include "kernel/session/magic.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"
#include "kernel/supervisor/supervisor.h"

/* The state that is needed when the answer comes. */
struct question {
	struct request *request;
	const char *code; /* borrowed from the request */
	char *name;       /* the identifier at the cursor */
};

static struct question *question_new(struct request *r, const char *code)
{
	struct question *q = calloc(1, sizeof(*q));

	if (!q)
		return NULL;
	q->request = r;
	q->code = code;
	request_keep(r);
	return q;
}

static void question_end(struct question *q)
{
	request_end(q->request);
	free(q->name);
	free(q);
}

/* Returns the cursor as an offset in bytes; by default the end of the code. */
static size_t cursor_bytes(const struct request *r, const char *code)
{
	json_int_t at = request_number(r, "cursor_pos", -1);

	return at < 0 ? strlen(code) : utf8_bytes(code, at);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static char *word_at(const char *code, size_t cursor)
{
	size_t start = cursor, end = cursor;

	while (start && is_word(code[start - 1]))
		start--;
	while (is_word(code[end]))
		end++;
	return strndup(code + start, end - start);
}

/* ---- complete ---- */

static json_t *typed_match(size_t start, size_t end, const char *text, const char *type,
			   const char *signature)
{
	return json_pack("{sI sI ss ss ss}", "start", (json_int_t)start, "end", (json_int_t)end,
			 "text", text, "type", type, "signature", signature);
}

/* Replies; matches and types are taken over. */
static void reply_matches(struct request *r, json_t *matches, json_t *types, size_t start,
			  size_t end)
{
	request_reply(r, json_pack("{ss so sI sI s{so}}", "status", "ok", "matches", matches,
				   "cursor_start", (json_int_t)start, "cursor_end", (json_int_t)end,
				   "metadata", "_jupyter_types_experimental", types));
}

static void on_completed(void *data, uint32_t type, const void *payload, size_t len)
{
	struct question *q = data;
	struct record r = record_open(payload, payload ? len : 0);
	json_t *matches = json_array(), *types = json_array();
	size_t cursor = utf8_chars(q->code, cursor_bytes(q->request, q->code)), start = cursor,
	       end = cursor;

	if (payload && type == COMPILER_COMPLETED) {
		start = utf8_chars(q->code, record_u32(&r));
		end = utf8_chars(q->code, record_u32(&r));
		for (uint32_t n = record_count(&r, 12); n; n--) {
			const char *text = record_str(&r), *kind = record_str(&r),
				   *signature = record_str(&r);

			json_array_append_new(matches, json_string(text));
			json_array_append_new(types,
					      typed_match(start, end, text, kind, signature));
		}
	}
	reply_matches(q->request, matches, types, start, end);
	question_end(q);
}

static void complete_magic(struct request *r, const char *code, size_t start, size_t cursor)
{
	json_t *matches = json_array(), *types = json_array();
	size_t from = utf8_chars(code, start), to = utf8_chars(code, cursor);
	const struct magic *m;
	cleanup_free char *prefix = strndup(code + start, cursor - start);

	for (size_t i = 0; prefix && (m = magic_table[i]); i++) {
		if (!isalpha((unsigned char)*m->name) || strncmp(m->name, prefix, strlen(prefix)))
			continue;
		json_array_append_new(matches, json_string(m->name));
		json_array_append_new(types, typed_match(from, to, m->name, "magic", m->usage));
	}
	reply_matches(r, matches, types, from, to);
}

/* Collects the candidates that fit. */
struct argument {
	json_t *matches, *types;
	const char *prefix;
	size_t from, to;
};

static void add_candidate(void *data, const char *word, const char *type)
{
	struct argument *a = data;

	if (strncmp(word, a->prefix, strlen(a->prefix)))
		return;
	json_array_append_new(a->matches, json_string(word));
	json_array_append_new(a->types, typed_match(a->from, a->to, word, type, ""));
}

static void complete_argument(struct request *r, const struct magic *m, const char *code,
			      size_t args, size_t start, size_t cursor)
{
	cleanup_free char *before = strndup(code + args, start - args),
			  *prefix = strndup(code + start, cursor - start);
	struct argument a = { json_array(), json_array(), prefix, utf8_chars(code, start),
			      utf8_chars(code, cursor) };

	if (before && prefix)
		m->complete(r->session, before, add_candidate, &a);
	reply_matches(r, a.matches, a.types, a.from, a.to);
}

void introspect_complete(struct request *r)
{
	const char *code = request_text(r, "code");
	size_t cursor = cursor_bytes(r, code), start, args;
	struct question *q;
	cleanup_free char *blanked = magic_blank(code);
	const struct magic *m = magic_argument_at(code, cursor, &args, &start);

	if (m && m->complete) {
		complete_argument(r, m, code, args, start, cursor);
		return;
	}

	if (magic_name_at(code, cursor, &start)) {
		complete_magic(r, code, start, cursor);
		return;
	}
	q = blanked ? question_new(r, code) : NULL;
	if (!q)
		reply_matches(r, json_array(), json_array(), cursor, cursor);
	else if (supervisor_complete(r->session->supervisor, blanked, cursor, on_completed, q,
				     NULL))
		on_completed(q, 0, NULL, 0);
}

/* ---- inspect ---- */

/* Replies; the data is taken over, NULL: nothing is known. */
static void reply_data(struct request *r, json_t *data)
{
	request_reply(r, json_pack("{ss sb so s{}}", "status", "ok", "found", data != NULL, "data",
				   data ? data : json_object(), "metadata"));
}

static void on_inspected(void *data, uint32_t type, const void *payload, size_t len)
{
	struct question *q = data;

	reply_data(q->request, inspected_bundle(q->request->session, q->name,
						request_number(q->request, "detail_level", 0) > 0,
						type, payload, len));
	question_end(q);
}

static void inspect_magic(struct request *r, const char *code, size_t start)
{
	cleanup_free char *name = word_at(code, start);
	const struct magic *m = name ? magic_find(magic_table, name) : NULL;
	cleanup_buffer struct buffer text = BUFFER_INIT;

	if (m)
		magic_describe(m, &text);
	reply_data(r, m ? json_pack("{ss}", "text/plain", buffer_text(&text)) : NULL);
}

void introspect_inspect(struct request *r)
{
	const char *code = request_text(r, "code");
	size_t cursor = cursor_bytes(r, code), start;
	struct question *q;
	cleanup_free char *blanked = magic_blank(code);

	if (magic_name_at(code, cursor, &start)) {
		inspect_magic(r, code, start);
		return;
	}
	q = blanked ? question_new(r, code) : NULL;
	if (!q)
		reply_data(r, NULL);
	else if (!(q->name = word_at(code, cursor)) ||
		 supervisor_inspect(r->session->supervisor, blanked, cursor, on_inspected, q, NULL))
		on_inspected(q, 0, NULL, 0);
}

/* ---- is_complete ---- */

static void reply_completeness(struct request *r, const char *status, const char *indent)
{
	json_t *reply = json_pack("{ss}", "status", status);

	if (!strcmp(status, "incomplete"))
		json_object_set_new(reply, "indent", json_string(indent));
	request_reply(r, reply);
}

static void on_completeness(void *data, uint32_t type, const void *payload, size_t len)
{
	struct question *q = data;
	struct record r = record_open(payload, payload ? len : 0);
	const char *status = record_str(&r), *indent = record_str(&r);

	if (payload && type == COMPILER_COMPLETENESS && !r.failed)
		reply_completeness(q->request, status, indent);
	else
		reply_completeness(q->request, "unknown", "");
	question_end(q);
}

void introspect_is_complete(struct request *r)
{
	const char *code = request_text(r, "code");
	cleanup_free char *blanked = magic_blank(code);
	struct question *q;

	if (magic_wants_more(code)) {
		reply_completeness(r, "incomplete", "");
	} else if (!blanked || !blanked[strspn(blanked, " \t\r\n")]) {
		reply_completeness(r, "complete", "");
	} else if ((q = question_new(r, code))) {
		if (supervisor_is_complete(r->session->supervisor, blanked, on_completeness, q,
					   NULL))
			on_completeness(q, 0, NULL, 0);
	} else {
		reply_completeness(r, "unknown", "");
	}
}
