/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables and what they are made of, as cgpu-presenter tells them: members, elements, ranges of
 * elements, what a pointer points to. The kernel process hands a part back to have its own parts
 * listed, and reads nothing of it but numbers and texts.
 */
#ifndef CGPU_KERNEL_VIEWS_PRESENTER_PART_H
#define CGPU_KERNEL_VIEWS_PRESENTER_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct error;
struct record;

/* The largest number of parts in one list. */
#define PRESENTER_PARTS_MAX 1000

struct presenter_part {
	const char *name; /* "x", "[3]", "[100..199]" */
	const char *type; /* C text of the type */
	const char *code; /* common/code/type-code.h; "": nothing is known of what it is made of */
	uint32_t cell;    /* whose debugging information knows its structures */
	uint64_t address;
	/* Of an array, the elements that the part stands for; count 0: all of them. */
	uint64_t first, count;
	/* What lies at the address is not session memory; the content from there on, as far as it
	 * is known. */
	bool is_elsewhere;
	const void *bytes;
	size_t len;
	/* What the presenter adds: the value in a line, whether the part has parts, and how many
	 * elements and members, where that is known. */
	const char *text;
	bool has_parts;
	uint64_t indexed, named;
};

/* Which parts are listed. */
struct presenter_range {
	uint64_t start, count; /* count 0: to the end */
	bool is_given;         /* otherwise many elements are listed as ranges of them */
};

struct presenter_parts {
	struct presenter_part *at; /* the texts are borrowed from what was decoded */
	size_t n;
	uint64_t more; /* how many are not listed */
};

void presenter_part_put(const struct presenter_part *p, struct buffer *out);
void presenter_range_put(const struct presenter_range *w, struct buffer *out);
/* Read what these have written; the texts are borrowed. */
struct presenter_part presenter_part_take(struct record *r);
struct presenter_range presenter_range_take(struct record *r);

/* Appends the end of a list: how many parts there are beyond it. */
void presenter_parts_end(uint64_t more, struct buffer *out);
/* Decodes a list: parts behind their number, and the end. Release ret, also on error.
 * ERROR_PROTOCOL: it is malformed. */
int presenter_parts_take(const void *bytes, size_t len, struct presenter_parts *ret,
			 struct error *err);
void presenter_parts_release(struct presenter_parts *p);

/* What has become of an expression: a value, which may have parts. */
struct presenter_result {
	const char *failure; /* why there is no value; "": there is */
	bool is_true;
	/* The program for other calls of the function (common/code/bound-expression.h); len 0:
	 * there is none. */
	const void *bound;
	size_t bound_len;
	struct presenter_part value;
};

/* Appends all but the value, whose part follows; behind a failure it is one of nothing. */
void presenter_result_begin(const struct presenter_result *x, struct buffer *out);
/* Decodes it; the texts are borrowed from the bytes. ERROR_PROTOCOL: it is malformed. */
int presenter_result_take(const void *bytes, size_t len, struct presenter_result *ret,
			  struct error *err);

#endif
