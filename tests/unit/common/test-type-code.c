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
		{ "s3(){f@0:m0:12:i4,g@0:m12:12:u4}", 3 },
		{ "s16(f){n@0:i8,rest@16:a0i4}", 16 },
		{ "n8(){a@0:i4,b@0:f8}", 8 },
		{ "?12", 12 },
		{ "k24V(vector)i4", 24 },
		{ "k48T(map)s40(pair){first@0:i4,second@8:k32S(basic_string)c}", 48 },
		{ "s32(){a@0:k8O(optional)i4,b@8:k24L(list)pi4}", 32 },
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
	static const char *const rows[] = {
		"", "q", "i", "a", "a10", "p", "s16", "s16(x", "s16(x){", "s16(x){a@0}",
		"s16(x){a@0:q}", "e4{A=1", "s4(){f@0:m3:i4}",
		/* what a hostile worker would say */
		"s4(x){a@123456789012:i4}", "s4(x){a@1:i4}", "s4(x){a@18446744073709551615:i4}",
		"s4(x){a@0:i4b@0:i4}", "s1(){f@0:m4:5:i4}", "s64(){f@0:m64:1:i4}",
		"s64(){f@0:m0:65:i16}", "s64(){f@0:m0:4:s64()}", "s8(){a@0:a3i4}",
		"s8(){a@0:a4611686018427387905i4}", "pU0", "pU4000", "i0", "i3", "u32", "f12",
		"f99", "z2", "e0{}", "a18446744073709551615f8", "k24V(vector)", "k24Vi4",
		"k16V(vector)i4", "k24V(vector)v", "k24X(vector)i4", "k4O(optional)i4", "k24", "k"
	};
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
