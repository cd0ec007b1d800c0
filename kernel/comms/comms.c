/* SPDX-License-Identifier: Apache-2.0 */
/* Messages follow ipywidgets' protocol of version 2.1, whose widgets have their state in `data`.
 * States never hold buffers, so their paths are empty. */
#include "kernel/comms/comms.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "common/protocol/comm-message.h"
#include "kernel/base/loop.h"
#include "kernel/protocol/publish.h"
#include "kernel/protocol/wire.h"
#include "kernel/show/cell-json.h"

#define WIDGET_PROTOCOL "2.1.0"
#define UPDATE_MS 50

void comms_init(struct comms *c, struct publisher *publisher, struct supervisor *supervisor,
		struct loop *loop)
{
	memset(c, 0, sizeof(*c));
	c->publisher = publisher;
	c->supervisor = supervisor;
	c->loop = loop;
}

static void comm_free(struct comm *comm)
{
	json_decref(comm->waiting);
	json_decref(comm->state);
	free(comm);
}

void comms_release(struct comms *c)
{
	loop_remove(c->loop, c->timer);
	for (size_t i = 0; i < c->n; i++)
		comm_free(c->list[i]);
	free(c->list);
}

bool comms_is_id(const char *text)
{
	size_t len = strlen(text);

	for (const char *p = text; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '-' && *p != '_')
			return false;
	return len && len < COMM_ID_SIZE;
}

struct comm *comms_find(const struct comms *c, const char *id)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->list[i]->id, id))
			return c->list[i];
	return NULL;
}

bool comms_is_widget(const struct comm *comm)
{
	return !strcmp(comm->target, COMM_WIDGET_TARGET);
}

bool comms_is_output(const struct comm *comm)
{
	const char *module = json_string_value(json_object_get(comm->state, "_model_module"));

	return comms_is_widget(comm) && module && !strcmp(module, "@jupyter-widgets/output");
}

struct comm *comms_add(struct comms *c, const char *id, const char *target, json_t *state)
{
	struct comm **grown =
		c->n < COMMS_MAX && state ? realloc(c->list, (c->n + 1) * sizeof(*c->list)) : NULL;
	struct comm *comm = grown ? calloc(1, sizeof(*comm)) : NULL;

	if (grown)
		c->list = grown;
	if (!comm) {
		json_decref(state);
		return NULL;
	}
	snprintf(comm->id, sizeof(comm->id), "%s", id);
	snprintf(comm->target, sizeof(comm->target), "%s", target);
	comm->state = state;
	c->list[c->n++] = comm;
	return comm;
}

void comms_forget(struct comms *c, struct comm *comm)
{
	size_t at = 0;

	while (c->list[at] != comm)
		at++;
	memmove(&c->list[at], &c->list[at + 1], (c->n - at - 1) * sizeof(*c->list));
	c->n--;
	comm_free(comm);
}

/* ---- what is sent ---- */

static json_t *content(const char *id, json_t *data)
{
	return json_pack("{ss so}", "comm_id", id, "data", data);
}

static json_t *with_state(const char *method, json_t *state)
{
	return json_pack("{ss so s[]}", "method", method, "state", state, "buffer_paths");
}

static void send(struct comms *c, const struct message *parent, const char *id, json_t *data)
{
	publish_comm(c->publisher, parent, "comm_msg", NULL, content(id, data), NULL, 0);
}

void comms_send_open(struct comms *c, const struct message *parent, const struct comm *comm)
{
	bool is_widget = comms_is_widget(comm);
	json_t *data = is_widget ? json_pack("{sO s[]}", "state", comm->state, "buffer_paths")
				 : json_incref(comm->state);
	json_t *metadata = is_widget ? json_pack("{ss}", "version", WIDGET_PROTOCOL) : NULL;

	publish_comm(c->publisher, parent, "comm_open", metadata,
		     json_pack("{ss ss so}", "comm_id", comm->id, "target_name", comm->target,
			       "data", data),
		     NULL, 0);
}

void comms_send_update(struct comms *c, const struct message *parent, struct comm *comm,
		       json_t *members)
{
	if (!json_object_size(members)) {
		json_decref(members);
		return;
	}
	comm->told++;
	json_object_update(comm->state, members);
	send(c, parent, comm->id, with_state("update", members));
}

