/* SPDX-License-Identifier: Apache-2.0 */
/* container_walk_...(), and values and parts of containers: in memory that the test makes up, as it
 * should be and as a hostile cell would have it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/record.h"
#include "kernel/views/container-walk.h"
#include "kernel/views/presenter-part.h"
#include "kernel/views/type-text.h"
#include "kernel/views/value-parts.h"

#define AT 0x200000000000ull /* where the memory is */
#define OBJECT 0             /* offset of the container in it */
#define NOT_LISTED SIZE_MAX

static char memory[1 << 14];
static unsigned reads;

static int read_memory(void *data, uint64_t address, void *out, size_t len)
{
	(void)data;
	reads++;
	if (address < AT || address - AT > sizeof(memory) || len > sizeof(memory) - (address - AT))
		return -1;
	memcpy(out, memory + (address - AT), len);
	return 0;
}

static const struct parts_reader reader = { .read = read_memory };

static void put_word(size_t offset, uint64_t value)
{
	memcpy(memory + offset, &value, sizeof(value));
}

static void put_int(size_t offset, int value)
{
	memcpy(memory + offset, &value, sizeof(value));
}

static void put_text(size_t offset, const char *text)
{
	memcpy(memory + offset, text, strlen(text) + 1);
}

static int set_up(void **state)
{
	(void)state;
	memset(memory, 0, sizeof(memory));
	reads = 0;
	return 0;
}

/* What a front end gets of it. */
static void expect(const char *code, const char *value, size_t n, const char *first)
{
	const struct presenter_part p = {
		.name = "", .type = "T", .code = code, .address = AT + OBJECT
	};
	cleanup_buffer struct buffer told = BUFFER_INIT, listed = BUFFER_INIT;
	struct presenter_parts parts = { 0 };
	struct record r;

	value_parts_tell(&p, true, &reader, &told);
	r = record_open(told.data, told.len);
	assert_string_equal(presenter_part_take(&r).text, value);
	if (n == NOT_LISTED)
		return;
	value_parts_list(&p, &(struct presenter_range){ 0 }, &reader, &listed);
	assert_int_equal(presenter_parts_take(listed.data, listed.len, &parts, NULL), 0);
	assert_int_equal(parts.n, n);
	if (n) {
		char shown[100];

		snprintf(shown, sizeof(shown), "%s %s %s", parts.at[0].name, parts.at[0].type,
			 parts.at[0].text);
		assert_string_equal(shown, first);
	}
	presenter_parts_release(&parts);
}

static void a_vector(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++)
		put_int(256 + 4 * (size_t)i, i + 7);
	put_word(0, AT + 256);
	put_word(8, AT + 268);
	expect("k24V(vector)i4", "{7, 8, 9}", 3, "[0] int 7");
	put_word(8, AT + 256);
	expect("k24V(vector)i4", "{}", 0, "");
	/* What is no vector. */
	put_word(8, AT + 267);
	expect("k24V(vector)i4", "{...}", 0, "");
	put_word(8, AT + 200);
	expect("k24V(vector)i4", "{...}", 0, "");
	put_word(0, AT - 8);
	put_word(8, AT);
	expect("k24V(vector)i4", "{... 2 items}", 2, "[0] int <not in session memory>");
}

static void a_string(void **state)
{
	(void)state;
	put_text(512, "hello");
	put_word(0, AT + 512);
	put_word(8, 5);
	expect("k32S(basic_string)c", "\"hello\"", NOT_LISTED, "");
	put_word(8, UINT64_MAX);
	put_text(512 + 2100, "");
	expect("k32S(basic_string)c", "\"hello\"", NOT_LISTED, "");
	put_word(0, AT - 8);
	expect("k32S(basic_string)c", "{...}", NOT_LISTED, "");
	put_word(0, 2);
	put_word(8, AT + 512);
	expect("k16W(basic_string_view)c", "\"he\"", NOT_LISTED, "");
}

