/* SPDX-License-Identifier: Apache-2.0 */
/* Contents are shared with the message that is sent, which does not change them. */
#include "kernel/protocol/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "kernel/protocol/wire.h"

/* What an output costs beside its texts. */
#define OUTPUT_BYTES 400

static struct replay_cell *cell_at(struct replay *r, unsigned i)
{
	return &r->cells[i % REPLAY_CELLS];
}

static unsigned first(const struct replay *r)
{
	return r->n_begun > REPLAY_CELLS ? r->n_begun - REPLAY_CELLS : 0;
}

static void drop_outputs(struct replay *r, struct replay_cell *c, size_t n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n; i++) {
		r->bytes -= c->outputs[i].bytes;
		json_decref(c->outputs[i].content);
	}
	memmove(c->outputs, c->outputs + n, (c->n - n) * sizeof(*c->outputs));
	c->n -= n;
}

static void clear(struct replay *r, struct replay_cell *c)
{
	drop_outputs(r, c, c->n);
	c->is_cut = c->clear_at_next = false;
}

static void release_cell(struct replay *r, struct replay_cell *c)
{
	clear(r, c);
	free(c->outputs);
	*c = (struct replay_cell){ 0 };
}

void replay_release(struct replay *r)
{
	for (unsigned i = 0; i < REPLAY_CELLS; i++)
		release_cell(r, &r->cells[i]);
	*r = (struct replay){ 0 };
}

static void begin(struct replay *r, const struct message *parent, const json_t *content)
{
	struct replay_cell *c = cell_at(r, r->n_begun++);

	release_cell(r, c);
	c->number = (uint32_t)json_integer_value(json_object_get(content, "execution_count"));
	snprintf(r->parent, sizeof(r->parent), "%s", parent->id);
}

static size_t cost(const json_t *value)
{
	const char *key;
	size_t sum = 0, i;
	json_t *part;

	if (json_is_string(value))
		return json_string_length(value);
	json_object_foreach((json_t *)value, key, part) sum += cost(part) + strlen(key) + 80;
	json_array_foreach(value, i, part) sum += cost(part) + 16;
	return sum + 32;
}

/* Makes room: outputs of older cells go first, then the first ones of this cell. */
static void make_room(struct replay *r, size_t bytes)
{
	for (unsigned i = first(r); i < r->n_begun && r->bytes + bytes > REPLAY_BYTES; i++) {
		struct replay_cell *c = cell_at(r, i);
		size_t n = 0, freed = 0;

		while (n < c->n && r->bytes - freed + bytes > REPLAY_BYTES)
			freed += c->outputs[n++].bytes;
		c->is_cut |= n > 0;
		drop_outputs(r, c, n);
	}
}

static void add(struct replay *r, struct replay_cell *c, enum replay_kind kind, json_t *content)
{
	size_t bytes = OUTPUT_BYTES + cost(content);

	if (bytes > REPLAY_BYTES) {
		c->is_cut = true;
		return;
	}
	make_room(r, bytes);
	if (!ARRAY_ROOM(c->outputs, c->n, &c->cap)) {
		c->is_cut = true;
		return;
	}
	c->outputs[c->n++] = (struct replay_output){ kind, json_incref(content), bytes };
	r->bytes += bytes;
}

static const char *display_id(const json_t *content)
{
	const char *id = json_string_value(
		json_object_get(json_object_get(content, "transient"), "display_id"));

	return id ? id : "";
}

/* Puts the new content in place of each display with its id; one that is too large is not kept. */
static void update(struct replay *r, json_t *content)
{
	size_t bytes = OUTPUT_BYTES + cost(content);

	for (unsigned i = first(r); i < r->n_begun && bytes <= REPLAY_BYTES; i++) {
		struct replay_cell *c = cell_at(r, i);

		for (size_t k = 0; k < c->n; k++) {
			struct replay_output *o = &c->outputs[k];

			if (o->kind != REPLAY_DISPLAY || !*display_id(content) ||
			    strcmp(display_id(o->content), display_id(content)) != 0)
				continue;
			json_decref(o->content);
			o->content = json_incref(content);
			r->bytes += bytes - o->bytes;
			o->bytes = bytes;
		}
	}
	make_room(r, 0);
}

void replay_note(struct replay *r, const struct message *parent, const char *type, json_t *content)
{
	struct replay_cell *c = r->n_begun ? cell_at(r, r->n_begun - 1) : NULL;

	if (!strcmp(type, "execute_input"))
		begin(r, parent, content);
	if (!strcmp(type, "update_display_data"))
		update(r, content);
	/* What is published between cells has a parent that was kept for it, without an id. */
	if (!c || !parent || !parent->id || strcmp(parent->id, r->parent) != 0)
		return;
	if (!strcmp(type, "clear_output")) {
		c->clear_at_next = true;
		if (!json_is_true(json_object_get(content, "wait")))
			clear(r, c);
		return;
	}
	bool shows = !strcmp(type, "display_data") || !strcmp(type, "execute_result"),
	     fails = !strcmp(type, "error");

	if (!shows && !fails && strcmp(type, "stream") != 0)
		return;
	if (c->clear_at_next)
		clear(r, c);
	add(r, c, shows ? REPLAY_DISPLAY : fails ? REPLAY_ERROR : REPLAY_STREAM, content);
}

const struct replay_cell *replay_find(const struct replay *r, uint32_t number)
{
	unsigned i = r->n_begun;

	if (!number)
		return i > first(r) + 1 ? &r->cells[(i - 2) % REPLAY_CELLS] : NULL;
	while (i-- > first(r))
		if (r->cells[i % REPLAY_CELLS].number == number)
			return &r->cells[i % REPLAY_CELLS];
	return NULL;
}

uint32_t replay_oldest(const struct replay *r)
{
	return r->n_begun ? r->cells[first(r) % REPLAY_CELLS].number : 0;
}
