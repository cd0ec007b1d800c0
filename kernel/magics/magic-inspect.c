/* SPDX-License-Identifier: Apache-2.0 */
/* ?name and name?: show the description of a name as a page: a name of the code, or that of a
 * magic, which %name? asks for alone. */
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/base/utf8.h"
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"
#include "kernel/session/result.h"
#include "kernel/session/session.h"

struct inspection {
	struct session *session;
	char *name;
	const struct magic *magic; /* with that name, if C has none; NULL */
};

static void show_page(struct cell *c, const struct buffer *text)
{
	cleanup_buffer struct buffer clean = BUFFER_INIT;

	utf8_clean(buffer_text(text), text->len, true, &clean);
	json_array_append_new(c->payload, json_pack("{ss s{ss} si}", "source", "page", "data",
						    "text/plain", buffer_text(&clean), "start", 0));
}

static void describe(struct cell *c, const struct magic *m)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	magic_describe(m, &text);
	show_page(c, &text);
}

static void on_inspected(void *data, uint32_t type, const void *payload, size_t len)
{
	struct inspection *q = data;
	struct session *s = q->session;
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct error err = ERROR_INIT;

	if (result_inspected(s, q->name, type, payload, len, &text))
		show_page(s->executor.current, &text);
	else if (q->magic)
		describe(s->executor.current, q->magic);
	else
		error_set(&err, ERROR_NOT_FOUND, "?%s: nothing with this name is known here",
			  q->name);
	free(q->name);
	free(q);
	s->hooks->magic_done(s, err.code ? &err : NULL);
}

static int inspect(struct session *s, struct cell *c, const struct magic_call *call,
		   struct error *err)
{
	const char *name = call->args + strspn(call->args, "%");
	const struct magic *m = magic_find(call->table, name), *near;
	struct inspection *q;

	if (name > call->args && m) {
		describe(c, m);
		return 0;
	}
	if (name > call->args) {
		near = magic_nearest(call->table, name);
		return error_set(err, ERROR_NOT_FOUND, "there is no magic %s%s%s; %%help lists all",
				 call->args, near ? "; the nearest is " : "",
				 near ? near->usage : "");
	}
	q = calloc(1, sizeof(*q));
	if (!q || !(q->name = strdup(call->args))) {
		free(q);
		return error_set(err, ERROR_MEMORY, "out of memory");
	}
	q->session = s;
	q->magic = m;
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
	.help = "What a name is: its declaration, where it comes from, its value; with a % what "
		"that command does.",
	.run = inspect,
};
