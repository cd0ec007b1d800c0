/* SPDX-License-Identifier: Apache-2.0 */
/* common/code/expression: each operation, and programs that are none. What clang makes of
 * expressions is tested by tests/protocol/test_expressions.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "common/code/bound-expression.h"
#include "common/code/expression.h"

#define NOWHERE 0xdead0000u

static const struct {
	int8_t i1;
	uint16_t u2;
	float f4;
	int32_t i4;
	uint64_t pointer;
} object = { -5, 65535, 1.5f, -7, 0 };

static bool find_local(void *data, uint32_t index, uint64_t *ret)
{
	(void)data;
	*ret = (uint64_t)(uintptr_t)&object;
	return index == 0;
}

static bool find_variable(void *data, uint32_t index, uint64_t *ret)
{
	(void)data;
	(void)index;
	*ret = NOWHERE;
	return true;
}

static bool read_at(void *data, uint64_t address, void *ret, size_t len)
{
	uint64_t begin = (uint64_t)(uintptr_t)&object;

	(void)data;
	if (address < begin || address + len > begin + sizeof(object))
		return false;
	memcpy(ret, (const char *)&object + (address - begin), len);
	return true;
}

static const struct expression_host host = { find_local, find_variable, read_at, NULL };

/* ---- programs ---- */

static void word(struct buffer *code, uint64_t value)
{
	record_put_u8(code, EXPRESSION_CONST);
	record_put_u64(code, value);
}

static void number(struct buffer *code, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	word(code, bits);
}

static void with_index(struct buffer *code, enum expression_operation op, uint32_t index)
{
	record_put_u8(code, (uint8_t)op);
	record_put_u32(code, index);
}

static void with_kind(struct buffer *code, enum expression_operation op, enum expression_kind kind)
{
	record_put_u8(code, (uint8_t)op);
	record_put_u8(code, (uint8_t)kind);
}

static void encode(const struct buffer *code, enum expression_kind kind, struct buffer *to)
{
	record_put_str(to, "T");
	record_put_str(to, "i8");
	record_put_u8(to, (uint8_t)kind);
	record_put_u32(to, 2);
	record_put_str(to, "here");
	record_put_u32(to, 3);
	record_put_str(to, "gone");
	record_put_u32(to, 0);
	record_put_u32(to, 1);
	record_put_str(to, "nowhere");
	record_put_bytes(to, code->data, code->len);
}

static int run(const struct buffer *code, enum expression_kind kind, struct expression_value *ret,
	       struct error *err)
{
	cleanup_buffer struct buffer bytes = BUFFER_INIT;
	struct expression e;

	encode(code, kind, &bytes);
	assert_int_equal(expression_open(bytes.data, bytes.len, &e, err), 0);
	assert_string_equal(e.locals[0].name, "here");
	assert_int_equal(e.locals[0].line, 3);
	return expression_run(&e, &host, ret, err);
}

static uint64_t result(const struct buffer *code, enum expression_kind kind)
{
	struct error err = ERROR_INIT;
	struct expression_value v;

	if (run(code, kind, &v, &err))
		fail_msg("%s", err.text);
	return v.word;
}

static void assert_refused(const struct buffer *code, enum expression_kind kind,
			   enum error_code error, const char *text)
{
	struct error err = ERROR_INIT;
	struct expression_value v;

	assert_int_equal(run(code, kind, &v, &err), -1);
	assert_int_equal(err.code, error);
	assert_non_null(strstr(err.text, text));
}

/* ---- tests ---- */

