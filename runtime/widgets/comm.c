/* SPDX-License-Identifier: Apache-2.0 */
/* The table is in META, where no overrun of a cell reaches it. It grows by being copied. */
#include "runtime/widgets/comm.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/protocol/output-ring.h"
#include "runtime/arena/arena.h"
#include "runtime/arena/layout-hash.h"
#include "runtime/arena/meta.h"
#include "runtime/display/display.h"
#include "runtime/loader/symbols.h"
#include "runtime/widgets/widgets.h"

#define FIRST_ROWS 8u

static struct comm_table *table(void)
{
	return (struct comm_table *)arena_header()->root[ARENA_ROOT_COMMS];
}

/* Makes room for one more row; NULL: there is none. */
static struct comm_table *grown_table(void)
{
	struct comm_table *old = table(), *t;
	uint32_t cap = old ? 2 * old->cap : FIRST_ROWS;

	if (old && old->n < old->cap)
		return old;
	if (old && old->n >= COMMS_MAX)
		return NULL;
	t = meta_alloc(sizeof(*t) + cap * sizeof(t->rows[0]));
	if (!t)
		return NULL;
	if (old)
		memcpy(t, old, sizeof(*t) + old->n * sizeof(t->rows[0]));
	t->cap = cap;
	arena_header()->root[ARENA_ROOT_COMMS] = (uint64_t)(uintptr_t)t;
	meta_free(old);
	return t;
}

struct comm_row *comm_row(const cgpu_comm *c)
{
	struct comm_table *t = table();

	for (uint32_t i = 0; t && i < t->n; i++)
		if (t->rows[i].handle == (uint64_t)(uintptr_t)c)
			return &t->rows[i];
	return NULL;
}

cgpu_comm *comm_find(const char *id)
{
	struct comm_table *t = table();

	for (uint32_t i = 0; t && i < t->n; i++) {
		cgpu_comm *c = (cgpu_comm *)t->rows[i].handle;

		if (!strcmp(t->rows[i].id, id))
			return c->form == COMM_FORM ? c : NULL;
	}
	return NULL;
}

int comm_check(const cgpu_comm *c, struct error *err)
{
	if (!c)
		return error_set(err, ERROR_INPUT, "the widget is NULL");
	if (!comm_row(c) || c->form != COMM_FORM)
		return error_set(err, ERROR_INPUT,
				 "this is no widget or comm, or it was closed or freed");
	return 0;
}

/* Never 0, which is no digest. */
static uint64_t digest_of(const char *text, size_t len)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
	return hash | 1;
}

static int check_size(size_t len, size_t before, struct error *err)
{
	const struct comm_table *t = table();
	uint64_t all = len;

	for (uint32_t i = 0; t && i < t->n; i++)
		all += t->rows[i].state_len;
	if (len > COMM_STATE_MAX)
		return error_set(err, ERROR_LIMIT, "a widget can have a state of %u MB",
				 COMM_STATE_MAX >> 20);
	if (all - before > COMM_STATES_MAX)
		return error_set(err, ERROR_LIMIT, "all widgets can have states of %u MB",
				 COMM_STATES_MAX >> 20);
	return 0;
}

static int place_state(cgpu_comm *c, struct comm_row *row, const char *json, struct error *err)
{
	size_t len = strlen(json);
	char *copy;

	if (check_size(len, row->state_len, err))
		return -1;
	copy = display_session_text(json);
	if (!copy)
		return error_set(err, ERROR_MEMORY, "out of memory");
	free(c->state);
	c->state = copy;
	row->state = (uint64_t)(uintptr_t)copy;
	row->state_len = len;
	row->digest = digest_of(copy, len);
	return 0;
}

/* What cells read of the value, from the state. */
static void refresh(cgpu_comm *c)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	const char *key = widget_kind_row(c->kind)->value;
	struct json_part value;

	if (!c->kind || !json_object_member(c->state, key, &value))
		return;
	c->number = json_object_number(value);
	if (c->kind == WIDGET_DROPDOWN)
		widget_text_option(c->state, *value.at == 'n' ? -1 : (int)c->number, &text);
	else
		json_object_text(value, &text);
	free(c->text);
	c->text = display_session_text(buffer_text(&text));
}

int comm_tell(const struct comm_message *m, struct error *err)
{
	cleanup_buffer struct buffer record = BUFFER_INIT;

	comm_message_put(m, &record);
	if (record.len > COMM_MESSAGE_MAX)
		return error_set(err, ERROR_LIMIT, "this is more than a message can have, %u MB",
				 COMM_MESSAGE_MAX >> 20);
	if (buffer_check(&record, err))
		return -1;
	display_write(OUTPUT_COMM, &record);
	return 0;
}

