/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats the bytes of a value, with its type code (common/code/type-code.h), in the syntax of C:
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

/* Access to what pointers point to. All members may be NULL. */
struct value_reader {
	/* Reads session memory; 0, or -1 when there is none at the address. */
	int (*read)(void *data, uint64_t address, void *out, size_t len);
	/* Appends the owner of the address, as "120 bytes on the heap, In[3]", or nothing. */
	void (*owner)(void *data, uint64_t address, struct buffer *out);
	void *data;
};

struct value_text {
	const char *type; /* C text of the type, for pointers */
	const char *code;
	const void *bytes;
	size_t len;
	/* The characters that a displayed pointer points to, without the terminating zero. */
	const void *target;
	size_t target_len; /* bytes; 0: not known */
	struct value_reader reader;
	size_t max; /* approximate maximum of characters; 0: no limit */
};

/* Formats the value. A malformed code or too few bytes give "<N bytes of TYPE>". */
void value_format(const struct value_text *v, struct buffer *out);

/* Returns the readable name of a variable or function. A mangled name is demangled into ret, cut to
 * its size. */
#define VALUE_FORMAT_NAME_SIZE 200
const char *value_format_name(const char *name, bool is_function, char ret[VALUE_FORMAT_NAME_SIZE]);

#endif
