/* SPDX-License-Identifier: Apache-2.0 */
/* common/type-code: sizes, ends, and malformed codes that must be refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/code/type-code.h"

static void sizes(void **state)
{
	static const struct {
		const char *code;
		size_t size;
	} rows[] = {
		{ "v", 0 },
		{ "b", 1 },
		{ "c", 1 },
		{ "i4", 4 },
		{ "u8", 8 },
		{ "f16", 16 },
		{ "z8", 16 },
		{ "e4{RED=0,BLUE=2}", 4 },
		{ "pi4", 8 },
		{ "pF", 8 },
		{ "a10f8", 80 },
		{ "a3a4i2", 24 },
		{ "x4f4", 16 },
		{ "s16(point){x@0:i4,y@8:f8}", 16 },
		{ "ps16(node)", 8 },
		{ "s4(){f@0:m3:4:i4}", 4 },
		{ "n8(){a@0:i4,b@0:f8}", 8 },
		{ "?12", 12 },
		{ "s24(n){next@0:ps24(n),v@8:a2f8}", 24 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *end = type_code_skip(rows[i].code);

		assert_non_null(end);
		assert_string_equal(end, "");
		assert_int_equal(type_code_size(rows[i].code), rows[i].size);
	}
}

static void malformed(void **state)
{
	static const char *const rows[] = { "",
					    "q",
					    "i",
					    "a",
					    "a10",
					    "p",
					    "s16",
					    "s16(x",
					    "s16(x){",
					    "s16(x){a@0}",
					    "s16(x){a@0:q}",
					    "e4{A=1",
					    "s4(){f@0:m3:i4}" };
	char deep[2000];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_null(type_code_skip(rows[i]));
	memset(deep, 'p', sizeof(deep) - 2);
	strcpy(deep + sizeof(deep) - 2, "v");
	assert_null(type_code_skip(deep));
	assert_int_equal(type_code_size("a18446744073709551615f8"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