static void operations_of_integers(void **state)
{
	static const struct {
		enum expression_operation op;
		uint64_t a, b, result;
	} rows[] = {
		{ EXPRESSION_ADD, 5, (uint64_t)-7, (uint64_t)-2 },
		{ EXPRESSION_SUB, 5, 7, (uint64_t)-2 },
		{ EXPRESSION_MUL, (uint64_t)-3, 7, (uint64_t)-21 },
		{ EXPRESSION_DIV_S, (uint64_t)-7, 2, (uint64_t)-3 },
		{ EXPRESSION_DIV_S, (uint64_t)INT64_MIN, (uint64_t)-1, (uint64_t)INT64_MIN },
		{ EXPRESSION_DIV_U, (uint64_t)-7, 2, 0x7ffffffffffffffcu },
		{ EXPRESSION_REM_S, (uint64_t)-7, 2, (uint64_t)-1 },
		{ EXPRESSION_REM_S, (uint64_t)INT64_MIN, (uint64_t)-1, 0 },
		{ EXPRESSION_REM_U, (uint64_t)-7, 2, 1 },
		{ EXPRESSION_AND, 12, 10, 8 },
		{ EXPRESSION_OR, 12, 10, 14 },
		{ EXPRESSION_XOR, 12, 10, 6 },
		{ EXPRESSION_SHL, 3, 4, 48 },
		{ EXPRESSION_SHR_S, (uint64_t)-16, 2, (uint64_t)-4 },
		{ EXPRESSION_SHR_U, (uint64_t)-16, 60, 15 },
		{ EXPRESSION_EQ, 4, 4, 1 },
		{ EXPRESSION_EQ, 4, 5, 0 },
		{ EXPRESSION_LT_S, (uint64_t)-1, 0, 1 },
		{ EXPRESSION_LT_U, (uint64_t)-1, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cleanup_buffer struct buffer code = BUFFER_INIT;

		word(&code, rows[i].a);
		word(&code, rows[i].b);
		record_put_u8(&code, (uint8_t)rows[i].op);
		assert_int_equal(result(&code, EXPRESSION_I8), rows[i].result);
	}
}

static void operations_of_floats(void **state)
{
	static const struct {
		enum expression_operation op;
		double a, b, result; /* of comparisons: 0 or 1 */
		bool is_comparison;
	} rows[] = {
		{ EXPRESSION_F_ADD, 1.5, 2, 3.5, false }, { EXPRESSION_F_SUB, 1.5, 2, -0.5, false },
		{ EXPRESSION_F_MUL, 1.5, 2, 3, false },   { EXPRESSION_F_DIV, 1.5, 2, 0.75, false },
		{ EXPRESSION_F_EQ, 2, 2, 1, true },       { EXPRESSION_F_LT, 2, 2, 0, true },
		{ EXPRESSION_F_LE, 2, 2, 1, true },       { EXPRESSION_F_LE, 3, 2, 0, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cleanup_buffer struct buffer code = BUFFER_INIT;
		uint64_t bits;
		double got;

		number(&code, rows[i].a);
		number(&code, rows[i].b);
		record_put_u8(&code, (uint8_t)rows[i].op);
		bits = result(&code, rows[i].is_comparison ? EXPRESSION_BOOL : EXPRESSION_F8);
		memcpy(&got, &bits, sizeof(got));
		if (rows[i].is_comparison)
			got = (double)bits;
		assert_true(got == rows[i].result);
	}
}

static void conversions(void **state)
{
	static const struct {
		enum expression_operation op;
		enum expression_kind kind; /* of FIT */
		bool from_float;
		double from;
		uint64_t to;
	} rows[] = {
		{ EXPRESSION_FIT, EXPRESSION_I1, false, 200, (uint64_t)-56 },
		{ EXPRESSION_FIT, EXPRESSION_U1, false, 300, 44 },
		{ EXPRESSION_FIT, EXPRESSION_BOOL, false, 300, 1 },
		{ EXPRESSION_FIT, EXPRESSION_I8, false, 300, 300 },
		{ EXPRESSION_NEG, 0, false, 3, (uint64_t)-3 },
		{ EXPRESSION_NOT, 0, false, 3, (uint64_t)-4 },
		{ EXPRESSION_IS_ZERO, 0, false, 3, 0 },
		{ EXPRESSION_F_TO_S, 0, true, -2.9, (uint64_t)-2 },
		{ EXPRESSION_F_TO_S, 0, true, 1e30, INT64_MAX },
		{ EXPRESSION_F_TO_S, 0, true, -1e30, (uint64_t)INT64_MIN },
		{ EXPRESSION_F_TO_S, 0, true, 0.0 / 0.0, 0 },
		{ EXPRESSION_F_TO_U, 0, true, 1.8e19, 18000000000000000000u },
		{ EXPRESSION_F_TO_U, 0, true, -5, 0 },
		{ EXPRESSION_F_TO_U, 0, true, 1e30, UINT64_MAX },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cleanup_buffer struct buffer code = BUFFER_INIT;

		if (rows[i].from_float)
			number(&code, rows[i].from);
		else
			word(&code, (uint64_t)rows[i].from);
		record_put_u8(&code, (uint8_t)rows[i].op);
		if (rows[i].op == EXPRESSION_FIT)
			record_put_u8(&code, (uint8_t)rows[i].kind);
		assert_int_equal(result(&code, EXPRESSION_I8), rows[i].to);
	}
}

/* Values are read as their types lie in memory, and written so. */
static void memory(void **state)
{
	static const struct {
		size_t offset;
		enum expression_kind kind;
		int64_t value;
	} rows[] = {
		{ offsetof(__typeof__(object), i1), EXPRESSION_I1, -5 },
		{ offsetof(__typeof__(object), i1), EXPRESSION_U1, 251 },
		{ offsetof(__typeof__(object), u2), EXPRESSION_U2, 65535 },
		{ offsetof(__typeof__(object), u2), EXPRESSION_I2, -1 },
		{ offsetof(__typeof__(object), u2), EXPRESSION_BOOL, 1 },
		{ offsetof(__typeof__(object), i4), EXPRESSION_I4, -7 },
	};
	struct expression_value v;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cleanup_buffer struct buffer code = BUFFER_INIT;

		with_index(&code, EXPRESSION_LOCAL, 0);
		word(&code, rows[i].offset);
		record_put_u8(&code, EXPRESSION_ADD);
		with_kind(&code, EXPRESSION_LOAD, rows[i].kind);
		assert_int_equal((int64_t)result(&code, rows[i].kind), rows[i].value);
	}
	cleanup_buffer struct buffer code = BUFFER_INIT;

	with_index(&code, EXPRESSION_LOCAL, 0);
	word(&code, offsetof(__typeof__(object), f4));
	record_put_u8(&code, EXPRESSION_ADD);
	with_kind(&code, EXPRESSION_LOAD, EXPRESSION_F4);
	number(&code, 0.1);
	record_put_u8(&code, EXPRESSION_F_ADD);
	with_kind(&code, EXPRESSION_FIT, EXPRESSION_F4);
	assert_int_equal(run(&code, EXPRESSION_F4, &v, NULL), 0);
	assert_int_equal(v.size, sizeof(float));
	assert_memory_equal(v.bytes, &(float){ 1.5f + 0.1f }, sizeof(float));
}

static void places(void **state)
{
	cleanup_buffer struct buffer code = BUFFER_INIT, spilled = BUFFER_INIT, away = BUFFER_INIT;
	struct expression_value v;

	(void)state;
	with_index(&code, EXPRESSION_LOCAL, 0);
	assert_int_equal(run(&code, EXPRESSION_PLACE, &v, NULL), 0);
	assert_true(v.is_place && v.address == (uint64_t)(uintptr_t)&object);
	/* A temporary is a value when the machine is gone. */
	word(&spilled, 77);
	with_kind(&spilled, EXPRESSION_SPILL, EXPRESSION_I4);
	with_index(&spilled, EXPRESSION_KEEP, 5);
	with_index(&spilled, EXPRESSION_SLOT, 5);
	assert_int_equal(run(&spilled, EXPRESSION_PLACE, &v, NULL), 0);
	assert_true(!v.is_place && v.bytes[0] == 77);
	with_kind(&spilled, EXPRESSION_LOAD, EXPRESSION_I4);
	assert_int_equal(result(&spilled, EXPRESSION_I4), 77);
	with_index(&away, EXPRESSION_VARIABLE, 0);
	assert_refused(&away, EXPRESSION_PLACE, ERROR_INPUT, "there is no memory at 0xdead0000");
}

static void jumps(void **state)
{
	(void)state;
	for (uint64_t condition = 0; condition < 2; condition++) {
		cleanup_buffer struct buffer code = BUFFER_INIT;

		word(&code, condition);
		with_index(&code, EXPRESSION_JUMP_IF_ZERO, 9 + 5);
		word(&code, 10);
		with_index(&code, EXPRESSION_JUMP, 9);
		word(&code, 20);
		assert_int_equal(result(&code, EXPRESSION_I4), condition ? 10 : 20);
	}
}

static void truth(void **state)
{
	struct expression e = { .kind = EXPRESSION_F4 };
	struct expression_value v = { .word = 1ull << 63 };

	(void)state;
	assert_false(expression_is_true(&e, &v)); /* -0.0 */
	e.kind = EXPRESSION_I8;
	assert_true(expression_is_true(&e, &v));
	v = (struct expression_value){ .is_place = true, .word = 1 };
	assert_false(expression_is_true(&e, &v));
}

static void what_cannot_be_computed(void **state)
{
	static const struct {
		enum expression_operation op;
		uint64_t a, b;
		const char *text;
	} rows[] = {
		{ EXPRESSION_DIV_S, 1, 0, "division by zero" },
		{ EXPRESSION_REM_U, 1, 0, "division by zero" },
		{ EXPRESSION_SHL, 1, 64, "a shift by more bits" },
	};
	cleanup_buffer struct buffer null = BUFFER_INIT, gone = BUFFER_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cleanup_buffer struct buffer code = BUFFER_INIT;

		word(&code, rows[i].a);
		word(&code, rows[i].b);
		record_put_u8(&code, (uint8_t)rows[i].op);
		assert_refused(&code, EXPRESSION_I8, ERROR_INPUT, rows[i].text);
	}
	word(&null, 8);
	with_kind(&null, EXPRESSION_LOAD, EXPRESSION_I4);
	assert_refused(&null, EXPRESSION_I4, ERROR_INPUT, "a pointer that is null is followed");
	with_index(&gone, EXPRESSION_LOCAL, 1);
	assert_refused(&gone, EXPRESSION_PLACE, ERROR_INPUT,
		       "the value of `gone` is not available");
}

