/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats the bytes of a value, with its type code (common/code/type-code.h), in the syntax of C:
 *
 *	42   3.5   'a' (97)   "text"   L"text"   RED (2)
 *	{1, 2, 3, ... 1000 items}   {.x = 1, .y = 2.0}   (int *) 0x10 -> 7
 *	(float *) 0x20 -> {1.0, 2.0} [8 bytes on the heap, In[3]]
 */
#ifndef CGPU_KERNEL_VIEWS_VALUE_FORMAT_H
#define CGPU_KERNEL_VIEWS_VALUE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct presenter_value;

#define VALUE_FREED UINT64_MAX

/* Access to what pointers point to. All members may be NULL. */
struct value_reader {
	/* Reads session memory; 0, or -1 when there is none at the address. */
	int (*read)(void *data, uint64_t address, void *out, size_t len);
	/* Returns how many bytes of a live block begin at the address; 0: that is not known,
	 * VALUE_FREED: the block was freed. Appends what the address belongs to, as "120 bytes on
	 * the heap, In[3]", or nothing. */
	uint64_t (*block)(void *data, uint64_t address, struct buffer *words);
	void *data;
};

/* Formats the value; what is written behind a pointer is as `reader` has it. reader: NULL for one
 * that has nothing. A malformed code or too few bytes give "<N bytes of TYPE>". */
void value_format(const struct presenter_value *v, const struct value_reader *reader,
		  struct buffer *out);

#endif
