/* SPDX-License-Identifier: Apache-2.0 */
/* Fixed-width numbers by memcpy; strings as u32 length without the NUL, bytes, NUL. */
#include "common/base/record.h"

#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"

void record_put_u8(struct buffer *b, uint8_t v)
{
	buffer_append(b, &v, sizeof(v));
}

void record_put_u32(struct buffer *b, uint32_t v)
{
	buffer_append(b, &v, sizeof(v));
}

void record_put_u64(struct buffer *b, uint64_t v)
{
	buffer_append(b, &v, sizeof(v));
}

void record_put_bytes(struct buffer *b, const void *data, size_t len)
{
	if (len > UINT32_MAX) {
		b->failed = true;
		return;
	}
	record_put_u32(b, (uint32_t)len);
	buffer_append(b, data, len);
}

void record_put_str(struct buffer *b, const char *text)
{
	const char *t = text ? text : "";

	record_put_bytes(b, t, strlen(t));
	buffer_putc(b, '\0');
}

struct record record_open(const void *data, size_t len)
{
	return (struct record){ .at = data, .end = (const char *)data + len };
}

static const char *take(struct record *r, size_t len)
{
	const char *at = r->at;

	if (r->failed || (size_t)(r->end - r->at) < len) {
		r->failed = true;
		return NULL;
	}
	r->at += len;
	return at;
}

#define READ_NUMBER(type)                                                                          \
	type v = 0;                                                                                \
	const char *at = take(r, sizeof(v));                                                       \
	if (at)                                                                                    \
		memcpy(&v, at, sizeof(v));                                                         \
	return v

uint8_t record_u8(struct record *r)
{
	READ_NUMBER(uint8_t);
}

uint32_t record_u32(struct record *r)
{
	READ_NUMBER(uint32_t);
}

uint64_t record_u64(struct record *r)
{
	READ_NUMBER(uint64_t);
}

const char *record_bytes(struct record *r, size_t *ret_len)
{
	uint32_t len = record_u32(r);
	const char *at = take(r, len);

	*ret_len = at ? len : 0;
	return at ? at : "";
}

const char *record_str(struct record *r)
{
	size_t len;
	const char *text = record_bytes(r, &len);
	const char *nul = take(r, 1);

	if (!nul || *nul != '\0' || strlen(text) != len) {
		r->failed = true;
		return "";
	}
	return text;
}

uint32_t record_count(struct record *r, size_t least)
{
	uint32_t n = record_u32(r);

	if (least && (size_t)(r->end - r->at) / least < n) {
		r->failed = true;
		return 0;
	}
	return r->failed ? 0 : n;
}

int record_check(const struct record *r, const char *what, struct error *err)
{
	if (r->failed)
		return error_set(err, ERROR_PROTOCOL, "%s is cut short or malformed", what);
	if (r->at != r->end)
		return error_set(err, ERROR_PROTOCOL, "%s has %zu bytes too many", what,
				 (size_t)(r->end - r->at));
	return 0;
}
