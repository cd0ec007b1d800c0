/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one error shape. A function that can fail takes `struct error *err` last and returns 0 or -1
 * (or NULL):
 *
 *	if (arena_map(a, fd, err))
 *		return error_wrap(err, "cannot attach worker %d", id);
 *
 * The error is a value with a fixed buffer, so out of memory and crash paths can report too. It is
 * untouched on success. error_wrap() puts context in front on the way up: "cannot attach worker 3:
 * mmap: Cannot allocate memory". NULL may be passed by a caller that only needs to know that it
 * failed.
 */
#ifndef CGPU_COMMON_BASE_ERROR_H
#define CGPU_COMMON_BASE_ERROR_H

enum error_code {
	ERROR_NONE,
#define ERROR(symbol, name) ERROR_##symbol,
#include "common/base/errors.def"
#undef ERROR
};

#define ERROR_TEXT_MAX 1024

struct error {
	enum error_code code;
	char text[ERROR_TEXT_MAX];
};

#define ERROR_INIT { ERROR_NONE, "" }

/* Fills err and returns -1, so that `return error_set(...)` is one line. */
int error_set(struct error *err, enum error_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Does the same with ": " and strerror(errno) appended; the code is ERROR_SYSTEM. */
int error_errno(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Puts "context: " in front of the text and keeps the code; returns -1. */
int error_wrap(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Returns the code's name for logs: "system", "memory", ... */
const char *error_code_name(enum error_code code);

#endif
