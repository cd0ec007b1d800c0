/* SPDX-License-Identifier: Apache-2.0 */
/* The message is in the worker's own memory until the cell has ended, so a callback reads it there.
 */
#include "runtime/widgets/comm-deliver.h"

#include <string.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "runtime/display/display.h"
#include "runtime/widgets/comm.h"

static void call_change(cgpu_comm *c)
{
	struct comm_row *row = comm_row(c);
	cgpu_on_change *f = row ? (cgpu_on_change *)comm_call_function(&row->change) : NULL;

	if (f && row->change.function == COMM_CALL_INTERACT)
		interact_call((void *)row->change.data);
	else if (f)
		f(c, (void *)row->change.data);
}

static void call_message(cgpu_comm *c, const struct comm_call *call, const struct comm_message *m)
{
	cgpu_on_message *f = (cgpu_on_message *)comm_call_function(call);
	cgpu_bytes buffers[COMM_BUFFERS_MAX];
	cgpu_message message = { m->json, buffers, m->n_buffers };

	for (uint32_t i = 0; i < m->n_buffers; i++)
		buffers[i] = (cgpu_bytes){ m->buffers[i].at, m->buffers[i].size };
	if (f)
		f(c, &message, (void *)call->data);
}

/* What comes before the callback: our own work. NULL: the comm is not there. */
static cgpu_comm *take(const struct comm_message *m)
{
	struct display_call call = display_begin("comm");
	struct error err = ERROR_INIT;
	cgpu_comm *c;
	int rc = 0;

	if (m->action == COMM_OPEN) {
		c = comm_new(WIDGET_NONE, m->id, m->target, m->json, &err);
		rc = c ? 0 : -1;
	} else {
		c = comm_find(m->id);
	}
	if (c && m->action == COMM_UPDATE)
		rc = comm_set(c, m->json, false, &err);
	else if (c && m->action == COMM_CLOSE)
		comm_leave(c);
	display_end(&call, rc, &err);
	return rc ? NULL : c;
}

static void redirect(const char *id)
{
	struct display_call call = display_begin("comm");

	comm_redirect(id);
	display_end(&call, 0, NULL);
}

static void call_back(cgpu_comm *c, const struct comm_message *m)
{
	bool is_button = c->kind == WIDGET_BUTTON;
	const struct comm_target *t;

	switch (m->action) {
	case COMM_OPEN:
		t = comm_target(m->target, false);
		if (t)
			call_message(c, &t->open, m);
		break;
	case COMM_UPDATE:
		call_change(c);
		break;
	case COMM_MESSAGE:
		call_message(c, &comm_row(c)->message, m);
		/* A click has no state, and is a change to cells. The first callback may have freed
		 * the button. */
		if (is_button)
			call_change(c);
		break;
	default:
		break;
	}
}

void comm_deliver(const void *bytes, size_t len)
{
	struct record r = record_open(bytes, len);
	struct comm_message m;
	struct error err = ERROR_INIT;
	char output[COMM_ID_SIZE];
	cgpu_comm *c;

	if (comm_message_take(&r, &m, &err)) {
		log_error("%s", err.text);
		return;
	}
	c = take(&m);
	if (!c || m.action == COMM_CLOSE)
		return;
	/* The callback may free its widget. */
	memcpy(output, c->output, sizeof(output));
	output[sizeof(output) - 1] = '\0';
	if (*output)
		redirect(output);
	call_back(c, &m);
	if (*output)
		redirect("");
}
