/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value_parts_list() and what it is read by: a type code of a cell, and memory. Input: [u8 length
 * of the code] code, bytes of the object; memory behind pointers is the input itself, at any even
 * address. Parts of parts are listed, too.
 */
#include "common/base/buffer.h"
#include "common/code/type-code.h"
#include "kernel/views/presenter-part.h"
#include "kernel/views/value-format.h"
#include "kernel/views/value-parts.h"
#include "kernel/views/value-picture.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/value-input.h"

#define DEPTH_MAX 4
#define PARTS_LOOKED_INTO 4

static uint64_t block(void *data, uint64_t address, struct buffer *words)
{
	(void)data;
	buffer_puts(words, "somebody's");
	return address % 8 ? address % 4096 : VALUE_FREED;
}

static bool layout(void *data, uint32_t cell, const char *code, size_t len, struct buffer *out)
{
	const struct value_input *in = data;

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
	struct value_input in = value_input_open(data, size, &code);
	const struct parts_reader reader = { value_input_read, block, layout, NULL, &in };
	struct presenter_part p = { .name = "", .type = "T", .is_elsewhere = true };
	struct presenter_parts parts;
	const char *end;

	p.code = buffer_text(&code);
	p.bytes = in.bytes;
	p.len = in.len;
	look_into(&p, &reader, 0);
	value_parts_tell(&p, false, &reader, &out);
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
	static const char *const codes[] = { "pi4",     "ps16(point)",       "a3a2f8",
					     "a2000i4", "a500s0(){}",        "x4f4",
					     "?16",     VALUE_INPUT_OBJECTS, "k80D(deque)i2" };

	if (i >= sizeof(codes) / sizeof(codes[0]))
		return false;
	value_input_seed(codes[i], 38, to);
	return true;
}

const struct fuzz_target fuzz_parts = { one, seed, 20000 };
