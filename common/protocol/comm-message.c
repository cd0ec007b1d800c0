/* SPDX-License-Identifier: Apache-2.0 */
/* JSON is a string of the record: text with its NUL, which has none inside. */
#include "common/protocol/comm-message.h"

#include "common/base/error.h"
#include "common/base/record.h"

void comm_message_put(const struct comm_message *m, struct buffer *out)
{
	record_put_u8(out, m->action);
	record_put_str(out, m->id);
	record_put_str(out, m->target);
	record_put_str(out, m->json);
	record_put_u32(out, m->n_buffers);
	for (uint32_t i = 0; i < m->n_buffers; i++)
		record_put_bytes(out, m->buffers[i].at, m->buffers[i].size);
}

int comm_message_take(struct record *r, struct comm_message *ret, struct error *err)
{
	ret->action = record_u8(r);
	ret->id = record_str(r);
	ret->target = record_str(r);
	ret->json = record_str(r);
	ret->n_buffers = record_count(r, 4);
	if (!r->failed &&
	    (ret->n_buffers > COMM_BUFFERS_MAX || !ret->action || ret->action >= COMM_ACTIONS))
		return error_set(err, ERROR_PROTOCOL, "this is no message of a comm");
	for (uint32_t i = 0; i < ret->n_buffers && !r->failed; i++)
		ret->buffers[i].at = record_bytes(r, &ret->buffers[i].size);
	return record_check(r, "message of a comm", err);
}