void comms_send_close(struct comms *c, const struct message *parent, const char *id)
{
	publish_comm(c->publisher, parent, "comm_close", NULL, content(id, json_object()), NULL, 0);
}

/* ---- what cells say ---- */

static size_t measure(const struct comms *c)
{
	size_t bytes = 0, flags = JSON_COMPACT | JSON_ENCODE_ANY;

	for (size_t i = 0; i < c->n; i++) {
		bytes += json_dumpb(c->list[i]->state, NULL, 0, flags);
		if (c->list[i]->waiting)
			bytes += json_dumpb(c->list[i]->waiting, NULL, 0, flags);
	}
	return bytes;
}

/* The worker keeps to the limits, and what a cell has made of the worker does not: so what its
 * records add up to is measured now and then. */
static int charge(struct comms *c, const struct comm_message *m, struct error *err)
{
	c->charged += strlen(m->json);
	if (c->charged > COMM_STATES_MAX) {
		c->charged = 0;
		c->is_full = measure(c) > 2 * (size_t)COMM_STATES_MAX;
	}
	return c->is_full
		       ? error_set(err, ERROR_LIMIT, "the states of all comms are more than %u MB",
				   2 * COMM_STATES_MAX >> 20)
		       : 0;
}

static int open_comm(struct comms *c, const struct comm_message *m, const struct message *parent,
		     struct error *err)
{
	struct comm *comm;
	json_t *state;

	if (!comms_is_id(m->id) || !*m->target || strlen(m->target) >= COMM_TARGET_SIZE ||
	    comms_find(c, m->id))
		return error_set(err, ERROR_INPUT, "this comm cannot be opened");
	state = cell_json("comm", m->json, strlen(m->json), err);
	if (!state)
		return -1;
	comm = comms_add(c, m->id, m->target, state);
	if (!comm)
		return error_set(err, ERROR_LIMIT, "there are %u comms, which is the limit",
				 COMMS_MAX);
	comms_send_open(c, parent, comm);
	return 0;
}

static void send_message(struct comms *c, const struct comm *comm, const struct comm_message *m,
			 json_t *data, const struct message *parent)
{
	struct iovec buffers[COMM_BUFFERS_MAX];

	for (uint32_t i = 0; i < m->n_buffers; i++)
		buffers[i] = (struct iovec){ (void *)m->buffers[i].at, m->buffers[i].size };
	if (comms_is_widget(comm))
		data = json_pack("{ss so}", "method", "custom", "content", data);
	publish_comm(c->publisher, parent, "comm_msg", NULL, content(comm->id, data), buffers,
		     m->n_buffers);
}

static bool send_waiting(struct comms *c, const struct message *parent, struct comm *comm)
{
	json_t *members = comm->waiting;

	if (!members)
		return false;
	comm->waiting = NULL;
	comms_send_update(c, parent, comm, members);
	return true;
}

/* Sends updates that wait. The timer goes on as long as there are any, so that a loop that sets a
 * value is a few messages: front ends drop what is above a thousand a second. */
static void on_timer(void *data)
{
	struct comms *c = data;
	bool any = false;

	c->timer = NULL;
	for (size_t i = 0; c->parent && i < c->n; i++)
		any = send_waiting(c, c->parent, c->list[i]) || any;
	if (any)
		c->timer = loop_add_timer(c->loop, UPDATE_MS, on_timer, c);
}

static void update_soon(struct comms *c, struct comm *comm, json_t *members,
			const struct message *parent)
{
	comm->digest = 0;
	c->parent = parent;
	if (comm->waiting)
		json_object_update(comm->waiting, members);
	else
		comm->waiting = json_incref(members);
	json_decref(members);
	if (!c->timer)
		on_timer(c);
}

void comms_drop_waiting(struct comms *c)
{
	for (size_t i = 0; c->parent && i < c->n; i++) {
		json_decref(c->list[i]->waiting);
		c->list[i]->waiting = NULL;
	}
	c->parent = NULL;
}

static int tell(struct comms *c, const struct comm_message *m, const struct message *parent,
		struct error *err)
{
	struct comm *comm = comms_find(c, m->id);
	json_t *data;

