/* SPDX-License-Identifier: Apache-2.0 */
/* What C cells see of a CUDA C++ text: the declarations, one a line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/mem-pool.h"
#include "compiler/device/c-linkage.h"
#include "compiler/session/session.h"

static struct compiler_session session;
static struct mem_pool pool;

static void check(const char *text, const char *expected)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct unit u = { .cell = 3 };
	struct token_list l;

	assert_int_equal(token_list_init(&l, text, strlen(text), &pool, NULL), 0);
	assert_int_equal(c_linkage_find(&l, &session, &pool, &u, NULL), 0);
	for (size_t i = 0; i < u.n_declarations; i++)
		buffer_printf(&out, "%s: %s|", u.declarations[i].name, u.declarations[i].host);
	for (size_t i = 0; i < u.n_symbols; i++)
		buffer_printf(&out, "%s|", u.symbols[i].type);
	assert_string_equal(buffer_text(&out), expected);
}

static void functions(void **state)
{
	(void)state;
	check("extern \"C\" void go(float *p, int n = 3) { }",
	      "go: void go(float *p, int n);|void (float *, int)|");
	check("extern \"C\" { int a() { return 1; } const char *b(void) { return 0; } }",
	      "a: int a(void);|b: const char *b(void);|int (void)|const char * (void)|");
	check("extern \"C\" __host__ int f(int (*g)(int), const unsigned v[4]) { return 0; }",
	      "f: int f(int(*g)(int), const unsigned v[4]);|int (int(*)(int), const unsigned[4])|");
}

static void others(void **state)
{
	(void)state;
	check("int a() { return 1; }\nextern \"C\" int b();\nextern \"C\" void c(int &r) { }\nvoid "
	      "d() { extern int e; }",
	      "");
	check("extern \"C\" __global__ void k(int *p) { }\nextern \"C\" std::size_t s() { "
	      "}\nextern \"C\" Foo f() { }",
	      "");
	check("extern \"C\" int n;\nextern \"C\" { int m; static int s; int v[2] = { 1, 2 }; }",
	      "m: extern int m;|v: extern int v[2];|");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(functions), cmocka_unit_test(others) };
	int failed;

	session_init(&session);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	session_release(&session);
	mem_pool_release(&pool);
	return failed;
}