static void malformed_programs(void **state)
{
	static const struct {
		uint8_t bytes[6];
		size_t n;
	} rows[] = {
		{ { 0 }, 0 },
		{ { EXPRESSION_OPERATIONS }, 1 },
		{ { EXPRESSION_ADD }, 1 },
		{ { EXPRESSION_CONST, 1, 2 }, 3 },
		{ { EXPRESSION_LOCAL, 2, 0, 0, 0 }, 5 },
		{ { EXPRESSION_VARIABLE, 1, 0, 0, 0 }, 5 },
		{ { EXPRESSION_SLOT, EXPRESSION_SLOTS_MAX, 0, 0, 0 }, 5 },
		{ { EXPRESSION_JUMP, 1, 0, 0, 0 }, 5 },
		{ { EXPRESSION_FIT, EXPRESSION_KINDS }, 2 },
	};
	cleanup_buffer struct buffer deep = BUFFER_INIT, bytes = BUFFER_INIT;
	struct expression e;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cleanup_buffer struct buffer code = BUFFER_INIT;

		buffer_append(&code, rows[i].bytes, rows[i].n);
		assert_refused(&code, EXPRESSION_I8, ERROR_PROTOCOL, "malformed");
	}
	for (unsigned i = 0; i < 100; i++)
		word(&deep, 1);
	assert_refused(&deep, EXPRESSION_I8, ERROR_LIMIT, "nested too deeply");
	encode(&deep, EXPRESSION_PLACE + 1, &bytes);
	assert_int_equal(expression_open(bytes.data, bytes.len, &e, NULL), -1);
	assert_int_equal(expression_open(bytes.data, bytes.len - 1, &e, NULL), -1);
}

