/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value_parts_list() and what it is read by: a type code of a cell, and memory. Input: [u8 length
 * of the code] code, bytes of the object; memory behind pointers is the input itself, at any even
 * address. Parts of parts are listed, too.
 */
#include <string.h>

#include "common/base/buffer.h"
#include "common/code/type-code.h"
#include "kernel/views/presenter-part.h"
#include "kernel/views/value-parts.h"
#include "kernel/views/value-picture.h"
#include "tests/fuzz/fuzz.h"

#define DEPTH_MAX 4
#define PARTS_LOOKED_INTO 4

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

static uint64_t block(void *data, uint64_t address, struct buffer *words)
{
	(void)data;
	buffer_puts(words, "somebody's");
	return address % 8 ? address % 4096 : PARTS_FREED;
}

static bool layout(void *data, uint32_t cell, const char *code, size_t len, struct buffer *out)
{
	const struct input *in = data;

	(void)cell;
	(void)code;
	(void)len;
	buffer_append(out, in->data, in->size);
	return true;
}

static void look_into(const struct presenter_part *p, const struct parts_reader *reader, int depth)
{
	const struct presenter_range which = { .start = depth, .is_given = depth % 2 };
	cleanup_buffer struct buffer list = BUFFER_INIT;
	struct presenter_parts parts;

	value_parts_list(p, &which, reader, &list);
	if (presenter_parts_take(list.data, list.len, &parts, NULL))
		__builtin_trap();
	for (size_t i = 0; depth < DEPTH_MAX && i < parts.n && i < PARTS_LOOKED_INTO; i++)
		if (parts.at[i].has_parts)
			look_into(&parts.at[i], reader, depth + 1);
	presenter_parts_release(&parts);
}

static bool one(const uint8_t *data, size_t size)
{
	cleanup_buffer struct buffer code = BUFFER_INIT, out = BUFFER_INIT;
	struct input in = { data, size };
	size_t len = size && data[0] < size ? data[0] : 0;
	const struct parts_reader reader = { read_memory, block, layout, NULL, &in };
	struct presenter_part p = { .name = "", .type = "T", .is_elsewhere = true };
	struct presenter_parts parts;
	const char *end;

	buffer_append(&code, data + (len > 0), len);
	p.code = buffer_text(&code);
	p.bytes = data + (len > 0) + len;
	p.len = size - (len > 0) - len;
	look_into(&p, &reader, 0);
	value_parts_tell(&p, &reader, &out);
	value_picture_table(&p, &reader, &out);
	value_picture_line(&p, &reader, &out);
	/* As the kernel process reads what a presenter sends. */
	presenter_parts_take(data, size, &parts, NULL);
	presenter_parts_release(&parts);
	end = type_code_skip(p.code);
	return end && !*end;
}

static bool seed(unsigned i, struct buffer *to)
{
	static const char *const codes[] = { "pi4",
					     "ps16(point)",
					     "a3a2f8",
					     "a2000i4",
					     "a500s0(){}",
					     "x4f4",
					     "?16",
					     "s16(point){x@0:i4,y@8:f8}",
					     "s16(node){next@0:ps16(node),name@8:pc}",
					     "n8(word){i@0:i8,f@0:f8,c@0:a8c}",
					     "s4(flags){a@0:m0:3:u4,b@0:m3:5:i4}" };
	char bytes[64];

	if (i >= sizeof(codes) / sizeof(codes[0]))
		return false;
	for (size_t k = 0; k < sizeof(bytes); k++)
		bytes[k] = (char)(k * 38);
	buffer_putc(to, (char)strlen(codes[i]));
	buffer_puts(to, codes[i]);
	buffer_append(to, bytes, sizeof(bytes));
	return true;
}

const struct fuzz_target fuzz_parts = { one, seed, 20000 };
