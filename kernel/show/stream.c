/* SPDX-License-Identifier: Apache-2.0 */
/* The head is in `ready`, the tail in a buffer that is cut when it is twice too long. */
#include "kernel/show/stream.h"

#include <inttypes.h>
#include <string.h>

#include "kernel/base/utf8.h"

void stream_init(struct stream *s, size_t limit)
{
	memset(s, 0, sizeof(*s));
	stream_begin(s, limit);
}

void stream_release(struct stream *s)
{
	buffer_release(&s->ready);
	buffer_release(&s->tail);
}

void stream_begin(struct stream *s, size_t limit)
{
	buffer_clear(&s->ready);
	buffer_clear(&s->tail);
	s->half = s->head_left = limit / 2;
	s->left_out_bytes = s->left_out_lines = 0;
	s->ends_line = true;
}

/* Returns the size of the byte inside a JSON string. */
static size_t json_cost(unsigned char c)
{
	if (c >= 0x20)
		return c == '"' || c == '\\' ? 2 : 1;
	return c == '\n' || c == '\t' || c == '\r' || c == '\b' || c == '\f' ? 2 : 6;
}

static uint64_t count_lines(const char *text, size_t len)
{
	uint64_t n = 0;
	const char *end = text + len;

	while ((text = memchr(text, '\n', end - text))) {
		n++;
		text++;
	}
	return n;
}

static void leave_out(struct stream *s, size_t len)
{
	s->left_out_bytes += len;
	s->left_out_lines += count_lines(s->tail.data, len);
	buffer_consume(&s->tail, len);
}

void stream_add(struct stream *s, const char *bytes, size_t len)
{
	size_t n = 0, cost;

	while (s->head_left && n < len) {
		cost = json_cost(bytes[n]);
		if (cost > s->head_left) {
			s->head_left = 0;
			break;
		}
		s->head_left -= cost;
		n++;
	}
	buffer_append(&s->ready, bytes, n);
	bytes += n;
	len -= n;
	while (len) {
		n = len < s->half + 1 ? len : s->half + 1;
		buffer_append(&s->tail, bytes, n);
		bytes += n;
		len -= n;
		if (s->tail.len > 2 * s->half)
			leave_out(s, s->tail.len - s->half);
	}
}

size_t stream_ready(const struct stream *s)
{
	return s->ready.len;
}

/* Finds where the last `half` bytes, counted as JSON, begin; at the start of a line if possible. */
static size_t tail_start(const struct stream *s)
{
	size_t at = s->tail.len, cost = 0;
	const char *newline;

	while (at && (cost += json_cost(s->tail.data[at - 1])) <= s->half)
		at--;
	if (!at)
		return 0;
	newline = memchr(s->tail.data + at, '\n', s->tail.len - at);
	if (newline && newline + 1 < s->tail.data + s->tail.len)
		return newline + 1 - s->tail.data;
	while (at < s->tail.len && (s->tail.data[at] & 0xc0) == 0x80)
		at++;
	return at;
}

static void take_tail(struct stream *s, const char *whole, struct buffer *out)
{
	size_t start = tail_start(s);

	if (start)
		leave_out(s, start);
	if (!s->left_out_bytes) {
		buffer_append(&s->ready, s->tail.data, s->tail.len);
		utf8_clean(s->ready.data, s->ready.len, true, out);
		return;
	}
	utf8_clean(s->ready.data, s->ready.len, true, out);
	if (out->len ? out->data[out->len - 1] != '\n' : !s->ends_line)
		buffer_putc(out, '\n');
	buffer_printf(out, "[... %" PRIu64 " bytes, %" PRIu64 " lines left out here; ",
		      s->left_out_bytes, s->left_out_lines);
	utf8_clean(whole, strlen(whole), true, out);
	buffer_printf(out, "%s`%%limit output SIZE` shows more ...]\n", *whole ? "; " : "");
	utf8_clean(s->tail.data, s->tail.len, true, out);
}

static void take_ready(struct stream *s, bool last, struct buffer *out)
{
	buffer_consume(&s->ready, utf8_clean(buffer_text(&s->ready), s->ready.len, last, out));
}

void stream_take(struct stream *s, struct buffer *out)
{
	size_t before = out->len;

	take_ready(s, false, out);
	if (out->len > before)
		s->ends_line = out->data[out->len - 1] == '\n';
}

bool stream_is_cut(const struct stream *s)
{
	return s->left_out_bytes || (s->tail.len && tail_start(s));
}

void stream_end(struct stream *s, const char *whole, struct buffer *out)
{
	bool lost = s->ready.failed || s->tail.failed;

	/* A character that the end of the head cuts has its rest in the tail. */
	if (s->tail.len)
		take_tail(s, whole, out);
	else
		take_ready(s, true, out);
	if (lost)
		buffer_puts(out, "\n[some output is lost: the kernel process is out of memory]\n");
	buffer_clear(&s->ready);
	buffer_clear(&s->tail);
}
