/* SPDX-License-Identifier: Apache-2.0 */
/* A part is its members in their order. A list is parts, each behind a one, and behind a zero how
 * many are not in it: who writes it needs not know their number. */
#include "kernel/views/presenter-part.h"

#include <stdlib.h>

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/record.h"

void presenter_part_put(const struct presenter_part *p, struct buffer *out)
{
	record_put_u8(out, 1);
	record_put_str(out, p->name);
	record_put_str(out, p->type);
	record_put_str(out, p->code);
	record_put_u32(out, p->cell);
	record_put_u64(out, p->address);
	record_put_u64(out, p->first);
	record_put_u64(out, p->count);
	record_put_u8(out, p->is_elsewhere);
	record_put_bytes(out, p->bytes, p->len);
	record_put_str(out, p->text);
	record_put_u8(out, p->has_parts);
	record_put_u64(out, p->indexed);
	record_put_u64(out, p->named);
}

void presenter_parts_end(uint64_t more, struct buffer *out)
{
	record_put_u8(out, 0);
	record_put_u64(out, more);
}

/* Reads what is behind the one. */
static struct presenter_part take(struct record *r)
{
	struct presenter_part p = { .name = record_str(r) };

	p.type = record_str(r);
	p.code = record_str(r);
	p.cell = record_u32(r);
	p.address = record_u64(r);
	p.first = record_u64(r);
	p.count = record_u64(r);
	p.is_elsewhere = record_u8(r);
	p.bytes = record_bytes(r, &p.len);
	p.text = record_str(r);
	p.has_parts = record_u8(r);
	p.indexed = record_u64(r);
	p.named = record_u64(r);
	return p;
}

struct presenter_part presenter_part_take(struct record *r)
{
	if (record_u8(r) != 1)
		r->failed = true;
	return take(r);
}

void presenter_range_put(const struct presenter_range *w, struct buffer *out)
{
	record_put_u64(out, w->start);
	record_put_u64(out, w->count);
	record_put_u8(out, w->is_given);
}

struct presenter_range presenter_range_take(struct record *r)
{
	struct presenter_range w = { .start = record_u64(r) };

	w.count = record_u64(r);
	w.is_given = record_u8(r);
	return w;
}

int presenter_parts_take(const void *bytes, size_t len, struct presenter_parts *ret,
			 struct error *err)
{
	struct record r = record_open(bytes, len);
	size_t cap = 0;

	*ret = (struct presenter_parts){ 0 };
	while (record_u8(&r) == 1 && !r.failed) {
		if (ret->n == PRESENTER_PARTS_MAX)
			return error_set(err, ERROR_PROTOCOL, "a list of too many parts");
		if (!ARRAY_ROOM(ret->at, ret->n, &cap))
			return error_set(err, ERROR_MEMORY, "out of memory for a list of parts");
		ret->at[ret->n++] = take(&r);
	}
	ret->more = record_u64(&r);
	return record_check(&r, "PRESENTER_PARTS", err);
}

void presenter_parts_release(struct presenter_parts *p)
{
	free(p->at);
	*p = (struct presenter_parts){ 0 };
}

void presenter_result_begin(const struct presenter_result *x, struct buffer *out)
{
	record_put_str(out, x->failure);
	record_put_u8(out, x->is_true);
	record_put_bytes(out, x->bound, x->bound_len);
	if (*x->failure)
		presenter_part_put(&(struct presenter_part){ .name = "" }, out);
}

int presenter_result_take(const void *bytes, size_t len, struct presenter_result *ret,
			  struct error *err)
{
	struct record r = record_open(bytes, len);

	ret->failure = record_str(&r);
	ret->is_true = record_u8(&r);
	ret->bound = record_bytes(&r, &ret->bound_len);
	ret->value = presenter_part_take(&r);
	return record_check(&r, "PRESENTER_EXPRESSION_IS", err);
}
