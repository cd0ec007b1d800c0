/* SPDX-License-Identifier: Apache-2.0 */
/* compiler/effort: what is run often is optimised, what is not is made quickly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "common/base/mem-pool.h"
#include "compiler/units/effort.h"

static enum clang_effort effort(const char *text)
{
	struct mem_pool pool = MEM_POOL_INIT;
	struct error err = ERROR_INIT;
	enum clang_effort result;
	struct token_list l;

	assert_int_equal(token_list_init(&l, text, strlen(text), &pool, &err), 0);
	result = effort_of(&l);
	mem_pool_release(&pool);
	return result;
}

static void test_runs_once(void **state)
{
	(void)state;
	assert_int_equal(effort("1 + 1"), CLANG_ONCE);
	assert_int_equal(effort("int x = 3;\nif (x) x = 4; else x = 5;\nx"), CLANG_ONCE);
	assert_int_equal(effort("__global__ void k(int *p) { for (;;) ; }"), CLANG_LOOPS);
	assert_int_equal(effort("\"for\""), CLANG_ONCE);
}

static void test_functions(void **state)
{
	(void)state;
	assert_int_equal(effort("int f(int x)\n{\n\treturn x > 3 ? x : 3;\n}\nf(4)"), CLANG_LIGHT);
	assert_int_equal(
		effort("static int f(void) { return 1; }\nint g(int x) { return x; }\ng(f());"),
		CLANG_LIGHT);
	assert_int_equal(effort("int f(int x) { return h(x); }"), CLANG_LIGHT);
}

static void test_nested_loops(void **state)
{
	(void)state;
	assert_int_equal(effort("for (int i = 0; i < 9; i++)\n\tfor (int k = 0; k < 9; k++)\n\t\tv "
				"+= i * k;"),
			 CLANG_NESTED);
	assert_int_equal(effort("do { v++; while (v % 3) v++; } while (v < 9);"), CLANG_NESTED);
	assert_int_equal(effort("for (;;) if (v) { for (int i = 0; i < v; i++) v--; }"),
			 CLANG_NESTED);
	assert_int_equal(
		effort("for (int i = 0; i < 9; i++) v++;\nfor (int i = 0; i < 9; i++) { v--; }"),
		CLANG_LOOPS);
	assert_int_equal(
		effort("for (int i = 0; i < 9; i++) v += f((int[]){ i }[0]);\nwhile (v) v--;"),
		CLANG_LOOPS);
	assert_int_equal(effort("do v++; while (v < 9);"), CLANG_LOOPS);
	assert_int_equal(effort("for ("), CLANG_LOOPS);
}

static void test_worth_a_lot(void **state)
{
	(void)state;
	assert_int_equal(effort("for (int i = 0; i < 9; i++) v++;"), CLANG_LOOPS);
	assert_int_equal(effort("again: if (v++ < 9) goto again;"), CLANG_LOOPS);
	assert_int_equal(effort("int f(int x) { while (x > 9) x /= 2; return x; }"), CLANG_LOOPS);
	assert_int_equal(effort("int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }"),
			 CLANG_LOOPS);
	assert_int_equal(effort("int odd(int n);\nint even(int n) { return n ? odd(n - 1) : 1; }\n"
				"int odd(int n) { return n ? even(n - 1) : 0; }"),
			 CLANG_LOOPS);
	assert_int_equal(effort("__asm__(\"nop\");"), CLANG_FULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs_once),
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_nested_loops),
		cmocka_unit_test(test_worth_a_lot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
