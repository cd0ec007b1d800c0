/* SPDX-License-Identifier: Apache-2.0 */
/* All fields are written for every kind. */
#include "common/protocol/history-query.h"

#include "common/base/buffer.h"
#include "common/base/record.h"

void history_query_put(const struct history_query *q, struct buffer *out)
{
	record_put_u8(out, (uint8_t)q->kind);
	record_put_u8(out, q->output);
	record_put_u8(out, q->unique);
	record_put_u64(out, (uint64_t)q->n);
	record_put_u64(out, (uint64_t)q->session);
	record_put_u64(out, (uint64_t)q->start);
	record_put_u64(out, (uint64_t)q->stop);
	record_put_str(out, q->pattern);
}

struct history_query history_query_take(struct record *r)
{
	struct history_query q;

	q.kind = (enum history_kind)record_u8(r);
	q.output = record_u8(r);
	q.unique = record_u8(r);
	q.n = (int64_t)record_u64(r);
	q.session = (int64_t)record_u64(r);
	q.start = (int64_t)record_u64(r);
	q.stop = (int64_t)record_u64(r);
	q.pattern = record_str(r);
	return q;
}
