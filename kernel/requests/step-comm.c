/* SPDX-License-Identifier: Apache-2.0 */
/* What a front end has sent to a comm runs as an empty unit, behind which the worker hands it to
 * the comm: so it is committed or rolled back as a cell is. It is no step of %undo, which takes it
 * back with the cell before it. */
#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/protocol/comm-message.h"
#include "kernel/comms/comm-inbox.h"
#include "kernel/core/supervisor-callbacks.h"
#include "kernel/requests/step.h"
#include "kernel/session/cell.h"
#include "kernel/session/output.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"

static enum step_next ended(struct session *s, struct cell *c, const struct cell_end *end)
{
	if (end->ok)
		output_printf(&s->output, STREAM_STDERR, "%s%s", end->warnings, end->restored);
	else
		step_fail(c, end);
	return STEP_TO_EXPRESSIONS;
}

const struct step step_comm = { .id = step_no_id, .ended = ended };

int step_comm_message(const struct cell *c, struct buffer *ret, struct error *err)
{
	const struct message *from = &c->request->message;
	const struct delivery *d = c->delivery;
	char *json = d->data ? json_dumps(d->data, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
	struct comm_message m = { d->action, d->id, d->target, json ? json : "null", 0, { { 0 } } };

	/* Updates are folded, and have no buffers. */
	if (d->action != COMM_UPDATE)
		m.n_buffers = (uint32_t)message_buffers(from);
	for (uint32_t i = 0; i < m.n_buffers; i++) {
		struct iovec bytes = message_buffer(from, i);

		m.buffers[i] = (struct comm_buffer){ bytes.iov_base, bytes.iov_len };
	}
	comm_message_put(&m, ret);
	free(json);
	return buffer_check(ret, err);
}

struct compiled_unit *step_comm_begin(struct cell *c, struct error *err)
{
	c->step = &step_comm;
	return step_nothing(c, err);
}
