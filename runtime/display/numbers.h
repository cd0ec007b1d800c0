/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An array that a cell has handed over: on the host or on the device, of any type of numbers or of
 * strings. It is read in parts, as doubles, so that one of a gigabyte needs no copy of a gigabyte.
 */
#ifndef CGPU_RUNTIME_DISPLAY_NUMBERS_H
#define CGPU_RUNTIME_DISPLAY_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cell-display.h"

struct buffer;
struct error;

struct numbers {
	const char *name; /* of the argument */
	unsigned
		kind; /* CGPU_FLOATING ...; 0: there is no array, and the numbers are 0, 1, 2 ... */
	unsigned size; /* of an element */
	bool on_device;
	uint64_t address;
	size_t n, at; /* elements; the next one */
	char *bytes;  /* of a part; owned */
	double *part; /* owned */
	size_t part_at, part_n;
};

/*
 * Fails when the array cannot have n elements: its block or buffer is shorter or freed, or the type
 * is not known. The array may be missing if `optional`. numbers_release() after either outcome.
 */
int numbers_open(struct numbers *a, const char *name, struct cgpu_data data, size_t n,
		 bool optional, struct error *err);
void numbers_release(struct numbers *a);

#define cleanup_numbers __attribute__((cleanup(numbers_release)))

static inline bool numbers_are_text(const struct numbers *a)
{
	return a->kind == CGPU_STRING;
}

static inline bool numbers_are_floating(const struct numbers *a)
{
	return a->kind == CGPU_FLOATING || a->kind == CGPU_BFLOAT16;
}

/* Does a double of these say more than they do? */
static inline bool numbers_are_narrow(const struct numbers *a)
{
	return numbers_are_floating(a) && a->size <= sizeof(float);
}

/* The next number; the caller knows how many there are. */
int numbers_next(struct numbers *a, double *ret, struct error *err);
/* The next string, appended with its zero. */
int numbers_next_text(struct numbers *a, struct buffer *out, struct error *err);

#endif
