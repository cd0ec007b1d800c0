/* SPDX-License-Identifier: Apache-2.0 */
/* Members in their order; record_check() of the reader tells whether all were there. */
#include "kernel/views/presenter-value.h"

#include "common/base/record.h"

void presenter_value_put(const struct presenter_value *v, struct buffer *out)
{
	record_put_str(out, v->type);
	record_put_str(out, v->code);
	record_put_bytes(out, v->bytes, v->len);
	record_put_bytes(out, v->target, v->target_len);
	record_put_u64(out, v->max);
	record_put_u8(out, v->pointers);
}

struct presenter_value presenter_value_take(struct record *r)
{
	struct presenter_value v = { .type = record_str(r), .code = NULL };

	v.code = record_str(r);
	v.bytes = record_bytes(r, &v.len);
	v.target = record_bytes(r, &v.target_len);
	v.max = record_u64(r);
	v.pointers = (enum presenter_pointers)record_u8(r);
	return v;
}