/* A bound program finds its names by the frame pointer, at its own instruction only. */
static void bound_programs(void **state)
{
	cleanup_buffer struct buffer code = BUFFER_INIT, program = BUFFER_INIT, bound = BUFFER_INIT;
	struct bound_names names = {
		.address = 0x1234,
		.locals = { { BOUND_IN_FRAME, offsetof(__typeof__(object), i4) },
			    { BOUND_FIXED, 0 } },
		.variables = { { BOUND_FIXED, (uint64_t)(uintptr_t)&object } },
	};
	uint64_t frame = (uint64_t)(uintptr_t)&object;
	struct error err = ERROR_INIT;
	bool is_true = false;
	struct expression e;

	(void)state;
	with_index(&code, EXPRESSION_LOCAL, 0);
	with_kind(&code, EXPRESSION_LOAD, EXPRESSION_I4);
	with_index(&code, EXPRESSION_VARIABLE, 0);
	with_kind(&code, EXPRESSION_LOAD, EXPRESSION_I1);
	record_put_u8(&code, EXPRESSION_LT_S);
	encode(&code, EXPRESSION_BOOL, &program);
	assert_int_equal(expression_open(program.data, program.len, &e, NULL), 0);
	assert_true(bound_expression_put(&names, &e, program.data, program.len, &bound));
	assert_int_equal(bound_expression_is_true(bound.data, bound.len, 0x1234, frame, read_at,
						  &is_true, NULL),
			 0);
	assert_true(is_true);
	assert_int_equal(bound_expression_is_true(bound.data, bound.len, 0x1235, frame, read_at,
						  &is_true, &err),
			 -1);
	assert_int_equal(err.code, ERROR_STATE);
	assert_int_equal(bound_expression_is_true(bound.data, bound.len, 0x1234, frame + 4096,
						  read_at, &is_true, &err),
			 -1);
	assert_int_equal(err.code, ERROR_INPUT);
	for (size_t len = 0; len < bound.len; len++)
		assert_int_equal(bound_expression_is_true(bound.data, len, 0x1234, frame, read_at,
							  &is_true, NULL),
				 -1);
	names.locals[1].place = BOUND_NOWHERE;
	buffer_clear(&bound);
	assert_false(bound_expression_put(&names, &e, program.data, program.len, &bound));
	assert_int_equal(bound.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations_of_integers),
		cmocka_unit_test(operations_of_floats),
		cmocka_unit_test(conversions),
		cmocka_unit_test(memory),
		cmocka_unit_test(places),
		cmocka_unit_test(jumps),
		cmocka_unit_test(truth),
		cmocka_unit_test(what_cannot_be_computed),
		cmocka_unit_test(malformed_programs),
		cmocka_unit_test(bound_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
