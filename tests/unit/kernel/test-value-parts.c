/* SPDX-License-Identifier: Apache-2.0 */
/* value_parts_...(): what a variable is made of, by its type code, in memory that the test makes
 * up. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/record.h"
#include "kernel/views/presenter-part.h"
#include "kernel/views/type-text.h"
#include "kernel/views/value-format.h"
#include "kernel/views/value-parts.h"

#define AT 0x200000000000ull /* where the memory is */

struct node {
	int value;
	struct node *next;
};

static char memory[1 << 16];
static uint64_t block_size; /* of the block at any address */
static const char *known_layout;

static int read_memory(void *data, uint64_t address, void *out, size_t len)
{
	(void)data;
	if (address < AT || address - AT > sizeof(memory) || len > sizeof(memory) - (address - AT))
		return -1;
	memcpy(out, memory + (address - AT), len);
	return 0;
}

static uint64_t block(void *data, uint64_t address, struct buffer *words)
{
	(void)data;
	(void)address;
	if (block_size)
		buffer_puts(words, "somebody's");
	return block_size;
}

static bool layout(void *data, uint32_t cell, const char *code, size_t len, struct buffer *out)
{
	(void)data;
	(void)code;
	(void)len;
	if (!known_layout || cell != 3)
		return false;
	buffer_puts(out, known_layout);
	return true;
}

static bool variable(void *data, uint32_t cell, const char *name, struct buffer *out)
{
	return !strcmp(name, "thing") && layout(data, cell, "", 0, out);
}

static const struct parts_reader reader = { read_memory, block, layout, variable, NULL };

/* The parts of one, in `parts`, whose texts are in `bytes`. */
static struct buffer bytes;
static struct presenter_parts parts;

static void list_of(const struct presenter_part *p, const struct presenter_range *which)
{
	presenter_parts_release(&parts);
	buffer_clear(&bytes);
	value_parts_list(p, which, &reader, &bytes);
	assert_int_equal(presenter_parts_take(bytes.data, bytes.len, &parts, NULL), 0);
}

static struct presenter_part part(const char *code)
{
	return (struct presenter_part){
		.name = "", .type = "T", .code = code, .address = AT, .cell = 3
	};
}

static void list(const char *code)
{
	const struct presenter_part p = part(code);

	list_of(&p, &(struct presenter_range){ 0 });
}

static void list_range(const char *code, uint64_t start, uint64_t count)
{
	const struct presenter_part p = part(code);

	list_of(&p, &(struct presenter_range){ start, count, true });
}

static void expect(size_t i, const char *name, const char *type, const char *text)
{
	assert_true(i < parts.n);
	assert_string_equal(parts.at[i].name, name);
	assert_string_equal(parts.at[i].type, type);
	assert_string_equal(parts.at[i].text, text);
}

static int set_up(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(memory) / sizeof(int); i++)
		((int *)memory)[i] = (int)i;
	block_size = 0;
	known_layout = NULL;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	presenter_parts_release(&parts);
	buffer_release(&bytes);
	return 0;
}

/* ---- arrays ---- */

static void elements(void **state)
{
	(void)state;
	list("a3i4");
	assert_int_equal(parts.n, 3);
	expect(0, "[0]", "int", "0");
	expect(2, "[2]", "int", "2");
	assert_false(parts.at[0].has_parts);
	list("a2a3i4");
	expect(1, "[1]", "int[3]", "{3, 4, 5}");
	assert_true(parts.at[1].has_parts && parts.at[1].indexed == 3);
	assert_int_equal(parts.at[1].address, AT + 12);
	assert_string_equal(parts.at[1].code, "a3i4");
	list("a0i4");
	assert_int_equal(parts.n, 0);
}

/* The number of ranges, and that they are one behind the other from `first` to `first + n`. */
static size_t check_ranges(uint64_t first, uint64_t n)
{
	uint64_t at = first;

	for (size_t i = 0; i < parts.n; i++) {
		char name[64];

		assert_int_equal(parts.at[i].first, at);
		at += parts.at[i].count;
		snprintf(name, sizeof(name), "[%" PRIu64 "..%" PRIu64 "]", parts.at[i].first,
			 at - 1);
		assert_string_equal(parts.at[i].name, name);
		assert_true(parts.at[i].has_parts);
	}
	assert_int_equal(at, first + n);
	return parts.n;
}

