/* SPDX-License-Identifier: Apache-2.0 */
/* Uses of macros with CUDA's marks are expanded, all else stays as it is written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/buffer.h"
#include "common/mem-pool.h"
#include "compiler/device-macros.h"
#include "compiler/session.h"

static struct session session;
static struct mem_pool pool;

static const char *expand(const char *text)
{
	struct name_source names = session_names(&session);
	const char *out = device_macros_expand(text, &names, &pool, NULL);

	assert_non_null(out);
	return out;
}

/* What stands behind the definitions. */
static void check(const char *defines, const char *use, const char *expected)
{
	cleanup_buffer struct buffer text = BUFFER_INIT, want = BUFFER_INIT;

	buffer_printf(&text, "%s\n%s", defines, use);
	buffer_printf(&want, "%s\n%s", defines, expected);
	assert_string_equal(expand(buffer_text(&text)), buffer_text(&want));
}

static void marks(void **state)
{
	(void)state;
	check("#define HD __host__ __device__", "HD int f(int x);", "__host__ __device__ int f(int x);");
	check("#define K __global__ void", "struct s { K *p; };\nK k(int *p) { K; }",
	      "struct s { K *p; };\n__global__ void k(int *p) { K; }");
	check("#define N 5\n#define SAY(x) puts(x)", "int n = N; SAY(\"a\");", "int n = N; SAY(\"a\");");
	check("#define A __device__\n#undef A", "A int f();", "A int f();");
}

static void parameters(void **state)
{
	(void)state;
	check("#define K(n, op) __global__ void n(int *p) { *p = *p op 2.0n; }", "K(add, +) K ;",
	      "__global__ void add(int *p) { *p = *p + 2.0n; } K ;");
	check("#define K(n) __global__ void n##_k ## 1() { s = #n \"n\" 'n'; }", "K( a\"b\" )",
	      "__global__ void a\"b\"_k1() { s = \"a\\\"b\\\"\" \"n\" 'n'; }");
	check("#define K(n, ...) __global__ void n(__VA_ARGS__) {}", "K(k, int *p, int n)\nK(none)",
	      "__global__ void k(int *p, int n) {}\n__global__ void none() {}");
}

static void lines(void **state)
{
	(void)state;
	check("#define K(n, x) __global__ void n() \\\n\t{ x; } // done", "K(a,\n f(1,\n 2))\nint b;",
	      "__global__ void a() { f(1,  2); } \n\n\nint b;");
}

static void nested(void **state)
{
	(void)state;
	check("#define D __device__\n#define F(n) D int n() { return 1; }", "F(a) F(b)",
	      "__device__ int a() { return 1; } __device__ int b() { return 1; }");
	check("#define LOOP __device__ LOOP", "int a;", "int a;");
}

static void conditional(void **state)
{
	(void)state;
	check("#ifdef __CUDACC__\n#define HD __host__ __device__\n#else\n#define HD\n#endif", "HD int f();",
	      "__host__ __device__ int f();");
	check("#define HD __device__\n#if 1\n#define HD\n#endif", "HD int f();", "HD int f();");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks), cmocka_unit_test(parameters),	cmocka_unit_test(lines),
		cmocka_unit_test(nested), cmocka_unit_test(conditional),
	};
	int failed;

	session_init(&session);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	session_release(&session);
	mem_pool_release(&pool);
	return failed;
}
