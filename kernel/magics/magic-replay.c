/* SPDX-License-Identifier: Apache-2.0 */
/* %replay: shows again what a cell has shown. An error is text here, since this cell has none. */
#include <stdlib.h>

#include "common/base/error.h"
#include "kernel/protocol/publish.h"
#include "kernel/protocol/replay.h"
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"

static const char *text_of(const json_t *content, const char *key)
{
	const char *text = json_string_value(json_object_get(content, key));

	return text ? text : "";
}

/* The text was within the limit of its cell, and is not limited again. */
static void put_stream(struct session *s, struct cell *c, const json_t *content)
{
	const json_t *text = json_object_get(content, "text");

	output_flush(&s->output);
	publish_stream(&s->publisher, &c->request->message, text_of(content, "name"),
		       json_string_value(text), json_string_length(text));
}

static void put_display(struct session *s, struct cell *c, const json_t *content)
{
	output_flush(&s->output);
	publish_display(&s->publisher, &c->request->message,
			json_incref(json_object_get(content, "data")), "", false);
}

static void put_error(struct session *s, const json_t *content)
{
	json_t *line;
	size_t i;

	json_array_foreach(json_object_get(content, "traceback"), i, line)
		output_printf(&s->output, STREAM_STDERR, "%s\n", json_string_value(line));
}

static void put(struct session *s, struct cell *c, const struct replay_output *o)
{
	switch (o->kind) {
	case REPLAY_STREAM:
		put_stream(s, c, o->content);
		break;
	case REPLAY_DISPLAY:
		put_display(s, c, o->content);
		break;
	case REPLAY_ERROR:
		put_error(s, o->content);
		break;
	}
}

/* Shows the outputs of a cell. What this cell shows is kept, too, and the other's may go for it, so
 * references are held. */
static int show(struct session *s, struct cell *c, const struct replay_cell *shown,
		struct error *err)
{
	size_t n = shown->n;
	struct replay_output *outputs = malloc((n + 1) * sizeof(*outputs));

	if (!outputs)
		return error_set(err, ERROR_MEMORY, "%%replay: out of memory");
	for (size_t i = 0; i < n; i++) {
		outputs[i] = shown->outputs[i];
		json_incref(outputs[i].content);
	}
	for (size_t i = 0; i < n; i++) {
		put(s, c, &outputs[i]);
		json_decref(outputs[i].content);
	}
	free(outputs);
	return 0;
}

static int replay(struct session *s, struct cell *c, const struct magic_call *call,
		  struct error *err)
{
	char *end;
	unsigned long number = strtoul(call->args, &end, 10);
	const struct replay_cell *shown = replay_find(&s->replay, (uint32_t)number);

	if (*call->args && (*end || !number || number > UINT32_MAX))
		return error_set(err, ERROR_INPUT,
				 "%%replay %s: it is the number of a cell that has run, as in %s",
				 call->args, call->magic->usage);
	if (!shown && !number)
		return error_set(err, ERROR_NOT_FOUND, "%%replay: no cell has run before this one");
	if (!shown)
		return error_set(
			err, ERROR_NOT_FOUND,
			"%%replay %lu: what In[%lu] has shown is not kept; the oldest that "
			"is kept is In[%u]",
			number, number, replay_oldest(&s->replay));
	if (shown->is_cut)
		output_printf(
			&s->output, STREAM_STDERR,
			"In[%u] has shown more than is kept (%u MB); this is the end of it:\n",
			shown->number, REPLAY_BYTES >> 20);
	else if (!shown->n)
		output_printf(&s->output, STREAM_STDERR, "In[%u] has shown nothing.\n",
			      shown->number);
	return show(s, c, shown, err);
}

const struct magic magic_replay = {
	.name = "replay",
	.alias = "",
	.forms = MAGIC_LINE | MAGIC_PARKED,
	.usage = "%replay [N]",
	.help = "Shows again what a cell has shown, for outputs that a browser has "
		"missed.\n\n"
		"`%replay` is about the cell before this one, `%replay N` about In[N]: "
		"the page was reloaded or away while it ran. The last 64 cells are "
		"kept, up to 16 MB.",
	.run = replay,
};
