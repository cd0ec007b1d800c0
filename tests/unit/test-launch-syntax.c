/* SPDX-License-Identifier: Apache-2.0 */
/* compiler/launch-syntax: CUDA's spellings become C, everything else stays byte for byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/buffer.h"
#include "common/mem-pool.h"
#include "compiler/launch-syntax.h"

static enum name_class classify(void *context, const char *name, size_t len)
{
	(void)context;
	return len == 4 && !memcmp(name, "dim3", 4) ? NAME_TYPE : NAME_UNKNOWN;
}

static void check(const char *text, const char *expected)
{
	struct mem_pool pool = MEM_POOL_INIT;
	struct name_source names = { classify, NULL };
	struct edit_list edits = { 0 };
	struct unit_text unit;
	struct split s;

	assert_int_equal(split_init(&s, text, strlen(text), &names, &pool, NULL), 0);
	launch_syntax_edit(&s, &pool, &edits);
	edit_list_sort(&edits);
	unit_text_init(&unit, text, strlen(text), "In[1]");
	unit_text_copy(&unit, 0, (uint32_t)strlen(text), &edits);
	assert_string_equal(buffer_text(&unit.text), expected);
	unit_text_release(&unit);
	edit_list_release(&edits);
	mem_pool_release(&pool);
}

static void launches(void **state)
{
	(void)state;
	check("k<<<g, b>>>(a, n);", "(cgpu_launch_configure(cgpu_dim3_of(g),cgpu_dim3_of( "
				    "b),0,0,__LINE__)?(void)0:k(a, n));");
	check("k<<<g,b,64>>>();", "(cgpu_launch_configure(cgpu_dim3_of(g),cgpu_dim3_of(b),(64),0,__"
				  "LINE__)?(void)0:k());");
	check("k<<<g,b,64,st>>>();", "(cgpu_launch_configure(cgpu_dim3_of(g),cgpu_dim3_of(b),(64),("
				     "st),__LINE__)?(void)0:k());");
	check("k<<<(n + 255) >> 8, f(1, 2)>>>(x);",
	      "(cgpu_launch_configure(cgpu_dim3_of((n + 255) >> 8),cgpu_dim3_of( f(1, "
	      "2)),0,0,__LINE__)?(void)0:k(x));");
	check("t[i].k<<<g,b>>>(x);", "(cgpu_launch_configure(cgpu_dim3_of(g),cgpu_dim3_of(b),0,0,__"
				     "LINE__)?(void)0:t[i].k(x));");
}

static void channel_descriptors(void **state)
{
	(void)state;
	check("d = cudaCreateChannelDesc<float>();", "d = cgpu_channel_desc(float);");
	check("d = cudaCreateChannelDesc< unsigned char >();", "d = cgpu_channel_desc( unsigned char );");
	check("d = cudaCreateChannelDesc(32, 0, 0, 0, f);", "d = cudaCreateChannelDesc(32, 0, 0, 0, f);");
	check("b = cudaCreateChannelDesc < c;", "b = cudaCreateChannelDesc < c;");
}

static void launches_over_lines(void **state)
{
	(void)state;
	check("k <<< g, /* c */\n  b >>> // d\n (a);",
	      "(cgpu_launch_configure(cgpu_dim3_of(  g),cgpu_dim3_of( /* c */\n  b "
	      "),0,0,__LINE__)?(void)0:k // d\n (a));");
}

static void nested(void **state)
{
	(void)state;
	check("if (a) k<<<1,2>>>(f(g<<<3,4>>>(1)));",
	      "if (a) "
	      "(cgpu_launch_configure(cgpu_dim3_of(1),cgpu_dim3_of(2),0,0,__LINE__)?(void)0:k(f("
	      "(cgpu_launch_configure(cgpu_dim3_of(3),cgpu_dim3_of(4),0,0,__LINE__)?(void)0:g(1))))"
	      ");");
	check("void f(void) { for (;;) k<<<1,2>>>(); }",
	      "void f(void) { for (;;) "
	      "(cgpu_launch_configure(cgpu_dim3_of(1),cgpu_dim3_of(2),0,0,__LINE__)?(void)0:k()); "
	      "}");
}

static void dim3(void **state)
{
	(void)state;
	check("f(dim3(1, 2));", "f(cgpu_dim3(1, 2));");
	check("{ dim3 g(4, 4), b; dim3 c = g; }",
	      "{ dim3 g = cgpu_dim3(4, 4), b = cgpu_dim3(); dim3 c = g; }");
	check("void f(dim3 g, dim3 b) { const dim3 c(1); }",
	      "void f(dim3 g, dim3 b) { const dim3 c = cgpu_dim3(1); }");
}

static void left_alone(void **state)
{
	(void)state;
	check("puts(\"k<<<1,2>>>(3) dim3(1)\"); // k<<<1,2>>>(3)",
	      "puts(\"k<<<1,2>>>(3) dim3(1)\"); // k<<<1,2>>>(3)");
	check("x = a << 3 >> 2;", "x = a << 3 >> 2;");
	check("k<<<1,2", "k<<<1,2");
	check("__global__ void k(void) { dim3 d(1); }", "__global__ void k(void) { dim3 d(1); }");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(launches),
		cmocka_unit_test(channel_descriptors),   cmocka_unit_test(launches_over_lines),
		cmocka_unit_test(nested),     cmocka_unit_test(dim3),
		cmocka_unit_test(left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
