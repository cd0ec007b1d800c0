/* SPDX-License-Identifier: Apache-2.0 */
/* ?name and name?: show the description of a name as a page. */
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"
#include "kernel/session/result.h"
#include "kernel/session/session.h"
#include "kernel/show/utf8.h"

struct inspection {
	struct session *session;
	char *name;
};

static void show_page(struct cell *c, const struct buffer *text)
{
	cleanup_buffer struct buffer clean = BUFFER_INIT;

	utf8_clean(buffer_text(text), text->len, true, &clean);
	json_array_append_new(c->payload, json_pack("{ss s{ss} si}", "source", "page", "data",
						    "text/plain", buffer_text(&clean), "start", 0));
}

static void on_inspected(void *data, uint32_t type, const void *payload, size_t len)
{
	struct inspection *q = data;
	struct session *s = q->session;
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct error err = ERROR_INIT;
	int found = result_inspected(s, q->name, type, payload, len, &text);

	if (found)
		show_page(s->executor.current, &text);
	else
		error_set(&err, ERROR_NOT_FOUND, "?%s: nothing with this name is known here",
			  q->name);
	free(q->name);
	free(q);
	s->hooks->magic_done(s, found ? NULL : &err);
}

static int inspect(struct session *s, struct cell *c, const struct magic_call *call,
		   struct error *err)
{
	const struct magic *m = magic_find(call->table, call->args);
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct inspection *q;

	if (m) {
		magic_describe(m, &text);
		show_page(c, &text);
		return 0;
	}
	q = calloc(1, sizeof(*q));
	if (!q || !(q->name = strdup(call->args))) {
		free(q);
		return error_set(err, ERROR_MEMORY, "out of memory");
	}
	q->session = s;
	if (!supervisor_inspect(s->supervisor, q->name, strlen(q->name), 0, on_inspected, q, err))
		return 1;
	free(q->name);
	free(q);
	return -1;
}

const struct magic magic_inspect = {
	.name = "?",
	.alias = "",
	.forms = MAGIC_LINE,
	.usage = "?NAME or NAME?",
	.help = "What a name is: its declaration, where it comes from, its value.",
	.run = inspect,
};