/* A tree of n nodes, each the left child of the one before, with keys from the last one up. */
static void make_tree(size_t n)
{
	const size_t header = 8;

	for (size_t i = 0; i < n; i++) {
		size_t node = 1024 + 64 * i;

		put_word(node + 8, AT + (i ? node - 64 : header));
		put_word(node + 16, i + 1 < n ? AT + node + 64 : 0);
		put_int(node + 32, (int)(n - i));
		put_int(node + 36, 10 * (int)(n - i));
	}
	put_word(header + 8, AT + 1024); /* the root */
	put_word(24, AT + 1024 + 64 * (n - 1));
	put_word(40, n);
}

static void trees(void **state)
{
	static const char map[] = "k48T(map)s8(pair){first@0:i4,second@4:i4}";
	cleanup_buffer struct buffer type = BUFFER_INIT;

	(void)state;
	make_tree(3);
	expect("k48T(set)i4", "{1, 2, 3}", 3, "[0] int 1");
	expect(map, "{1: 10, 2: 20, 3: 30}", 3, "[1] int 10");
	type_text_put(map, &type);
	assert_string_equal(buffer_text(&type), "map<int, int>");
	/* It says more than it has. */
	put_word(40, 1ull << 60);
	expect("k48T(set)i4", "{1, 2, 3, ... 1152921504606846976 items}", 3, "[0] int 1");
	/* A node that is its own child, and its own parent. */
	make_tree(3);
	put_word(1024 + 128 + 24, AT + 1024 + 128);
	put_word(1024 + 128 + 16, AT + 1024 + 128);
	expect("k48T(set)i4", "{1, ... 3 items}", 1, "[0] int 1");
	/* One that leads to itself by way of another one. */
	make_tree(2);
	put_word(1024 + 8, AT + 1024 + 64);
	put_word(1024 + 64 + 24, 0);
	put_word(40, 1000000);
	expect("k48T(set)i4", "{1, 2, ... 1000000 items}", 2, "[0] int 1");
	assert_true(reads < 20000);
}

static void lists(void **state)
{
	(void)state;
	put_word(0, AT + 1024);
	put_word(16, 2);
	put_word(1024, AT + 2048);
	put_int(1024 + 16, 5);
	put_word(2048, AT);
	put_int(2048 + 16, 6);
	expect("k24L(list)i4", "{5, 6}", 2, "[0] int 5");
	put_int(1024 + 8, 3);
	put_int(2048 + 8, 4);
	put_word(2048, 0);
	expect("k8F(forward_list)i4", "{3, 4}", 2, "[0] int 3");
	/* It has no end. */
	put_word(2048, AT + 1024);
	expect("k8F(forward_list)i4", "{3, 4, 3, 4, 3, 4, 3, 4, ...}", 1000, "[0] int 3");
	put_word(0, 0);
	put_word(16, AT + 1024);
	put_word(24, 2);
	expect("k56H(unordered_set)i4", "{3, 4}", 2, "[0] int 3");
}

static void a_deque(void **state)
{
	(void)state;
	put_word(16, AT + 1024 + 508); /* the last of the first piece */
	put_word(24, AT + 1024);
	put_word(40, AT + 512);
	put_word(48, AT + 2048 + 4); /* the first of the second one */
	put_word(56, AT + 2048);
	put_word(72, AT + 520);
	put_word(512, AT + 1024);
	put_word(520, AT + 2048);
	put_int(1024 + 508, 1);
	put_int(2048, 2);
	expect("k80D(deque)i4", "{1, 2}", 2, "[0] int 1");
	put_word(72, AT + 512);
	expect("k80D(deque)i4", "{...}", 0, "");
	put_word(16, AT);
	expect("k80D(deque)i4", "{...}", 0, "");
}

static void an_optional(void **state)
{
	(void)state;
	put_int(0, 5);
	memory[4] = 1;
	expect("k8O(optional)i4", "5", 1, "[0] int 5");
	memory[4] = 0;
	expect("k8O(optional)i4", "nullopt", 0, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_vector, set_up),
		cmocka_unit_test_setup(a_string, set_up),
		cmocka_unit_test_setup(trees, set_up),
		cmocka_unit_test_setup(lists, set_up),
		cmocka_unit_test_setup(a_deque, set_up),
		cmocka_unit_test_setup(an_optional, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