static void many_elements_are_ranges(void **state)
{
	static const struct {
		const char *code;
		uint64_t n;
		size_t ranges;
	} cases[] = {
		{ "a101i4", 101, 2 },
		{ "a250i4", 250, 3 },
		{ "a10000i4", 10000, 100 },
		{ "a10100i4", 10100, 2 },
		{ "a1000000i4", 1000000, 100 },
		{ "a4000000000000000000i4", 4000000000000000000, 4 },
		{ "a18446744073709551615s0(){}", UINT64_MAX, 19 },
	};

	(void)state;
	list("a100i4");
	assert_int_equal(parts.n, 100);
	expect(99, "[99]", "int", "99");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		list(cases[i].code);
		assert_int_equal(check_ranges(0, cases[i].n), cases[i].ranges);
	}
	list("a250i4");
	expect(0, "[0..99]", "int[100]", "{0, 1, 2, 3, 4, 5, 6, 7, ... 100 items}");
	expect(2, "[200..249]", "int[50]",
	       "{200, 201, 202, 203, 204, 205, 206, 207, ... 50 items}");
}

static void a_range_is_listed_from_its_first(void **state)
{
	struct presenter_part p = part("a1000i4");

	(void)state;
	p.first = 200;
	p.count = 100;
	list_of(&p, &(struct presenter_range){ 0 });
	assert_int_equal(parts.n, 100);
	expect(0, "[200]", "int", "200");
	expect(99, "[299]", "int", "299");
	p.code = "a100000i4";
	p.first = 20000;
	p.count = 10000;
	list_of(&p, &(struct presenter_range){ 0 });
	assert_int_equal(check_ranges(20000, 10000), 100);
	/* One that is not in the array is made up. */
	p.code = "a10i4";
	list_of(&p, &(struct presenter_range){ 0 });
	assert_int_equal(parts.n, 0);
	p.first = 8;
	p.count = UINT64_MAX;
	list_of(&p, &(struct presenter_range){ 0 });
	assert_int_equal(parts.n, 2);
}

static void start_and_count(void **state)
{
	(void)state;
	list_range("a1000i4", 500, 3);
	assert_int_equal(parts.n, 3);
	expect(0, "[500]", "int", "500");
	expect(2, "[502]", "int", "502");
	assert_int_equal(parts.more, 0);
	list_range("a1000i4", 998, 10);
	assert_int_equal(parts.n, 2);
	list_range("a1000i4", 5000, 10);
	assert_int_equal(parts.n, 0);
	list_range("a5000i4", 100, 0);
	assert_int_equal(parts.n, PRESENTER_PARTS_MAX);
	assert_int_equal(parts.more, 5000 - 100 - PRESENTER_PARTS_MAX);
	list_range("a5000i4", 0, 3000);
	assert_int_equal(parts.n, PRESENTER_PARTS_MAX);
	assert_int_equal(parts.more, 3000 - PRESENTER_PARTS_MAX);
	list_range("s12(t){a@0:i4,b@4:i4,c@8:i4}", 1, 1);
	assert_int_equal(parts.n, 1);
	expect(0, "b", "int", "1");
}

/* ---- structs ---- */

static void members(void **state)
{
	(void)state;
	memory[4] = 'x';
	((int *)memory)[2] = 5 | 2 << 3 | 1 << 8;
	list("s24(t){i@0:i4,c@4:c,f@8:m0:3:u4,g@8:m3:5:i4,in@12:s8(in){a@0:i4,b@4:i4},@20:n4(){u@0:"
	     "u4}"
	     "}");
	assert_int_equal(parts.n, 6);
	expect(0, "i", "int", "0");
	expect(1, "c", "char", "'x' (120)");
	expect(2, "f", "unsigned", "5");
	expect(3, "g", "int", "2");
	expect(4, "in", "struct in", "{.a = 3, .b = 4}");
	expect(5, "(unnamed)", "union", "{.u = 5}");
	assert_true(parts.at[4].has_parts && parts.at[4].named == 2);
	assert_int_equal(parts.at[5].address, AT + 20);
}

static void memory_that_is_not_there(void **state)
{
	struct presenter_part p = part("a2i4");

	(void)state;
	p.address = 16;
	list_of(&p, &(struct presenter_range){ 0 });
	expect(0, "[0]", "int", "<not in session memory>");
	p.address = 0x300000000000;
	list_of(&p, &(struct presenter_range){ 0 });
	expect(0, "[0]", "int", "<on the device>");
}

