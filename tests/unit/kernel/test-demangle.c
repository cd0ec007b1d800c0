/* SPDX-License-Identifier: Apache-2.0 */
/* Mangled names as gcc and clang made them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "common/text/demangle.h"

static void test_names(void **state)
{
	static const char *const names[][2] = {
		{ "main", "main" },
		{ "__cxa_throw", "__cxa_throw" },
		{ "_Znonsense", "_Znonsense" },
		{ "_ZSt9terminatev", "std::terminate" },
		{ "_ZSt20__throw_out_of_rangePKc", "std::__throw_out_of_range" },
		{ "_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<...>::push_back" },
		{ "_ZN3geo5ShapeIiE4areaEv", "geo::Shape<int>::area" },
		{ "_ZNK3geo3AddclEii", "geo::Add::operator()" },
		{ "_ZN12_GLOBAL__N_15innerEi", "(anonymous namespace)::inner" },
		{ "_Z5twiceIdET_S0_", "twice<double>" },
		{ "_ZlsRSo5Point", "operator<<" },
		{ "_ZZ4makevENKUliE_clEi", "make" },
	};
	char text[100];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		demangle(names[i][0], text, sizeof(text));
		assert_string_equal(text, names[i][1]);
	}
	demangle("_ZSt9terminatev", text, 5);
	assert_string_equal(text, "std:");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_names) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
