/* SPDX-License-Identifier: Apache-2.0 */
/* What a cell is after its namespaces were taken apart: text in, text out, with what earlier cells have declared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/error.h"
#include "common/mem-pool.h"
#include "compiler/namespace-text.h"
#include "compiler/session.h"

static struct session session;
static struct mem_pool pool;

static int setup(void **state)
{
	(void)state;
	session_init(&session);
	mem_pool_init(&pool);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	session_release(&session);
	mem_pool_release(&pool);
	return 0;
}

static void assert_rewritten(const char *text, const char *expected)
{
	struct error err = ERROR_INIT;
	const char *got = namespace_text_rewrite(text, &session, &pool, &err);

	assert_non_null(got);
	assert_string_equal(got, expected);
}

static void declare(enum declaration_kind kind, const char *name, const char *device)
{
	struct declaration d = { .kind = kind, .cell = 1, .line = 1, .name = name, .host = "", .device = device };

	assert_int_equal(session_set(&session, session_count(&session), &d, NULL), 0);
}

static void text_without_namespaces_stays(void **state)
{
	const char *text = "int a = 1; struct b { int c; };\nstd::x y; extern int z;";

	(void)state;
	assert_ptr_equal(namespace_text_rewrite(text, &session, &pool, NULL), text);
}

static void what_a_namespace_declares_has_its_name(void **state)
{
	(void)state;
	assert_rewritten("namespace g {\n__global__ void k(float *p) { f(p); }\n__device__ void f(float *p);\n}\ng::k<<<1, 1>>>(0);",
			 "\n__global__ void g__N__k(float *p) { g__N__f(p); }\n__device__ void g__N__f(float *p);\n\n"
			 "g__N__k<<<1, 1>>>(0);");
	assert_rewritten("namespace a::b { int n; } int m = a::b::n;", " int a__N__b__N__n;  int m = a__N__b__N__n;");
	assert_rewritten("namespace a { inline namespace v1 { int n; } } int m = a::n;", "  int a__N__n;   int m = a__N__n;");
	assert_rewritten("namespace { int n; } int m = n;", " int n;  int m = n;");
}

static void names_are_looked_for_outwards(void **state)
{
	(void)state;
	assert_rewritten("namespace a { int n; namespace b { int f() { return n + o; } } }",
			 " int a__N__n;  int a__N__b__N__f() { return a__N__n + o; }  ");
	assert_rewritten("namespace a { int n; } namespace b { int n; int f() { return n + a::n + ::n; } }",
			 " int a__N__n;   int b__N__n; int b__N__f() { return b__N__n + a__N__n + ::n; } ");
}

static void members_keep_their_names(void **state)
{
	(void)state;
	assert_rewritten("namespace g { struct P { float x; P(float a) {} float dot(P o) { return dot(o) + o.x; } }; float dot(P a); }",
			 " struct g__N__P { float x; g__N__P(float a) {} float dot(g__N__P o) { return dot(o) + o.x; } }; "
			 "float g__N__dot(g__N__P a); ");
	assert_rewritten("namespace g { enum E { A, B }; typedef float (*op)(float); template <typename T> T f(T t) { return A; } }",
			 " enum g__N__E { g__N__A, g__N__B }; typedef float (*g__N__op)(float); "
			 "template <typename T> T g__N__f(T t) { return g__N__A; } ");
}

static void using_opens_a_namespace(void **state)
{
	(void)state;
	assert_rewritten("namespace g { int n, m; }\nusing namespace g;\nint a = n;",
			 " int g__N__n, g__N__m; \nnamespace g { /* using  */ };\nint a = g__N__n;");
	assert_rewritten("namespace g { int n, m; }\nusing g::n;\nint a = n + m;",
			 " int g__N__n, g__N__m; \nnamespace g { /* using n */ };\nint a = g__N__n + m;");
	assert_rewritten("namespace g { int n; }\nnamespace h = g;\nint a = h::n;",
			 " int g__N__n; \nnamespace g { /* as h */ };\nint a = g__N__n;");
	assert_rewritten("namespace cg = cooperative_groups; using namespace nvcuda; int a = cg::n;",
			 "namespace cg = cooperative_groups; using namespace nvcuda; int a = cg::n;");
	assert_rewritten("using namespace std;\nint namespace_n;", "\nint namespace_n;");
}

static void later_cells_know_the_names(void **state)
{
	(void)state;
	declare(DECLARATION_ENTRY, "g__N__h__N__k", "");
	assert_rewritten("g::h::k<<<1, 1>>>();", "g__N__h__N__k<<<1, 1>>>();");
	declare(DECLARATION_PRAGMA, "", "namespace g__N__h { /* using  */ };");
	assert_rewritten("k<<<1, 1>>>(); x.k;", "g__N__h__N__k<<<1, 1>>>(); x.k;");
	declare(DECLARATION_PRAGMA, "", "namespace g__N__h { /* as i */ };");
	assert_rewritten("i::k<<<1, 1>>>();", "g__N__h__N__k<<<1, 1>>>();");
}

static void blocks_of_c_linkage_are_taken_apart(void **state)
{
	(void)state;
	assert_rewritten("extern \"C\" {\nint f(void);\n}\nextern \"C\" int g(void);", "\nint f(void);\n\nextern \"C\" int g(void);");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(text_without_namespaces_stays, setup, teardown),
		cmocka_unit_test_setup_teardown(what_a_namespace_declares_has_its_name, setup, teardown),
		cmocka_unit_test_setup_teardown(names_are_looked_for_outwards, setup, teardown),
		cmocka_unit_test_setup_teardown(members_keep_their_names, setup, teardown),
		cmocka_unit_test_setup_teardown(using_opens_a_namespace, setup, teardown),
		cmocka_unit_test_setup_teardown(later_cells_know_the_names, setup, teardown),
		cmocka_unit_test_setup_teardown(blocks_of_c_linkage_are_taken_apart, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
