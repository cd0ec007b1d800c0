/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares what front ends have with the table that the committed session has, which is a read or
 * two behind each cell. The JSON of a comm is read when its digest is another one. What cannot be
 * read, or is no JSON, is as if it were not there.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/memory/arena-layout.h"
#include "kernel/comms/comms.h"
#include "kernel/show/cell-json.h"
#include "kernel/supervisor/supervisor.h"

static bool is_target(const char target[COMM_TARGET_SIZE])
{
	return *target && memchr(target, '\0', COMM_TARGET_SIZE);
}

/* Reads the table; NULL: the session has none. */
static struct comm_table *read_table(const struct comms *c)
{
	uint64_t address = 0, root = ARENA_BASE + offsetof(struct arena_header, root) +
				     ARENA_ROOT_COMMS * sizeof(uint64_t);
	struct comm_table *t, head;
	size_t size;

	if (supervisor_read(c->supervisor, root, &address, sizeof(address)) || !address ||
	    supervisor_read(c->supervisor, address, &head, sizeof(head)) || head.n > COMMS_MAX)
		return NULL;
	size = sizeof(*t) + head.n * sizeof(t->rows[0]);
	t = malloc(size);
	if (t && supervisor_read(c->supervisor, address, t, size)) {
		free(t);
		return NULL;
	}
	if (t)
		t->n = head.n;
	return t;
}

static json_t *read_state(const struct comms *c, const struct comm_row *row)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct error err = ERROR_INIT;
	json_t *state;

	if (row->state_len > COMM_STATE_MAX || !buffer_extend(&text, row->state_len + 1) ||
	    supervisor_read(c->supervisor, row->state, text.data, row->state_len)) {
		log_warning("the state of comm %s cannot be read", row->id);
		return NULL;
	}
	state = cell_json("comm", text.data, row->state_len, &err);
	if (!state)
		log_warning("%s", err.text);
	if (state && !strcmp(row->target, COMM_WIDGET_TARGET) && !json_is_object(state)) {
		json_decref(state);
		return NULL;
	}
	return state;
}

/* Returns what must be told so that a front end with `shown` has `state`. */
static json_t *difference(const struct comm *comm, json_t *state)
{
	json_t *members = json_object(), *value;
	const char *key;

	json_object_foreach(state, key,
			    value) if (!json_equal(json_object_get(comm->state, key), value))
		json_object_set(members, key, value);
	json_object_foreach(comm->state, key,
			    value) if (!json_object_get(state, key) && !json_is_null(value))
		json_object_set_new(members, key, json_null());
	if (comms_is_output(comm)) {
		json_object_del(members, "outputs");
		json_object_del(members, "msg_id");
	}
	return members;
}

static void renew(struct comms *c, const struct message *parent, struct comm *comm,
		  const struct comm_row *row)
{
	json_t *state = read_state(c, row);

	comm->digest = row->digest;
	if (!state)
		return;
	if (comm->is_broken) {
		json_decref(comm->state);
		comm->state = json_incref(state);
		comm->is_broken = false;
		comms_send_open(c, parent, comm);
	} else if (comms_is_widget(comm)) {
		comms_send_update(c, parent, comm, difference(comm, state));
	}
	json_decref(state);
}

static void open_comm(struct comms *c, const struct message *parent, const struct comm_row *row)
{
	json_t *state = read_state(c, row);
	bool is_broken = !state;
	struct comm *comm = comms_add(c, row->id, row->target, state ? state : json_object());

	if (!comm)
		return;
	comm->is_seen = true;
	comm->is_broken = is_broken;
	comm->digest = row->digest;
	if (!is_broken)
		comms_send_open(c, parent, comm);
}

/* hint: where the comm is likely to be in the list. */
static void settle_row(struct comms *c, const struct message *parent, const struct comm_row *row,
		       size_t hint)
{
	struct comm *comm;

	if (!memchr(row->id, '\0', sizeof(row->id)) || !comms_is_id(row->id) ||
	    !is_target(row->target))
		return;
	comm = hint < c->n && !strcmp(c->list[hint]->id, row->id) ? c->list[hint]
								  : comms_find(c, row->id);
	if (!comm) {
		open_comm(c, parent, row);
		return;
	}
	if (!comm->is_seen && comm->digest != row->digest)
		renew(c, parent, comm, row);
	comm->is_seen = true;
}

/* Comms that the session does not have are closed, the newest first. */
static void close_others(struct comms *c, const struct message *parent)
{
	for (size_t i = c->n; i-- > 0;) {
		struct comm *comm = c->list[i];

		if (comm->is_seen || comm->is_arriving)
			continue;
		if (!comm->is_broken)
			comms_send_close(c, parent, comm->id);
		comms_forget(c, comm);
	}
}

static void take_targets(struct comms *c, const struct comm_table *t)
{
	c->n_targets = 0;
	for (uint32_t i = 0; t && i < t->n_targets && i < COMM_TARGETS_MAX; i++)
		if (t->targets[i].open.function && is_target(t->targets[i].name))
			memcpy(c->targets[c->n_targets++], t->targets[i].name, COMM_TARGET_SIZE);
}

void comms_settle(struct comms *c, const struct message *parent)
{
	cleanup_free struct comm_table *t = NULL;
	uint64_t bytes = 0;

	comms_drop_waiting(c);
	c->is_full = false;
	if (!supervisor_is_readable(c->supervisor))
		return;
	t = read_table(c);
	for (size_t i = 0; i < c->n; i++)
		c->list[i]->is_seen = false;
	for (uint32_t i = 0; t && i < t->n; i++) {
		bytes += t->rows[i].state_len;
		if (bytes <= COMM_STATES_MAX)
			settle_row(c, parent, &t->rows[i], i);
	}
	close_others(c, parent);
	take_targets(c, t);
}
