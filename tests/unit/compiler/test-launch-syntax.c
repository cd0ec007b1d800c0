/* SPDX-License-Identifier: Apache-2.0 */
/* compiler/launch-syntax: brackets of launches that a formatter has pulled apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/mem-pool.h"
#include "compiler/text/launch-syntax.h"

static void check(const char *text, const char *expected)
{
	struct mem_pool pool = MEM_POOL_INIT;

	assert_string_equal(launch_syntax_close(text, &pool), expected);
	mem_pool_release(&pool);
}

static void launches(void **state)
{
	(void)state;
	check("k<< <1, 2>> >(3);", "k<<< 1, 2>>> (3);");
	check("k< <<1, 2> >>(3);", "k<<< 1, 2>>> (3);");
	check("k<<<1, 2>> >(3);", "k<<<1, 2>>> (3);");
	check("k<<<1, 2>>>(3);", "k<<<1, 2>>>(3);");
}

static void left_alone(void **state)
{
	(void)state;
	check("x = a << 3 >> 2;", "x = a << 3 >> 2;");
	check("std::vector<std::vector<std::pair<int, A<3>> > > v;",
	      "std::vector<std::vector<std::pair<int, A<3>> > > v;");
	check("puts(\"k<< <1, 2>> >(3)\"); // k<< <1, 2>> >(3)",
	      "puts(\"k<< <1, 2>> >(3)\"); // k<< <1, 2>> >(3)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(launches),
		cmocka_unit_test(left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
