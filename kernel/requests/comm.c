/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of an Output widget is what front ends have collected in it, so what they say of it is
 * kept here and is no change of the session.
 */
#include "kernel/requests/comm.h"

#include <string.h>

#include "common/base/log.h"
#include "common/protocol/comm-message.h"
#include "kernel/comms/comm-inbox.h"
#include "kernel/comms/comms.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"

#define CONTROL_TARGET "jupyter.widget.control"

static json_t *data_of(const struct request *r)
{
	return json_object_get(r->message.content, "data");
}

static void end(struct request *r)
{
	request_begin(r);
	request_end(r);
}

static size_t bytes_of(const struct request *r)
{
	size_t bytes = 0;

	for (size_t i = 0; i < r->message.n_frames; i++)
		bytes += zmq_msg_size(&r->message.frames[i]);
	return bytes;
}

/* Lets the message wait for its turn. data is borrowed. */
static void deliver(struct request *r, enum comm_action action, const struct comm *comm,
		    json_t *data)
{
	struct session *s = r->session;
	size_t bytes = bytes_of(r);
	struct request *over = r;

	if (bytes <= COMM_MESSAGE_MAX && message_buffers(&r->message) <= COMM_BUFFERS_MAX)
		over = comm_inbox_add(&s->executor.inbox, r, (uint8_t)action, comm, data, bytes);
	if (over == r)
		log_warning("a message of %zu bytes for comm %s is dropped: %u wait", bytes,
			    comm->id, s->executor.inbox.n);
	if (over)
		end(over);
	if (over != r)
		s->hooks->deliver(s);
}

void comm_open(struct request *r)
{
	const char *id = request_text(r, "comm_id"), *target = request_text(r, "target_name");
	struct comms *c = &r->session->comms;
	struct comm *comm;
	json_t *data = data_of(r);

	if (!strcmp(target, CONTROL_TARGET) && comms_is_id(id)) {
		comms_add_control(c, id);
		end(r);
		return;
	}
	comm = data ? comms_arrive(c, id, target, data) : NULL;
	if (comm) {
		deliver(r, COMM_OPEN, comm, data);
		return;
	}
	request_begin(r);
	comms_send_close(c, &r->message, id);
	request_end(r);
}

/* Drops members that came as buffers, which no state has. */
static void drop_buffers(json_t *state, const json_t *paths)
{
	const json_t *path;
	size_t i;

	json_array_foreach(paths, i, path)
	{
		const char *key = json_string_value(json_array_get(path, 0));

		if (key)
			json_object_del(state, key);
	}
}

static void update(struct request *r, struct comm *comm, json_t *state)
{
	struct comms *c = &r->session->comms;

	drop_buffers(state, json_object_get(data_of(r), "buffer_paths"));
	comms_echo(c, &r->message, comm, state);
	if (!comms_is_output(comm)) {
		deliver(r, COMM_UPDATE, comm, state);
		return;
	}
	if (bytes_of(r) <= COMM_STATE_MAX)
		comms_merge(comm, state);
	end(r);
}

/* Hands on what a widget's view says. False: it says nothing that the session must know. */
static bool hear_widget(struct request *r, struct comm *comm)
{
	const char *method = json_string_value(json_object_get(data_of(r), "method"));
	json_t *state = json_object_get(data_of(r), "state"),
	       *content = json_object_get(data_of(r), "content");

	if (method && !strcmp(method, "update") && json_is_object(state))
		update(r, comm, state);
	else if (method && !strcmp(method, "custom") && content)
		deliver(r, COMM_MESSAGE, comm, content);
	else
		return false;
	return true;
}

/* Answers a question for states. */
static void answer(struct request *r, const struct comm *comm, const char *id)
{
	const char *method = json_string_value(json_object_get(data_of(r), "method"));
	struct comms *c = &r->session->comms;

	if (method && comm && comms_is_widget(comm) && !strcmp(method, "request_state"))
		comms_send_state(c, &r->message, comm);
	else if (method && comms_is_control(c, id) && !strcmp(method, "request_states"))
		comms_send_states(c, &r->message, id);
}

void comm_msg(struct request *r)
{
	const char *id = request_text(r, "comm_id");
	struct comm *comm = comms_find(&r->session->comms, id);
	json_t *data = data_of(r);

	if (comm && !comms_is_widget(comm) && data) {
		deliver(r, COMM_MESSAGE, comm, data);
		return;
	}
	if (comm && comms_is_widget(comm) && hear_widget(r, comm))
		return;
	request_begin(r);
	answer(r, comm, id);
	request_end(r);
}

void comm_close(struct request *r)
{
	struct comm *comm = comms_find(&r->session->comms, request_text(r, "comm_id"));
	json_t *data = data_of(r);

	if (comm)
		deliver(r, COMM_CLOSE, comm, data);
	else
		end(r);
}

void comm_info(struct request *r)
{
	request_reply(r, json_pack("{ss so}", "status", "ok", "comms",
				   comms_info(&r->session->comms, request_text(r, "target_name"))));
}
