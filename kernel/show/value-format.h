/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a value and its type code (common/code/type-code.h) to text as a C programmer writes
 * it:
 *
 *	42   3.5   'a' (97)   "text"   L"text"   RED (2)
 *	{1, 2, 3, ... 1000 items}   {.x = 1, .y = 2.0}   (int *) 0x10 -> 7
 */
#ifndef CGPU_KERNEL_SHOW_VALUE_FORMAT_H
#define CGPU_KERNEL_SHOW_VALUE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;

/* Where pointers lead. All may be NULL. */
struct value_reader {
	/* Session memory; 0, or -1 when there is none at the address. */
	int (*read)(void *data, uint64_t address, void *out, size_t len);
	/* Appends whom the address belongs to: "120 bytes on the heap, In[3]", or nothing. */
	void (*owner)(void *data, uint64_t address, struct buffer *out);
	void *data;
};

struct value_text {
	const char *type; /* C text of the type, for pointers */
	const char *code;
	const void *bytes;
	size_t len;
	const void *target; /* characters that a displayed pointer to some leads to, without the
			       zero at the end */
	size_t target_len;  /* bytes; 0: not known */
	struct value_reader reader;
	size_t max; /* characters, about; 0: no short form is asked for */
};

/* A malformed code or too few bytes give "<N bytes of TYPE>". */
void value_format(const struct value_text *v, struct buffer *out);

/* The name of a variable, or of a function as people write it: its own may be mangled. That is put
 * into ret, cut to size. */
#define VALUE_FORMAT_NAME_SIZE 200
const char *value_format_name(const char *name, bool is_function, char ret[VALUE_FORMAT_NAME_SIZE]);

#endif
