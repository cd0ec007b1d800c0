/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The input of targets that show an object of a type code: [u8 length of the code] code, bytes of
 * the object. Memory behind pointers is the input itself, at any even address.
 */
#ifndef CGPU_TESTS_FUZZ_VALUE_INPUT_H
#define CGPU_TESTS_FUZZ_VALUE_INPUT_H

#include <stddef.h>
#include <stdint.h>

struct buffer;

struct value_input {
	const uint8_t *data;
	size_t size;
	const uint8_t *bytes; /* of the object */
	size_t len;
};

/* Codes of records and containers, for seeds. */
#define VALUE_INPUT_OBJECTS                                                                        \
	"s16(point){x@0:i4,y@8:f8}", "s16(node){next@0:ps16(node),name@8:pc}",                     \
		"n8(word){i@0:i8,f@0:f8,c@0:a8c}", "s4(flags){a@0:m0:3:u4,b@0:m3:5:i4}",           \
		"k24V(vector)i4", "k32S(basic_string)c",                                           \
		"k48T(map)s8(pair){first@0:i4,second@4:i4}", "k56H(unordered_set)i8",              \
		"k24L(list)k8F(forward_list)i4", "k16O(optional)i8"

/* Splits an input; the code is appended. */
struct value_input value_input_open(const uint8_t *data, size_t size, struct buffer *code);
/* Reads memory, as a reader of values does; data is the input. */
int value_input_read(void *data, uint64_t address, void *out, size_t len);
/* Appends an input with this code; each byte of the object is so much more than the one before. */
void value_input_seed(const char *code, unsigned step, struct buffer *to);

#endif
