/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A compilation that was begun before its text was known gives what one gives that was not, errors and lines included, and
 * knows nothing of how things were when it was begun.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/error.h"
#include "compiler/compile.h"

static char folder[] = "/tmp/cgpu-test-ahead-XXXXXX";
static struct compiler compiler;

static struct compile_result compile(const char *text, const char *cflags)
{
	struct compile_request request = { .cell = 3, .cell_name = "In[3]", .text = text, .cflags = cflags, .sm = 75 };
	struct compile_result result;
	struct error err = ERROR_INIT;

	if (compiler_compile(&compiler, &request, &result, &err))
		fail_msg("%s", err.text);
	return result;
}

static void assert_same(const struct compile_result *a, const struct compile_result *b)
{
	assert_int_equal(a->ok, b->ok);
	assert_int_equal(a->line, b->line);
	assert_int_equal(a->unit.len, b->unit.len);
	if (a->ok)
		assert_memory_equal(a->unit.data, b->unit.data, a->unit.len);
	else
		assert_string_equal(buffer_text(&a->all), buffer_text(&b->all));
}

/* The first after a rest is begun ahead; the second is not. */
static void test_same_as_without(void **state)
{
	static const char *const cells[] = {
		"1 + 2", "int v = 3;", "int f(int x)\n{\n\treturn x + 1;\n}\nf(2)",
		"double s = 0;\nfor (int i = 0; i < 9; i++)\n\ts += i;\ns",
		"int x = 1;\nint y = nothing_of_that_name;", "if (1 = 2) ;", "printf(\"%d\\n\", \"text\");",
		"#define TWICE(x) (2 * (x))\nTWICE(\n4)",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		struct compile_result first, second;

		compiler_rest(&compiler);
		first = compile(cells[i], "");
		second = compile(cells[i], "");
		assert_same(&first, &second);
		compile_result_release(&first);
		compile_result_release(&second);
	}
}

static void write_file(const char *name, const char *text)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void test_headers_made_meanwhile(void **state)
{
	struct compile_result r;
	char text[700];

	(void)state;
	snprintf(text, sizeof(text), "#include \"%s/known.h\"\n#include \"%s/fresh.h\"\nKNOWN_NOW + FRESH", folder, folder);
	write_file("known.h", "enum { KNOWN = 1 };\n");
	compiler_rest(&compiler);
	write_file("known.h", "enum { KNOWN_NOW = 2 };\n");
	write_file("fresh.h", "enum { FRESH = 3 };\n");
	r = compile(text, "");
	if (!r.ok)
		fail_msg("%s", buffer_text(&r.all));
	compile_result_release(&r);
	compiler_rest(&compiler);
	r = compile("LEVEL", "-DLEVEL=3");
	assert_true(r.ok);
	compile_result_release(&r);
	r = compile("LEVEL", "");
	assert_false(r.ok);
	compile_result_release(&r);
}

static int set_up(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	if (!mkdtemp(folder) || setenv("XDG_CACHE_HOME", folder, 1) || setenv("CGPU_PRELUDE", PRELUDE, 1))
		return -1;
	if (compiler_init(&compiler, &err))
		fail_msg("%s", err.text);
	return 0;
}

static int tear_down(void **state)
{
	char command[400];

	(void)state;
	compiler_release(&compiler);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_as_without),
		cmocka_unit_test(test_headers_made_meanwhile),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