/* Of a variable on the device what the host has at the address is a stand-in. */
static void content_from_elsewhere(void **state)
{
	static const int content[] = { 70, 71 };
	struct presenter_part p = part("a3a1i4");

	(void)state;
	p.is_elsewhere = true;
	p.bytes = content;
	p.len = sizeof(content);
	list_of(&p, &(struct presenter_range){ 0 });
	expect(0, "[0]", "int[1]", "{70}");
	expect(1, "[1]", "int[1]", "{71}");
	expect(2, "[2]", "int[1]", "<on the device>");
	assert_true(parts.at[2].is_elsewhere && !parts.at[0].len);
}

/* ---- pointers ---- */

static void point(uint64_t offset, uint64_t to)
{
	memcpy(memory + offset, &to, sizeof(to));
}

static void targets(void **state)
{
	(void)state;
	point(0, AT + 64);
	list("pi4");
	assert_int_equal(parts.n, 1);
	expect(0, "*", "int", "16");
	block_size = 4 * 5 + 3;
	list("pi4");
	assert_int_equal(parts.n, 5);
	expect(4, "[4]", "int", "20");
	block_size = 0;
	list("ppi4");
	expect(0, "*", "int *", "(int *) 0x1100000010");
	point(0, 0);
	list("pi4");
	assert_int_equal(parts.n, 0);
	point(0, 8);
	list("pi4");
	expect(0, "*", "int", "<not in session memory>");
	point(0, AT + 64);
	list("pv");
	expect(0, "*", "void", "<its type is not known>");
	block_size = 8;
	list("pv");
	expect(0, "*", "void", "somebody's");
	assert_int_equal(parts.more, 0);
	block_size = VALUE_FREED;
	list("pi4");
	assert_int_equal(parts.n, 1);
	expect(0, "*", "int", "somebody's");
}

static void a_list_is_followed_by_the_struct_that_it_is_in(void **state)
{
	struct node *nodes = (struct node *)memory;

	(void)state;
	nodes[0] = (struct node){ 1, (struct node *)(AT + sizeof(struct node)) };
	nodes[1] = (struct node){ 2, (struct node *)AT };
	list("s16(node){value@0:i4,next@8:ps16(node)}");
	assert_int_equal(parts.n, 2);
	expect(0, "value", "int", "1");
	assert_string_equal(parts.at[1].type, "struct node *");
	for (int i = 0; i < 5; i++) { /* round the ring */
		struct presenter_part next = parts.at[1];
		char code[200];

		assert_true(next.has_parts);
		snprintf(code, sizeof(code), "%s", next.code);
		next.code = code;
		next.name = next.type = "";
		list_of(&next, &(struct presenter_range){ 0 });
		expect(0, "value", "int", i % 2 ? "1" : "2");
	}
}

static void a_layout_is_asked_for(void **state)
{
	(void)state;
	point(0, AT + 64);
	list("ps8(far)");
	assert_int_equal(parts.n, 1);
	expect(0, "*", "struct far", "{...}");
	known_layout = "s8(far){a@0:i4,b@4:i4}";
	list("ps8(far)");
	assert_int_equal(parts.n, 2);
	expect(1, "b", "int", "17");
	known_layout = "s12(far){a@0:i4,b@4:i4}"; /* not of that size */
	list("ps8(far)");
	expect(0, "*", "struct far", "{...}");
	known_layout = "s8(far){a@0:i4,b@6:i4}"; /* not well-formed */
	list("ps8(far)");
	expect(0, "*", "struct far", "{...}");
}

static void a_variable_of_a_class_is_asked_for(void **state)
{
	struct presenter_part p = part("?8");

	(void)state;
	known_layout = "s8(thing){a@0:i4,b@4:i4}";
	p.name = "thing";
	list_of(&p, &(struct presenter_range){ 0 });
	assert_int_equal(parts.n, 2);
	p.name = "other";
	list_of(&p, &(struct presenter_range){ 0 });
	expect(0, "*", "object of 8 bytes", "<its members are not known>");
}

/* ---- what a cell makes up ---- */