void comm_redirect(const char *id)
{
	struct comm_message m = { COMM_REDIRECT, id, "", "", 0, { { 0 } } };

	comm_tell(&m, NULL);
}

static int tell_opening(const cgpu_comm *c, const char *target, struct error *err)
{
	struct comm_message m = { COMM_OPEN, c->id, target, c->state, 0, { { 0 } } };

	return comm_tell(&m, err);
}

static void remove_row(const cgpu_comm *c)
{
	struct comm_row *row = comm_row(c);
	struct comm_table *t = table();

	if (!row)
		return;
	meta_enter();
	memmove(row, row + 1, (size_t)(&t->rows[t->n] - (row + 1)) * sizeof(*row));
	t->n--;
	meta_leave();
}

static int enter(cgpu_comm *c, const char *target, const char *json, struct error *err)
{
	struct comm_table *t;
	struct comm_row *row;

	meta_enter();
	t = grown_table();
	row = t ? &t->rows[t->n++] : NULL;
	if (row) {
		memset(row, 0, sizeof(*row));
		memcpy(row->id, c->id, sizeof(row->id));
		strncpy(row->target, target, sizeof(row->target) - 1);
		row->handle = (uint64_t)(uintptr_t)c;
	}
	meta_leave();
	if (!row)
		return error_set(err, ERROR_LIMIT, "there are %u widgets, which is the limit",
				 COMMS_MAX);
	return place_state(c, row, json, err);
}

cgpu_comm *comm_new(enum widget_kind kind, const char *id, const char *target, const char *json,
		    struct error *err)
{
	cgpu_comm *c = display_session_alloc(sizeof(*c));

	if (!c) {
		error_set(err, ERROR_MEMORY, "out of memory");
		return NULL;
	}
	c->form = COMM_FORM;
	c->kind = kind;
	if (id)
		strncpy(c->id, id, sizeof(c->id) - 1);
	else
		display_id_make(c->id);
	if (enter(c, target, json, err) || (!id && tell_opening(c, target, err))) {
		comm_free(c);
		return NULL;
	}
	refresh(c);
	return c;
}

void comm_leave(cgpu_comm *c)
{
	remove_row(c);
}

void comm_free(cgpu_comm *c)
{
	remove_row(c);
	/* The compiler knows that nobody reads a block that is freed. */
	*(volatile uint64_t *)&c->form = 0;
	free(c->state);
	free(c->text);
	free(c->got);
	free(c);
}

int comm_set(cgpu_comm *c, const char *members, bool told, struct error *err)
{
	cleanup_buffer struct buffer state = BUFFER_INIT;
	struct comm_message m = { COMM_UPDATE, c->id, "", members, 0, { { 0 } } };
	struct comm_row *row = comm_row(c);
	struct json_part key, value;

	buffer_puts(&state, c->state);
	for (const char *at = members; json_object_next(&at, &key, &value);) {
		cleanup_buffer struct buffer old = state;

		buffer_init(&state);
		json_object_put(buffer_text(&old), key, value, &state);
	}
	if (!state.failed && !strcmp(buffer_text(&state), c->state))
		return 0;
	if (buffer_check(&state, err) || place_state(c, row, buffer_text(&state), err))
		return -1;
	refresh(c);
	return told ? comm_tell(&m, err) : 0;
}

struct comm_target *comm_target(const char *name, bool make)
{
	struct comm_table *t = table();
	struct comm_target *found;

	for (uint32_t i = 0; t && i < t->n_targets; i++)
		if (!strcmp(t->targets[i].name, name))
			return &t->targets[i];
	if (!make)
		return NULL;
	meta_enter();
	t = grown_table();
	found = t && t->n_targets < COMM_TARGETS_MAX ? &t->targets[t->n_targets++] : NULL;
	if (found) {
		memset(found, 0, sizeof(*found));
		strncpy(found->name, name, sizeof(found->name) - 1);
	}
	meta_leave();
	return found;
}

struct comm_call comm_call_of(void *function, void *data)
{
	uint64_t address = (uint64_t)(uintptr_t)function;
	const struct symbol *s = symbols_at(address);
	bool is_named = s && s->kind == SYMBOL_FUNCTION && s->address == address;

	return (struct comm_call){ address, is_named ? (uint64_t)(uintptr_t)s : 0,
				   (uint64_t)(uintptr_t)data };
}

void *comm_call_function(const struct comm_call *call)
{
	const struct symbol *s = (const struct symbol *)call->symbol;

	return (void *)(s ? s->address : call->function);
}

uint64_t comm_layout(uint64_t hash)
{
	static const uint64_t sizes[] = { sizeof(struct comm_table), sizeof(struct comm_row),
					  sizeof(struct comm_target), sizeof(struct cgpu_comm) };

	return layout_hash(hash, sizes, sizeof(sizes) / sizeof(sizes[0]));
}
