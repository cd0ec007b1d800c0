/* SPDX-License-Identifier: Apache-2.0 */
/* A question to the compiler keeps its request until the answer comes. */
#include "kernel/requests/introspect.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/cleanup.h"
#include "common/base/record.h"
#include "common/protocol/compiler-protocol.h"
#include "kernel/magics/magic-script.h"
#include "kernel/magics/magic-table.h"
#include "kernel/reports/inspected.h"
#include "kernel/reports/magic-page.h"
#include "kernel/session/magic.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"
#include "kernel/supervisor/supervisor.h"

/* The state that is needed when the answer comes. */
struct question {
	struct request *request;
	char *name; /* the identifier at the cursor */
};

static struct question *question_new(struct request *r)
{
	struct question *q = calloc(1, sizeof(*q));

	if (!q)
		return NULL;
	q->request = r;
	request_keep(r);
	return q;
}

static void question_end(struct question *q)
{
	request_end(q->request);
	free(q->name);
	free(q);
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

	reply_data(r, m ? magic_page(m) : NULL);
}

void introspect_inspect(struct request *r)
{
	const char *code = request_text(r, "code");
	size_t cursor = request_cursor(r, code), start;
	struct question *q;
	cleanup_free char *blanked = magic_blank(code);

	if (magic_name_at(code, cursor, &start)) {
		inspect_magic(r, code, start);
		return;
	}
	q = blanked ? question_new(r) : NULL;
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
	} else if ((q = question_new(r))) {
		if (supervisor_is_complete(r->session->supervisor, blanked, on_completeness, q,
					   NULL))
			on_completeness(q, 0, NULL, 0);
	} else {
		reply_completeness(r, "unknown", "");
	}
}
