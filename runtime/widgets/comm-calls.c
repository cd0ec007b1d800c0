/* SPDX-License-Identifier: Apache-2.0 */
/* Comms that are no widgets, as cells call them. */
#include <string.h>

#include "common/base/error.h"
#include "runtime/display/display.h"
#include "runtime/widgets/comm.h"

static int check_json(const char *json, struct error *err)
{
	if (!json)
		return error_set(err, ERROR_INPUT, "the JSON is NULL");
	if (!json_object_is_value(json))
		return error_set(err, ERROR_INPUT, "this is no JSON: %.60s", json);
	return 0;
}

static int check_target(const char *name, struct error *err)
{
	if (!name || !*name || strlen(name) >= COMM_TARGET_SIZE)
		return error_set(err, ERROR_INPUT, "the name of a target has 1 to %d characters",
				 COMM_TARGET_SIZE - 1);
	if (!strcmp(name, COMM_WIDGET_TARGET))
		return error_set(
			err, ERROR_INPUT,
			"comms of this target are widgets: cgpu_slider_new() and its like, "
			"or cgpu_anywidget()");
	return 0;
}

cgpu_comm *cgpu_comm_open(const char *target, const char *json)
{
	struct display_call call = display_begin("cgpu_comm_open");
	struct error err = ERROR_INIT;
	cgpu_comm *c = NULL;

	if (!check_target(target, &err) && !check_json(json, &err))
		c = comm_new(WIDGET_NONE, NULL, target, json, &err);
	display_end(&call, c ? 0 : -1, &err);
	return c;
}

static int send(cgpu_comm *c, const char *json, const cgpu_bytes *buffers, unsigned n,
		struct error *err)
{
	struct comm_message m = { COMM_MESSAGE, NULL, "", json, n, { { 0 } } };

	if (comm_check(c, err) || check_json(json, err))
		return -1;
	if (n > COMM_BUFFERS_MAX || (n && !buffers))
		return error_set(err, ERROR_INPUT, "a message has up to %u buffers",
				 COMM_BUFFERS_MAX);
	m.id = c->id;
	for (unsigned i = 0; i < n; i++) {
		if (buffers[i].size > COMM_MESSAGE_MAX || (buffers[i].size && !buffers[i].at))
			return error_set(err, ERROR_INPUT, "buffer %u is NULL or too large", i);
		m.buffers[i] = (struct comm_buffer){ buffers[i].at, buffers[i].size };
	}
	return comm_tell(&m, err);
}

void cgpu_comm_send(cgpu_comm *c, const char *json)
{
	struct display_call call = display_begin("cgpu_comm_send");
	struct error err = ERROR_INIT;

	display_end(&call, send(c, json, NULL, 0, &err), &err);
}

void cgpu_comm_send_buffers(cgpu_comm *c, const char *json, const cgpu_bytes *buffers, unsigned n)
{
	struct display_call call = display_begin("cgpu_comm_send_buffers");
	struct error err = ERROR_INIT;

	display_end(&call, send(c, json, buffers, n, &err), &err);
}

void cgpu_comm_on_message(cgpu_comm *c, cgpu_on_message *f, void *data)
{
	struct display_call call = display_begin("cgpu_comm_on_message");
	struct error err = ERROR_INIT;
	int rc = comm_check(c, &err);

	if (!rc)
		comm_row(c)->message = comm_call_of((void *)f, data);
	display_end(&call, rc, &err);
}

int cgpu_comm_is_open(const cgpu_comm *c)
{
	return comm_row(c) != NULL;
}

void cgpu_comm_free(cgpu_comm *c)
{
	struct display_call call = display_begin("cgpu_comm_free");
	struct error err = ERROR_INIT;
	/* One that a front end has closed is still the cell's to free. */
	int rc = c && c->form == COMM_FORM ? 0 : comm_check(c, &err);

	if (!rc)
		comm_free(c);
	display_end(&call, rc, &err);
}

void cgpu_comm_target(const char *name, cgpu_on_message *f, void *data)
{
	struct display_call call = display_begin("cgpu_comm_target");
	struct error err = ERROR_INIT;
	int rc = check_target(name, &err);
	struct comm_target *t = rc ? NULL : comm_target(name, f != NULL);

	if (t)
		t->open = comm_call_of((void *)f, data);
	else if (!rc && f)
		rc = error_set(&err, ERROR_LIMIT, "there are %u targets, which is the limit",
			       COMM_TARGETS_MAX);
	display_end(&call, rc, &err);
}
