/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Growable bytes. `data` is always NUL-terminated one past `len`, so a text buffer can be printed
 * as it is. Growth failure is remembered in `failed` and every later append is dropped: check once
 * at the end with buffer_check().
 */
#ifndef CGPU_COMMON_BASE_BUFFER_H
#define CGPU_COMMON_BASE_BUFFER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

struct buffer {
	char *data; /* NULL while nothing was appended; owned */
	size_t len;
	size_t cap;
	bool failed;
};

#define BUFFER_INIT { NULL, 0, 0, false }

void buffer_init(struct buffer *b);
void buffer_release(struct buffer *b);
/* Drops the content and keeps the memory. */
void buffer_clear(struct buffer *b);

void buffer_append(struct buffer *b, const void *data, size_t len);
void buffer_puts(struct buffer *b, const char *text);
void buffer_putc(struct buffer *b, char c);
void buffer_printf(struct buffer *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buffer_vprintf(struct buffer *b, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/* Appends a number with separators, as "4,194,300". */
void buffer_put_grouped(struct buffer *b, uint64_t n);
/* Extends the content by len bytes and returns them; NULL when memory is out. */
void *buffer_extend(struct buffer *b, size_t len);
/* Drops the first n bytes. */
void buffer_consume(struct buffer *b, size_t n);

/* Returns -1 with ERROR_MEMORY if any append failed. */
int buffer_check(const struct buffer *b, struct error *err);

/* Returns the content as a malloc-ed string that the caller owns ("" if empty); b is empty
 * afterwards. NULL: out of memory. */
char *buffer_steal(struct buffer *b);

static inline const char *buffer_text(const struct buffer *b)
{
	return b->data ? b->data : "";
}

static inline void buffer_cleanup_at(struct buffer *b)
{
	buffer_release(b);
}

#define cleanup_buffer __attribute__((cleanup(buffer_cleanup_at)))

#endif
