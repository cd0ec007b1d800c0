/* SPDX-License-Identifier: Apache-2.0 */
/* Doubling growth; one spare byte is always kept for the terminating NUL. */
#include "common/base/buffer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"

void buffer_init(struct buffer *b)
{
	*b = (struct buffer)BUFFER_INIT;
}

void buffer_release(struct buffer *b)
{
	free(b->data);
	buffer_init(b);
}

void buffer_clear(struct buffer *b)
{
	b->len = 0;
	b->failed = false;
	if (b->data)
		b->data[0] = '\0';
}

static int grow(struct buffer *b, size_t more)
{
	size_t need, cap;
	char *data;

	if (b->failed)
		return -1;
	if (__builtin_add_overflow(b->len, more, &need) || __builtin_add_overflow(need, 1, &need)) {
		b->failed = true;
		return -1;
	}
	if (need <= b->cap)
		return 0;
	cap = b->cap * 2 > need ? b->cap * 2 : need + 32;
	data = realloc(b->data, cap);
	if (!data) {
		b->failed = true;
		return -1;
	}
	b->data = data;
	b->cap = cap;
	return 0;
}

void *buffer_extend(struct buffer *b, size_t len)
{
	char *at;

	if (grow(b, len))
		return NULL;
	at = b->data + b->len;
	b->len += len;
	b->data[b->len] = '\0';
	return at;
}

void buffer_append(struct buffer *b, const void *data, size_t len)
{
	void *at = buffer_extend(b, len);

	if (at && len)
		memcpy(at, data, len);
}

void buffer_puts(struct buffer *b, const char *text)
{
	buffer_append(b, text, strlen(text));
}

void buffer_putc(struct buffer *b, char c)
{
	buffer_append(b, &c, 1);
}

void buffer_vprintf(struct buffer *b, const char *fmt, va_list ap)
{
	va_list copy;
	int len;

	va_copy(copy, ap);
	len = vsnprintf(NULL, 0, fmt, copy);
	va_end(copy);
	if (len < 0) {
		b->failed = true;
		return;
	}
	if (grow(b, (size_t)len))
		return;
	vsnprintf(b->data + b->len, (size_t)len + 1, fmt, ap);
	b->len += (size_t)len;
}

void buffer_printf(struct buffer *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buffer_vprintf(b, fmt, ap);
	va_end(ap);
}

void buffer_put_grouped(struct buffer *b, uint64_t n)
{
	if (n < 1000) {
		buffer_printf(b, "%" PRIu64, n);
		return;
	}
	buffer_put_grouped(b, n / 1000);
	buffer_printf(b, ",%03" PRIu64, n % 1000);
}

void buffer_consume(struct buffer *b, size_t n)
{
	if (n >= b->len) {
		b->len = 0;
	} else {
		memmove(b->data, b->data + n, b->len - n);
		b->len -= n;
	}
	if (b->data)
		b->data[b->len] = '\0';
}

int buffer_check(const struct buffer *b, struct error *err)
{
	if (b->failed)
		return error_set(err, ERROR_MEMORY, "out of memory after %zu bytes", b->len);
	return 0;
}

char *buffer_steal(struct buffer *b)
{
	char *data;

	if (b->failed || grow(b, 0))
		return NULL;
	data = b->data;
	data[b->len] = '\0';
	buffer_init(b);
	return data;
}
