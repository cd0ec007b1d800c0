/* SPDX-License-Identifier: Apache-2.0 */
/* value_format(): every type code as a C programmer writes it; malformed ones never crash. */
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "kernel/views/presenter-value.h"
#include "kernel/views/value-format.h"

static void check(const char *code, const void *bytes, size_t len, const char *expected)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct presenter_value v = { .type = "T", .code = code, .bytes = bytes, .len = len };

	value_format(&v, NULL, &out);
	assert_string_equal(buffer_text(&out), expected);
}

#define CHECK(type, code, value, expected)                                                         \
	do {                                                                                       \
		type v_ = value;                                                                   \
		check(code, &v_, sizeof(v_), expected);                                            \
	} while (0)

static void numbers(void **state)
{
	(void)state;
	CHECK(int, "i4", 42, "42");
	CHECK(int, "i4", -1, "-1");
	CHECK(unsigned, "u4", -1u, "4294967295");
	CHECK(signed char, "i1", -128, "-128");
	CHECK(unsigned char, "u1", 200, "200");
	CHECK(unsigned long, "u8", -1ul, "18446744073709551615");
	CHECK(__int128, "i16", -((__int128)1 << 100), "-1267650600228229401496703205376");
	CHECK(_Bool, "b", 1, "true");
	CHECK(_Bool, "b", 0, "false");
}

static void floating(void **state)
{
	(void)state;
	CHECK(double, "f8", 3.5, "3.5");
	CHECK(double, "f8", 3, "3.0");
	CHECK(double, "f8", 0.1, "0.1");
	CHECK(double, "f8", 1.0 / 3, "0.3333333333333333");
	CHECK(double, "f8", 100000, "100000.0");
	CHECK(double, "f8", 1e300, "1e+300");
	CHECK(double, "f8", -0.0, "-0.0");
	CHECK(double, "f8", 1.5e-9, "1.5e-09");
	CHECK(double, "f8", 0.0 / 0.0, "nan");
	CHECK(double, "f8", -1 / 0.0, "-inf");
	CHECK(float, "f4", 0.1f, "0.1");
	CHECK(float, "f4", 16777216.0f, "16777216.0");
	CHECK(unsigned short, "f2", 0x3e00, "1.5");
	CHECK(unsigned short, "f2", 0xfc00, "-inf");
	CHECK(long double, "f16", 2.25L, "2.25");
	CHECK(double complex, "z8", 1 + 2 * I, "1.0 + 2.0i");
}

static void characters_and_strings(void **state)
{
	(void)state;
	CHECK(char, "c", 'a', "'a' (97)");
	CHECK(char, "c", '\n', "'\\n' (10)");
	CHECK(char, "c", '\'', "'\\'' (39)");
	CHECK(char, "c", 0, "'\\0' (0)");
	CHECK(char, "c", -23, "'\\xe9' (-23)");
	check("a6c", "hello", 6, "\"hello\"");
	check("a8c", "a\"b\0junk", 8, "\"a\\\"b\"");
	check("a3c", "abc", 3, "\"abc\"");
}

static void wide_characters_and_strings(void **state)
{
	static const uint16_t surrogates[] = { 0xd83d, 0xde00, 0xde00, 0xd83d, 'a', 0xd83d };

	(void)state;
	CHECK(wchar_t, "L4", 0xe9, "L'é' (233)");
	CHECK(wchar_t, "L4", -1, "L'\\xffffffff' (-1)");
	CHECK(uint32_t, "U4", 0xffffffff, "U'\\xffffffff' (4294967295)");
	CHECK(uint16_t, "U2", '\'', "u'\\'' (39)");
	CHECK(uint16_t, "U2", 0, "u'\\0' (0)");
	CHECK(uint32_t, "U4", 0x85, "U'\\x00000085' (133)");
	check("a4L4", L"h\"\n", 4 * sizeof(wchar_t), "L\"h\\\"\\n\"");
	check("a3L4", L"abc", 3 * sizeof(wchar_t), "L\"abc\"");
	check("a6U2", surrogates, sizeof(surrogates), "u\"😀\\xde00\\xd83da\\xd83d\"");
	check("x2L4", L"ab", 2 * sizeof(wchar_t), "{L'a' (97), L'b' (98)}");
	check("a2a2L4", L"a\0b", 4 * sizeof(wchar_t), "{L\"a\",\n L\"b\"}");
}

/* Memory whose last page ends at `end`: a string must be read up to its zero and not behind the
 * page. */
struct reads {
	const char *from, *end;
};

