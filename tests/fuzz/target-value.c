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
#include "tests/fuzz/value-input.h"

static uint64_t find_block(void *data, uint64_t address, struct buffer *words)
{
	(void)data;
	if (address % 4 == 0)
		buffer_puts(words, "somebody's");
	return address % 8 == 6 ? VALUE_FREED : address % 4 == 0 ? address << 8 : 0;
}

static bool one(const uint8_t *data, size_t size)
{
	cleanup_buffer struct buffer code = BUFFER_INIT, out = BUFFER_INIT;
	struct value_input in = value_input_open(data, size, &code);
	const struct value_reader reader = { value_input_read, find_block, &in };
	struct presenter_value v = { .type = "struct node *",
				     .max = 2000,
				     .pointers = PRESENTER_POINTERS_OWNERS };
	const char *end;

	v.code = buffer_text(&code);
	v.bytes = in.bytes;
	v.len = in.len;
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
	static const char *const codes[] = {
		"i4",   "u16",   "f16",    "z16",  "c",   "U4", "e4{RED=0,BLUE=2}", "pc",
		"ppi4", "a10i4", "a3a2f8", "x4f4", "?16", "t",  VALUE_INPUT_OBJECTS
	};

	if (i >= sizeof(codes) / sizeof(codes[0]))
		return false;
	value_input_seed(codes[i], 37, to);
	return true;
}

const struct fuzz_target fuzz_value = { one, seed, 60000 };
