/* SPDX-License-Identifier: Apache-2.0 */
/* compiler/closure: what begins a lambda of device code in a cell of C, what only looks like one; the names that are shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/lambda-name.h"
#include "common/mem-pool.h"
#include "compiler/closure.h"

/* What the first bracket of the text is, and how much of the text belongs to it. */
static void check(const char *text, enum closure_fault fault, const char *whole)
{
	struct mem_pool pool = MEM_POOL_INIT;
	struct token_list l;
	struct closure x;
	uint32_t i = 0;

	assert_int_equal(token_list_init(&l, text, strlen(text), &pool, NULL), 0);
	while (!token_is(&l, i, "["))
		i++;
	assert_int_equal(closure_read(&l, i, &x), fault);
	if (fault != CLOSURE_NONE) {
		assert_int_equal(l.at[x.end - 1].end - l.at[x.first].start, strlen(whole));
		assert_memory_equal(token_text(&l, x.first), whole, strlen(whole));
	}
	mem_pool_release(&pool);
}

static void lambdas(void **state)
{
	static const char *const good[] = {
		"[=] __device__ (int i) { return a[i]; }",
		"[a, b] __host__ __device__ (int i) mutable { a++; }",
		"[x = f(1, 2), =] __device__ (float v) -> float { return v; }",
		"[] __device__ { return 1; }",
		"[=](int i) __device__ { return i; }",
	};
	char text[160];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		strcpy(text, good[i]);
		check(text, CLOSURE_GOOD, good[i]);
		strcpy(text, "return ");
		strcat(text, good[i]);
		strcat(text, ";");
		check(text, CLOSURE_GOOD, good[i]);
		strcpy(text, "k<<<1, 1>>>(p, ");
		strcat(text, good[i]);
		strcat(text, ", 2);");
		check(text, CLOSURE_GOOD, good[i]);
	}
}

static void refused(void **state)
{
	(void)state;
	check("f([&] __device__ (int i) { return i; })", CLOSURE_BY_REFERENCE, "[&] __device__ (int i) { return i; }");
	check("f([a, &b] __device__ { })", CLOSURE_BY_REFERENCE, "[a, &b] __device__ { }");
	check("f([=, this] __device__ { })", CLOSURE_OF_THIS, "[=, this] __device__ { }");
	check("f([*this] __device__ { })", CLOSURE_OF_THIS, "[*this] __device__ { }");
	check("f([=](int i) { return i; })", CLOSURE_OF_HOST, "[=](int i) { return i; }");
	check("f([p...] __device__ { })", CLOSURE_OTHER, "[p...] __device__ { }");
	check("f([x = &a] __device__ { })", CLOSURE_GOOD, "[x = &a] __device__ { }");
}

static void others(void **state)
{
	static const char *const texts[] = {
		"a[i](x) { }", "int a[] = { 1 };", "{ [0] = 1, [1] = 2 }", "f(x)[1] (y) { }", "[[deprecated]] int f(void) { }",
		"\"text\"[1]", "[=] __device__ (int i);", "[=", "p[0]{",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		check(texts[i], CLOSURE_NONE, "");
}

static void names(void **state)
{
	static const char *const shown[][2] = {
		{ "apply<struct cgpu_closure_f_0123456789>", "apply<lambda f>" },
		{ "apply<cgpu_closure_0123456789>(int)", "apply<lambda>(int)" },
		{ "cgpu_closure_two_words_0123456789, 3", "lambda two_words, 3" },
		{ "k<cgpu_lambda_f>", "k<lambda f>" },
		{ "_Z5applyI25cgpu_closure_f_0123456789E", "_Z5applyI25cgpu_closure_f_0123456789E" },
		{ "construct f", "construct f" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		char text[80];

		strcpy(text, shown[i][0]);
		lambda_name_show(text);
		assert_string_equal(text, shown[i][1]);
	}
	lambda_name_show(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lambdas),
		cmocka_unit_test(refused),
		cmocka_unit_test(others),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