static int read_bounded(void *data, uint64_t address, void *out, size_t len)
{
	const struct reads *r = data;
	const char *at = (const char *)(uintptr_t)address;

	if (at < r->from || at + len > r->end)
		return -1;
	memcpy(out, at, len);
	return 0;
}

static void wide_pointers(void **state)
{
	static _Alignas(64) uint32_t text[32];
	static uint32_t endless[3000];
	struct reads r = { (char *)text, (char *)(text + 32) };
	const struct value_reader reader = { read_bounded, NULL, &r };
	struct presenter_value v = { .type = "T", .code = "pU4", .len = 8 };
	cleanup_buffer struct buffer out = BUFFER_INIT;
	const char *p = (char *)(text + 20);

	(void)state;
	for (size_t i = 0; i < 31; i++)
		text[i] = 'a' + (uint32_t)i;
	v.bytes = &p;
	value_format(&v, &reader, &out);
	assert_string_equal(buffer_text(&out), "U\"uvwxyz{|}~\\177\"");
	buffer_clear(&out);
	p = r.end - 2; /* half a character is there */
	value_format(&v, &reader, &out);
	assert_non_null(strstr(buffer_text(&out), "(T) 0x"));
	buffer_clear(&out);
	for (size_t i = 0; i < 3000; i++)
		endless[i] = 'x';
	r = (struct reads){ (char *)endless, (char *)(endless + 3000) };
	p = (char *)endless;
	value_format(&v, &reader, &out);
	assert_int_equal(out.len, strlen("U\"\"...") + 2000);
	buffer_clear(&out);
	v.target = U"told";
	v.target_len = 16;
	value_format(&v, &reader, &out);
	assert_string_equal(buffer_text(&out), "U\"told\"");
}

static void aggregates(void **state)
{
	struct point {
		int x;
		double y;
	} points[] = { { 1, 2 }, { 3, 4.5 } };
	int grid[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };

	(void)state;
	check("s16(point){x@0:i4,y@8:f8}", points, 16, "{.x = 1, .y = 2.0}");
	check("a2s16(point){x@0:i4,y@8:f8}", points, 32,
	      "{{.x = 1, .y = 2.0}, {.x = 3, .y = 4.5}}");
	check("a2a3i4", grid, sizeof(grid), "{{1, 2, 3},\n {4, 5, 6}}");
	check("x4i4", grid, 16, "{1, 2, 3, 4}");
	CHECK(float, "n4(){i@0:i4,f@0:f4}", 1.0f, "{.i = 1065353216, .f = 1.0}");
	CHECK(unsigned, "s4(flags){a@0:m0:3:u4,b@0:m3:5:i4}", 5 | 30 << 3, "{.a = 5, .b = -2}");
	CHECK(int, "e4{RED=0,BLUE=2}", 2, "BLUE (2)");
	CHECK(int, "e4{RED=0,BLUE=2}", 1, "1");
	check("?3", "\1\2\377", 3, "<3 bytes: 01 02 ff>");
}

static void long_arrays_are_cut(void **state)
{
	int *many = calloc(1000, sizeof(int));
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct presenter_value v = {
		.type = "int [1000]", .code = "a1000i4", .bytes = many, .len = 4000, .target = ""
	};

	(void)state;
	value_format(&v, NULL, &out);
	assert_string_equal(out.data + out.len - 21, "0, 0, ... 1000 items}");
	buffer_clear(&out);
	v.max = 30;
	value_format(&v, NULL, &out);
	assert_int_equal(out.len, 30);
	assert_string_equal(out.data + 27, "...");
	free(many);
}

/* A session of one page at 0x1000. */
static char page[4096];

static int read_page(void *data, uint64_t address, void *out, size_t len)
{
	(void)data;
	if (address < 0x1000 || address + len > 0x2000)
		return -1;
	memcpy(out, page + address - 0x1000, len);
	return 0;
}

/* Blocks: 40 bytes that are `a`, 8 and 16 behind them; the byte before the last 96 is freed. */
static uint64_t block(void *data, uint64_t address, struct buffer *words)
{
	static const uint64_t blocks[][2] = { { 0x1000, 40 }, { 0x1028, 8 }, { 0x1030, 16 } };

	(void)data;
	if (address == 0x1000)
		buffer_puts(words, "a, In[1]");
	for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); i++)
		if (address - blocks[i][0] < blocks[i][1])
			return blocks[i][0] + blocks[i][1] - address;
	return address == 0x1000 + 3999 ? VALUE_FREED : 0;
}