	if (!comm || comm->is_broken)
		return 0;
	data = cell_json("message of a comm", m->json, strlen(m->json), err);
	if (!data)
		return -1;
	if (m->action == COMM_MESSAGE) {
		/* The view hears of the values that the cell has set before. */
		send_waiting(c, parent, comm);
		send_message(c, comm, m, data, parent);
	} else if (comms_is_widget(comm) && json_is_object(data)) {
		update_soon(c, comm, data, parent);
	} else {
		json_decref(data);
	}
	return 0;
}

void comms_end_redirect(struct comms *c, const struct message *parent)
{
	struct comm *comm = comms_find(c, c->redirect);

	if (comm)
		send(c, parent, comm->id, with_state("update", json_pack("{ss}", "msg_id", "")));
	*c->redirect = '\0';
}

static void redirect(struct comms *c, const struct message *parent, const char *id)
{
	struct comm *comm = comms_find(c, id);

	comms_end_redirect(c, parent);
	if (!comm || !comms_is_output(comm))
		return;
	snprintf(c->redirect, sizeof(c->redirect), "%s", id);
	send(c, parent, id, with_state("update", json_pack("{ss}", "msg_id", parent->id)));
}

int comms_record(struct comms *c, struct record *r, const struct message *parent, struct error *err)
{
	struct comm_message m;

	if (comm_message_take(r, &m, err))
		return -1;
	if ((m.action == COMM_OPEN || m.action == COMM_UPDATE) && charge(c, &m, err))
		return -1;
	if (m.action == COMM_OPEN)
		return open_comm(c, &m, parent, err);
	if (m.action == COMM_REDIRECT)
		redirect(c, parent, m.id);
	else if (m.action == COMM_UPDATE || m.action == COMM_MESSAGE)
		return tell(c, &m, parent, err);
	return 0;
}

/* ---- what front ends say and ask ---- */

struct comm *comms_arrive(struct comms *c, const char *id, const char *target, json_t *data)
{
	struct comm *comm;

	for (size_t i = 0; i < c->n_targets; i++) {
		if (strcmp(c->targets[i], target) || !comms_is_id(id) || comms_find(c, id))
			continue;
		comm = comms_add(c, id, target, json_incref(data));
		if (comm)
			comm->is_arriving = true;
		return comm;
	}
	return NULL;
}

void comms_merge(struct comm *comm, json_t *members)
{
	if (members)
		json_object_update(comm->state, members);
	comm->digest = 0;
}

void comms_echo(struct comms *c, const struct message *parent, const struct comm *comm,
		json_t *members)
{
	send(c, parent, comm->id, with_state("echo_update", json_incref(members)));
}

json_t *comms_info(const struct comms *c, const char *target)
{
	json_t *list = json_object();

	for (size_t i = 0; i < c->n; i++)
		if (!c->list[i]->is_broken && (!*target || !strcmp(target, c->list[i]->target)))
			json_object_set_new(list, c->list[i]->id,
					    json_pack("{ss}", "target_name", c->list[i]->target));
	return list;
}

void comms_send_state(struct comms *c, const struct message *parent, const struct comm *comm)
{
	send(c, parent, comm->id, with_state("update", json_incref(comm->state)));
}

void comms_add_control(struct comms *c, const char *id)
{
	snprintf(c->controls[c->n_controls++ % COMM_CONTROLS], COMM_ID_SIZE, "%s", id);
}

bool comms_is_control(const struct comms *c, const char *id)
{
	for (unsigned i = 0; i < COMM_CONTROLS; i++)
		if (*id && !strcmp(c->controls[i], id))
			return true;
	return false;
}

static json_t *member(const struct comm *comm, const char *key)
{
	json_t *value = json_object_get(comm->state, key);

	return value ? json_incref(value) : json_string("");
}

void comms_send_states(struct comms *c, const struct message *parent, const char *control)
{
	json_t *states = json_object();

	for (size_t i = 0; i < c->n; i++) {
		const struct comm *comm = c->list[i];

		if (comms_is_widget(comm) && !comm->is_broken)
			json_object_set_new(states, comm->id,
					    json_pack("{so so so sO}", "model_name",
						      member(comm, "_model_name"), "model_module",
						      member(comm, "_model_module"),
						      "model_module_version",
						      member(comm, "_model_module_version"),
						      "state", comm->state));
	}
	send(c, parent, control,
	     json_pack("{ss so s[]}", "method", "update_states", "states", states, "buffer_paths"));
}
