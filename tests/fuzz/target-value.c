/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value_format(): a type code and bytes of a worker. Input: [u8 length of the code] code, bytes of
 * the object; memory behind pointers is the input itself, at any even address.
 */
#include <string.h>

#include "common/base/buffer.h"
#include "common/code/type-code.h"
#include "kernel/views/presenter-value.h"
#include "kernel/views/value-format.h"
#include "tests/fuzz/fuzz.h"

struct input {
	const uint8_t *data;
	size_t size;
};

static int read_memory(void *data, uint64_t address, void *out, size_t len)
{
	const struct input *in = data;

	if (address % 2 || !in->size)
		return -1;
	for (size_t i = 0; i < len; i++)
		((uint8_t *)out)[i] = in->data[(address + i) % in->size];
	return 0;
}

static void put_owner(void *data, uint64_t address, struct buffer *out)
{
	(void)data;
	if (address % 4 == 0)
		buffer_puts(out, "somebody's");
}

static bool one(const uint8_t *data, size_t size)
{
	cleanup_buffer struct buffer code = BUFFER_INIT, out = BUFFER_INIT;
	struct input in = { data, size };
	size_t len = size && data[0] < size ? data[0] : 0;
	const struct value_reader reader = { read_memory, put_owner, &in };
	struct presenter_value v = { .type = "struct node *", .max = 2000 };
	const char *end;

	buffer_append(&code, data + (len > 0), len);
	v.code = buffer_text(&code);
	v.bytes = data + (len > 0) + len;
	v.len = size - (len > 0) - len;
	value_format(&v, &reader, &out);
	v.max = 0;
	v.target = v.bytes;
	v.target_len = v.len;
	buffer_clear(&out);
	value_format(&v, NULL, &out);
	end = type_code_skip(v.code);
	return !strcmp(v.code, "t") || (end && !*end && type_code_size(v.code) <= v.len);
}

static bool seed(unsigned i, struct buffer *to)
{
	static const char *const codes[] = { "i4",
					     "u16",
					     "f16",
					     "z16",
					     "c",
					     "U4",
					     "e4{RED=0,BLUE=2}",
					     "pc",
					     "ppi4",
					     "a10i4",
					     "a3a2f8",
					     "x4f4",
					     "?16",
					     "t",
					     "s16(point){x@0:i4,y@8:f8}",
					     "s16(node){next@0:ps16(node),name@8:pc}",
					     "n8(word){i@0:i8,f@0:f8,c@0:a8c}",
					     "s4(flags){a@0:m0:3:u4,b@0:m3:5:i4}" };
	char bytes[64];

	if (i >= sizeof(codes) / sizeof(codes[0]))
		return false;
	for (size_t k = 0; k < sizeof(bytes); k++)
		bytes[k] = (char)(k * 37);
	buffer_putc(to, (char)strlen(codes[i]));
	buffer_puts(to, codes[i]);
	buffer_append(to, bytes, sizeof(bytes));
	return true;
}

const struct fuzz_target fuzz_value = { one, seed, 60000 };