static void check_pointer(const char *type, const char *code, uint64_t address,
			  const char *expected)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct presenter_value v = {
		.type = type,
		.code = code,
		.bytes = &address,
		.len = 8,
		.target = "",
		.pointers = PRESENTER_POINTERS_OWNERS,
	};
	const struct value_reader reader = { read_page, block, NULL };

	value_format(&v, &reader, &out);
	assert_string_equal(buffer_text(&out), expected);
}

static void pointers_show_where_they_lead(void **state)
{
	uint64_t node[5] = { 7, 0x1000, 9 };

	(void)state;
	memcpy(page, node, sizeof(node));
	strcpy(page + 100, "text");
	memcpy(page + 40, "too longof a block", 19);
	memset(page + 4000, 'x', 96); /* a string that runs off the end */
	check_pointer("int *", "pi4", 0, "(int *) NULL");
	check_pointer("int *", "pi4", 0x1000 + 16, "(int *) 0x1010 -> {9, 0, 0, 0, 0, 0}");
	check_pointer("int *", "pi4", 0x1000,
		      "(int *) 0x1000 -> {7, 0, 4096, 0, 9, 0, 0, 0, 0, 0} [a, In[1]]");
	check_pointer("int *", "pi4", 0x1000 + 36, "(int *) 0x1024 -> 0");
	check_pointer("short *", "pi2", 0x1000 + 3999, "(short *) 0x1f9f -> 30720");
	check_pointer("int *", "pi4", 0x9000, "(int *) 0x9000");
	check_pointer("void *", "pv", 0x1000, "(void *) 0x1000 [a, In[1]]");
	check_pointer("struct n *", "ps16(n){v@0:i4,next@8:ps16(n)}", 0x1000,
		      "(struct n *) 0x1000 -> {{.v = 7, .next = 0x1000}, {.v = 9, .next = NULL}} "
		      "[a, In[1]]");
	check_pointer("char *", "pc", 0x1000 + 48, "\"of a block\"");
	check_pointer("char *", "pc", 0x1000 + 40, "\"too long\" (its 8 bytes have no '\\0')");
	check_pointer("char *", "pc", 0x1000 + 100, "\"text\"");
	check_pointer("char *", "pc", 0x1000 + 4000, "(char *) 0x1fa0 -> 'x' (120)");
	check_pointer("int (*)(void)", "pF", 0x1004, "(int (*)(void)) 0x1004");
}

static void malformed_codes_are_refused(void **state)
{
	static const char *const codes[] = { "",   "q", "i", "a3", "s8(", "i4i4", "s8(x){a@0:i4",
					     "i8", "v" };
	int value = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		check(codes[i], &value, 4, i == 8 ? "<0 bytes:>" : "<4 bytes of T>");
}

/* Codes of a worker that is an enemy: the bytes lie at the end of their block, so that
 * AddressSanitizer sees a read behind them. */
static void random_codes_read_the_value_only(void **state)
{
	static const char *const words[] = { "s8(x){",      "n4(){", "}",       "a@0:",  "b@4:",
					     "c@70000:",    "m3:4:", "m60:64:", ",",     "i4",
					     "u1",          "i16",   "f8",      "f16",   "z8",
					     "e4{A=1,B=2}", "p",     "c",       "L4",    "U2",
					     "a3",          "a100",  "x4",      "?8",    "a0",
					     "b",           "v",     "F",       "s1(y)", "U9" };
	size_t printed = 0;

	(void)state;
	srandom(7);
	for (int round = 0; round < 200000; round++) {
		cleanup_buffer struct buffer out = BUFFER_INIT, code = BUFFER_INIT;
		size_t len = (size_t)random() % 40 + 1;
		struct presenter_value v = { .type = "T",
					     .len = len,
					     .max = random() % 2 ? 80 : 0 };
		char *bytes = malloc(len);

		assert_non_null(bytes);
		for (size_t i = 0; i < len; i++)
			bytes[i] = (char)random();
		for (long n = random() % 8 + 1; n; n--)
			buffer_puts(&code,
				    words[(size_t)random() % (sizeof(words) / sizeof(words[0]))]);
		v.code = buffer_text(&code);
		v.bytes = bytes;
		value_format(&v, NULL, &out);
		printed += out.len && out.data[0] != '<';
		free(bytes);
	}
	assert_true(printed > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(floating),
		cmocka_unit_test(characters_and_strings),
		cmocka_unit_test(wide_characters_and_strings),
		cmocka_unit_test(wide_pointers),
		cmocka_unit_test(aggregates),
		cmocka_unit_test(long_arrays_are_cut),
		cmocka_unit_test(pointers_show_where_they_lead),
		cmocka_unit_test(malformed_codes_are_refused),
		cmocka_unit_test(random_codes_read_the_value_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
