/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What variables are made of: each struct has its members, an array its elements, or ranges of a
 * hundred of them and more when they are many, a pointer what it points to. Values are written as
 * value_format() does. Codes and memory may be arbitrary; a list is bounded whatever they are.
 */
#ifndef CGPU_KERNEL_VIEWS_VALUE_PARTS_H
#define CGPU_KERNEL_VIEWS_VALUE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/views/presenter-part.h"

struct buffer;

/* The most elements that are listed one by one when no range is given. */
#define VALUE_PARTS_RANGE 100

/* Access to the session. */
struct parts_reader {
	/* Reads memory; 0, or -1 when there is none at the address. */
	int (*read)(void *data, uint64_t address, void *out, size_t len);
	/* As that of struct value_reader. */
	uint64_t (*block)(void *data, uint64_t address, struct buffer *words);
	/* Appends the code with all members of a struct whose code, of `len` bytes, has none. False
	 * when the cell does not know it. */
	bool (*layout)(void *data, uint32_t cell, const char *code, size_t len, struct buffer *out);
	/* Appends the code of a variable of the cell, by its name: that of a class of C++ has
	 * nothing but its size. False when the cell does not know it. */
	bool (*variable)(void *data, uint32_t cell, const char *name, struct buffer *out);
	void *data;
};

/* Appends the part with its value, and with whether it has parts (presenter_part_put()). The code
 * may be left out, for who has it. */
void value_parts_tell(const struct presenter_part *p, bool with_code,
		      const struct parts_reader *reader, struct buffer *out);
/* Appends the list of its parts (presenter_parts_take()). The name is that of a variable, or "". */
void value_parts_list(const struct presenter_part *p, const struct presenter_range *which,
		      const struct parts_reader *reader, struct buffer *out);

/* The numbers of an array, those of its rows one after another. */
struct parts_numbers {
	char code[8]; /* of one */
	size_t size;  /* of one, in bytes */
	uint64_t n;
	struct presenter_part of; /* what they are in; its code says nothing */
};

/* Finds the numbers that the part has, or points to. False: it has none. */
bool value_parts_numbers(const struct presenter_part *p, const struct parts_reader *reader,
			 struct parts_numbers *ret);
/* Reads number i; false when it is not there, or not finite. */
bool value_parts_number(const struct parts_numbers *numbers, const struct parts_reader *reader,
			uint64_t i, double *ret);

#endif
