/* SPDX-License-Identifier: Apache-2.0 */
/* expression_open() and expression_run(): a program that the compiler has made of what a user
 * wrote. Input: the record; memory is the input itself, at any even address. */
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/record.h"
#include "common/code/expression.h"
#include "tests/fuzz/fuzz.h"

struct memory {
	const uint8_t *data;
	size_t size;
};

static bool find(void *data, uint32_t index, uint64_t *ret)
{
	(void)data;
	*ret = 8 * (uint64_t)index;
	return index != 3;
}

static bool read_at(void *data, uint64_t address, void *ret, size_t len)
{
	const struct memory *m = data;
	size_t at = m->size ? (size_t)(address % m->size) : 0;

	if (address % 2 || m->size - at < len)
		return false;
	memcpy(ret, m->data + at, len);
	return true;
}

static bool one(const uint8_t *data, size_t size)
{
	struct memory m = { data, size };
	const struct expression_host host = { find, find, read_at, &m };
	struct expression_value v;
	struct expression e;

	if (expression_open(data, size, &e, NULL))
		return false;
	if (!expression_run(&e, &host, &v, NULL)) {
		expression_is_true(&e, &v);
		if (v.size > sizeof(v.bytes))
			__builtin_trap();
	}
	return true;
}

/* Number i of all begins with the kind i, and has each operation once behind four words. */
static bool seed(unsigned i, struct buffer *to)
{
	static const char *const operands[] = {
#define OPERATION(name, operand) #operand,
#include "common/code/expression.def"
#undef OPERATION
	};
	cleanup_buffer struct buffer code = BUFFER_INIT;

	if (i > EXPRESSION_PLACE)
		return false;
	for (uint8_t op = 0; op < EXPRESSION_OPERATIONS; op++) {
		for (unsigned word = 0; word < 4; word++) {
			record_put_u8(&code, EXPRESSION_CONST);
			record_put_u64(&code, 2 * (uint64_t)word);
		}
		record_put_u8(&code, op);
		if (!strcmp(operands[op], "KIND"))
			record_put_u8(&code, (uint8_t)(op % EXPRESSION_KINDS));
		else if (!strcmp(operands[op], "INDEX"))
			record_put_u32(&code, 0);
		else if (!strcmp(operands[op], "WORD"))
			record_put_u64(&code, 4);
		for (unsigned word = 0; word < 2; word++)
			record_put_u8(&code, EXPRESSION_DROP);
	}
	record_put_str(to, "int");
	record_put_str(to, "i4");
	record_put_u8(to, (uint8_t)i);
	record_put_u32(to, 1);
	record_put_str(to, "local");
	record_put_u32(to, 7);
	record_put_u32(to, 1);
	record_put_str(to, "global");
	record_put_bytes(to, code.data, code.len);
	return true;
}

const struct fuzz_target fuzz_expression = { one, seed, 20000 };
