/* SPDX-License-Identifier: Apache-2.0 */
/* ?name and name?: show the description of a name as a page: a name of the code, or that of a
 * magic, which %name? asks for alone. With ?? the page has all of the definition. */
#include <stdlib.h>
#include <string.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "kernel/reports/inspected.h"
#include "kernel/reports/magic-page.h"
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"
#include "kernel/session/session.h"

struct inspection {
	struct session *session;
	char *name;
	bool with_source;
	const struct magic *magic; /* with that name, if C has none; NULL */
};

/* Shows a page; data is taken over. */
static void show_page(struct cell *c, json_t *data)
{
	json_array_append_new(c->payload,
			      json_pack("{ss so si}", "source", "page", "data", data, "start", 0));
}

static void describe(struct cell *c, const struct magic *m)
{
	show_page(c, magic_page(m));
}

static void on_inspected(void *data, uint32_t type, const void *payload, size_t len)
{
	struct inspection *q = data;
	struct session *s = q->session;
	json_t *page = inspected_bundle(s, q->name, q->with_source, type, payload, len);
	struct error err = ERROR_INIT;

	if (page)
		show_page(s->executor.current, page);
	else if (q->magic)
		describe(s->executor.current, q->magic);
	else
		error_set(&err, ERROR_NOT_FOUND, "?%s: nothing with this name is known here",
			  q->name);
	free(q->name);
	free(q);
	s->hooks->magic_done(s, err.code ? &err : NULL);
}

static int refuse_magic(const struct magic_call *call, const char *asked, const char *name,
			struct error *err)
{
	const struct magic *near = magic_nearest(call->table, name);

	return error_set(err, ERROR_NOT_FOUND, "there is no magic %s%s%s; %%help lists all", asked,
			 near ? "; the nearest is " : "", near ? near->usage : "");
}

static int inspect(struct session *s, struct cell *c, const struct magic_call *call,
		   struct error *err)
{
	const char *args = call->args;
	size_t before = strspn(args, "?"), len = strcspn(args + before, "? \t");
	cleanup_free char *asked = strndup(args + before, len);
	const char *name = asked ? asked + strspn(asked, "%") : "";
	const struct magic *m = magic_find(call->table, name);
	struct inspection *q;

	if (name > asked && !m)
		return refuse_magic(call, asked, name, err);
	if (name > asked) {
		describe(c, m);
		return 0;
	}
	q = asked ? calloc(1, sizeof(*q)) : NULL;
	if (!q)
		return error_set(err, ERROR_MEMORY, "out of memory");
	*q = (struct inspection){ s, asked, strstr(args, "??") != NULL, m };
	asked = NULL;
	if (!supervisor_inspect(s->supervisor, q->name, strlen(q->name), on_inspected, q, err))
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
	.help = "Shows what a name is: its declaration with the comment above it, its "
		"place, its value.\n\n"
		"With `??` it shows all of the definition; with a `%` what that command "
		"does.",
	.run = inspect,
	.word = MAGIC_WORD_CODE,
};