static void malformed_codes_have_no_parts(void **state)
{
	static const char *const codes[] = {
		"", "x", "a", "a9", "s8(", "s8(a){x@9:i4}", "i3", "a2i4 ", "t", "p", "s4(a){x@0:i4"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		const struct presenter_part p = part(codes[i]);
		cleanup_buffer struct buffer told = BUFFER_INIT;
		struct presenter_part back;
		struct record r;

		list(codes[i]);
		assert_int_equal(parts.n, 0);
		value_parts_tell(&p, false, &reader, &told);
		r = record_open(told.data, told.len);
		back = presenter_part_take(&r);
		assert_int_equal(record_check(&r, "part", NULL), 0);
		assert_false(back.has_parts);
		assert_string_equal(back.text, "<its type is not known>");
	}
}

/* Each member is written in full where it stands behind a pointer, so a code could grow. */
static void codes_do_not_grow_without_bound(void **state)
{
	cleanup_buffer struct buffer code = BUFFER_INIT;

	(void)state;
	buffer_puts(&code, "s8(a){");
	for (int i = 0; i < 900; i++)
		buffer_printf(&code, "m%d@0:ps8(a),", i);
	for (int i = 0; i < 900; i++)
		buffer_printf(&code, "n%d@0:s8(){x@0:ps8(a)},", i);
	code.data[code.len - 1] = '}';
	list_range(code.data, 0, 0);
	assert_int_equal(parts.n, PRESENTER_PARTS_MAX);
	assert_int_equal(parts.more, 1800 - PRESENTER_PARTS_MAX);
	assert_true(bytes.len < 8u << 20);
}

static void lists_that_are_no_lists(void **state)
{
	static const char *const broken[] = { "", "\1", "\0", "\2", "\1abc" };
	struct presenter_parts none;

	(void)state;
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		assert_int_equal(
			presenter_parts_take(broken[i], i ? strlen(broken[i]) + 1 : 0, &none, NULL),
			-1);
		presenter_parts_release(&none);
	}
}

/* ---- numbers and types ---- */

static void numbers(void **state)
{
	static const char *const without[] = { "i4", "a3c", "a3s4(a){x@0:i4}", "pi4", "a3pi4" };
	struct presenter_part p = part("a2a3i4");
	struct parts_numbers n;
	double value;

	(void)state;
	assert_true(value_parts_numbers(&p, &reader, &n));
	assert_int_equal(n.n, 6);
	assert_true(value_parts_number(&n, &reader, 5, &value) && value == 5);
	assert_false(value_parts_number(&n, &reader, 1 << 20, &value));
	point(0, AT + 64);
	block_size = 12;
	p.code = "pi4";
	assert_true(value_parts_numbers(&p, &reader, &n));
	assert_true(n.n == 3 && value_parts_number(&n, &reader, 2, &value) && value == 18);
	block_size = 0;
	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++) {
		p.code = without[i];
		assert_false(value_parts_numbers(&p, &reader, &n));
	}
}

static void types(void **state)
{
	static const char *const known[][2] = {
		{ "i4", "int" },
		{ "u8", "unsigned long" },
		{ "f16", "long double" },
		{ "z8", "double _Complex" },
		{ "U2", "char16_t" },
		{ "b", "bool" },
		{ "pc", "char *" },
		{ "ppv", "void **" },
		{ "a3a4f4", "float[3][4]" },
		{ "a4pi4", "int *[4]" },
		{ "pa4i4", "int (*)[4]" },
		{ "pF", "function *" },
		{ "s8(a){x@0:i8}", "struct a" },
		{ "n8(){x@0:i8}", "union" },
		{ "e4{A=1}", "enum" },
		{ "?24", "object of 24 bytes" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		cleanup_buffer struct buffer out = BUFFER_INIT;

		type_text_put(known[i][0], &out);
		assert_string_equal(buffer_text(&out), known[i][1]);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(elements),
		TEST(many_elements_are_ranges),
		TEST(a_range_is_listed_from_its_first),
		TEST(start_and_count),
		TEST(members),
		TEST(memory_that_is_not_there),
		TEST(content_from_elsewhere),
		TEST(targets),
		TEST(a_list_is_followed_by_the_struct_that_it_is_in),
		TEST(a_layout_is_asked_for),
		TEST(a_variable_of_a_class_is_asked_for),
		TEST(malformed_codes_have_no_parts),
		TEST(codes_do_not_grow_without_bound),
		TEST(lists_that_are_no_lists),
		TEST(numbers),
		TEST(types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
