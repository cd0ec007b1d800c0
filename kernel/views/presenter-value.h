/* SPDX-License-Identifier: Apache-2.0 */
/* A value that cgpu-presenter writes as text: the bytes of it and its type code, as the worker or
 * the session has them. */
#ifndef CGPU_KERNEL_VIEWS_PRESENTER_VALUE_H
#define CGPU_KERNEL_VIEWS_PRESENTER_VALUE_H

#include <stddef.h>
#include <stdint.h>

struct buffer;
struct record;

/* What is written behind a pointer. */
enum presenter_pointers {
	PRESENTER_POINTERS_BARE,    /* nothing */
	PRESENTER_POINTERS_TARGETS, /* the value that it points to */
	PRESENTER_POINTERS_OWNERS,  /* that, and what it belongs to */
};

struct presenter_value {
	const char *type; /* C text of the type */
	const char *code; /* common/code/type-code.h */
	const void *bytes;
	size_t len;
	/* The characters that a displayed pointer points to, without the terminating zero. */
	const void *target;
	size_t target_len; /* bytes; 0: not known */
	uint64_t max;      /* approximate maximum of characters; 0: no limit */
	enum presenter_pointers pointers;
};

void presenter_value_put(const struct presenter_value *v, struct buffer *out);
/* Reads a value, which borrows from the record. */
struct presenter_value presenter_value_take(struct record *r);

#endif
