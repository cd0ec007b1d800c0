/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A compilation that was begun before its text was known gives what one gives that was not, errors
 * and lines included, and knows nothing of how things were when it was begun.
 */
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "common/code/unit.h"
#include "compiler/frontend/compile.h"
#include "compiler/session/cpp-header.h"
#include "compiler/session/header-ahead.h"

static char folder[] = "/tmp/cgpu-test-ahead-XXXXXX";
static struct compiler compiler;

static struct compile_result compile(const char *text, const char *cflags)
{
	struct compile_request request = { .cell = 3,
					   .cell_name = "In[3]",
					   .text = text,
					   .cflags = cflags,
					   .nvflags = "",
					   .sm = 75 };
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
		"1 + 2",
		"int v = 3;",
		"int f(int x)\n{\n\treturn x + 1;\n}\nf(2)",
		"double s = 0;\nfor (int i = 0; i < 9; i++)\n\ts += i;\ns",
		"int x = 1;\nint y = nothing_of_that_name;",
		"if (1 = 2) ;",
		"printf(\"%d\\n\", \"text\");",
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

/* Options of a user's, of any kind, are left to clang. What was made of the cells before must not
 * matter. */
static bool is_as_clang_makes_it(const char *text)
{
	struct compile_result ours, clangs;
	bool same;

	compiler_rest(&compiler);
	ours = compile(text, "");
	clangs = compile(text, "-DUNUSED_NAME");
	assert_true(ours.ok);
	assert_true(clangs.ok);
	same = ours.unit.len == clangs.unit.len &&
	       !memcmp(ours.unit.data, clangs.unit.data, ours.unit.len);
	compile_result_release(&ours);
	compile_result_release(&clangs);
	return same;
}

static void test_loops_as_clang_makes_them(void **state)
{
	static const char *const cells[] = {
		"double s = 0;\nfor (int i = 0; i < 5000; i++)\n\ts += i;\ns",
		"double a[64][64], b[64][64];\nfor (int i = 0; i < 64; i++)\n\tfor (int k = 0; k < "
		"64; k++)\n"
		"\t\ta[i][k] += 2 * b[i][k];",
		"int f(const int *p, int n)\n{\n\tint sum = 0;\n\twhile (n--) {\n\t\tint x = p[n] "
		"* 3;\n\t\tsum += x > 7 ? x : -x;\n"
		"\t}\n\treturn sum;\n}",
		"__attribute__((optnone)) int g(int n)\n{\n\tint i, sum = 0;\n\tfor (i = 0; i < n; "
		"i++)\n\t\tsum += i;\n\treturn sum;\n}",
		"int h(int n) { return n < 2 ? n : h(n - 1) + h(n - 2); }",
		/* Few turns, but of memory; too many turns, of one loop and of two; what is
		   inlined; a circle that is no loop. */
		"double dot(const double *a, const double *b)\n{\n\tdouble s = 0;\n\tfor (int i = "
		"0; i < 3; i++)\n\t\ts += a[i] * b[i];\n"
		"\treturn s;\n}",
		"int f(int x)\n{\n\tfor (int i = 0; i < 40; i++)\n\t\tx = x * 3 ^ i;\n\treturn "
		"x;\n}",
		"int f(int x)\n{\n\tfor (int i = 0; i < 8; i++)\n\t\tfor (int k = 0; k < 8; "
		"k++)\n\t\t\tx = x * 3 ^ i + k;\n\treturn x;\n}",
		"int square(int x) { return x * x; }\nint f(int x) { return square(x) + square(x + "
		"1); }",
		"int f(int x)\n{\n\tif (x & 1)\n\t\tgoto odd;\neven:\n\tx = x / 2 - "
		"1;\nodd:\n\tx--;\n\tif (x > 9)\n\t\tgoto even;\n"
		"\treturn x;\n}",
	};

	(void)state;
	for (size_t i = 0; i < 3 * sizeof(cells) / sizeof(cells[0]); i++)
		if (!is_as_clang_makes_it(cells[i % (sizeof(cells) / sizeof(cells[0]))]))
			fail_msg("not as clang makes it: %s",
				 cells[i % (sizeof(cells) / sizeof(cells[0]))]);
}

static struct compile_result compile_ahead(const char *text)
{
	compiler_rest(&compiler);
	return compile(text, "");
}

/* Short loops are not made as clang makes them, and the same each time, whatever was made before.
 */
static void test_short_loops(void **state)
{
	static const char *const cells[] = {
		"double s = 0;\nfor (int i = 0; i < 9; i++)\n\ts += i;\ns",
		"int f(int x)\n{\n\tfor (int i = 0; i < 10; i++)\n\t\tx = x * 3 ^ i;\n\treturn "
		"x;\n}\nf(2)",
		"double root(double x)\n{\n\tdouble g = x + 1;\n\tint n = 8;\n\twhile (n--)\n\t\tg "
		"= (g + x / g) / 2;\n\treturn g;\n}",
		"int f(int x) { return x + 1; }\nint a[20];\nfor (int i = 0; i < 20; i++)\n\tfor "
		"(int k = i; k < 20; k++)\n"
		"\t\ta[i] += f(k);",
	};
	enum { N = sizeof(cells) / sizeof(cells[0]) };
	struct compile_result first[N], again;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		if (is_as_clang_makes_it(cells[i]))
			fail_msg("as clang makes it: %s", cells[i]);
		first[i] = compile_ahead(cells[i]);
	}
	for (size_t i = 0; i < 3 * N; i++) {
		again = compile_ahead(cells[i % N]);
		assert_same(&again, &first[i % N]);
		compile_result_release(&again);
	}
	for (size_t i = 0; i < N; i++)
		compile_result_release(&first[i]);
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
	snprintf(text, sizeof(text),
		 "#include \"%s/known.h\"\n#include \"%s/fresh.h\"\nKNOWN_NOW + FRESH", folder,
		 folder);
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

static void include(uint32_t index, const char *directive)
{
	const struct declaration d = { .kind = strncmp(directive, "#define", 7)
						       ? DECLARATION_INCLUDE
						       : DECLARATION_MACRO,
				       .name = strncmp(directive, "#define", 7) ? "" : "LEVEL",
				       .host = directive,
				       .device = "" };

	assert_int_equal(session_set(&compiler.session, index, &d, NULL), 0);
	compiler_rest(&compiler);
}

static void assert_compiles(const char *text, const char *cflags, bool with_header)
{
	struct compile_result r = compile(text, cflags);

	if (!r.ok)
		fail_msg("%s:\n%s", text, buffer_text(&r.all));
	assert_int_equal(compiler.header.path.len != 0, with_header);
	buffer_clear(&compiler.header.path);
	compile_result_release(&r);
}

/* Of the one variable that the cell defines. */
static void assert_size(const char *text, const char *cflags, uint64_t size)
{
	struct compile_result r = compile(text, cflags);
	struct unit u;

	assert_true(r.ok);
	assert_int_equal(unit_decode(r.unit.data, r.unit.len, &u, NULL), 0);
	assert_int_equal(u.n_symbols, 1);
	assert_int_equal(u.symbols[0].size, size);
	unit_release(&u);
	compile_result_release(&r);
}

/* What the session has included is precompiled, and is as if it stood in the text. */
static void test_headers_of_the_session(void **state)
{
	char flags[300];

	(void)state;
	snprintf(flags, sizeof(flags), "-I%s", folder);
	write_file("level.h", "enum { OF_LEVEL = LEVEL };\n");
	include(0, "#include <regex.h>");
	assert_compiles("regex_t r;\nsizeof(r) + REG_EXTENDED", "", true);
	include(1, "#define LEVEL 3");
	include(2, "#include <level.h>");
	assert_compiles("int a[OF_LEVEL == 3 && LEVEL == 3 ? 1 : -1];", flags, true);
	/* The header's text changes, then a macro that stands in front of it; then the cell defines
	 * such a one itself. */
	write_file("level.h", "enum { OF_LEVEL = 10 + LEVEL };\n");
	assert_compiles("int b[OF_LEVEL == 13 ? 1 : -1];", flags, true);
	/* The cell compiles with the old text, too. */
	write_file("level.h", "enum { OF_LEVEL = 100 + LEVEL };\n");
	assert_size("char b3[OF_LEVEL];", flags, 103);
	write_file("level.h", "enum { OF_LEVEL = 10 + LEVEL };\n");
	include(1, "#define LEVEL 4");
	assert_compiles("int c[OF_LEVEL == 14 && LEVEL == 4 ? 1 : -1];", flags, true);
	include(2, "#include <fnmatch.h>");
	assert_compiles("#define LEVEL 5\nint d[LEVEL == 5 ? 1 : -1];", "", false);
	session_truncate(&compiler.session, 1);
	compiler_rest(&compiler);
	assert_compiles("int e[REG_ICASE == 2 ? 1 : -1];", "", true);
	session_truncate(&compiler.session, 0);
	assert_compiles("int f;", "", false);
}

/* A cell comes while a child makes its header: it is made once, by the one or the other. */
static void test_first_header_of_cpp(void **state)
{
	static const char cell[] =
		"template <typename T> T twice(T x) { return x + x; }\nint a = twice(3);";
	cleanup_buffer struct buffer path = BUFFER_INIT;
	struct stat made, used;
	struct compile_result r;

	(void)state;
	assert_int_equal(cpp_header_path(&compiler.options,
					 options_get_cpp(&compiler.options, "", NULL), "", &path,
					 NULL),
			 0);
	compiler_rest(&compiler);
	assert_false(compiler.ahead);
	compiler.sm = 75;
	/* C++ is asked about what is no C. */
	unlink(buffer_text(&path));
	compiler_rest(&compiler);
	assert_true(compiler.ahead);
	r = compile(cell, "");
	if (!r.ok)
		fail_msg("%s", buffer_text(&r.all));
	compile_result_release(&r);
	assert_int_equal(stat(buffer_text(&path), &made), 0);
	/* That of the device may still be in the making, which no cell has asked for. */
	header_ahead_stop();
	r = compile(cell, "");
	assert_true(r.ok);
	compile_result_release(&r);
	assert_int_equal(stat(buffer_text(&path), &used), 0);
	assert_int_equal(made.st_ino, used.st_ino);
}

static pid_t child_of_ours(void)
{
	int child = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	f = fopen(path, "r");
	assert_non_null(f);
	if (fscanf(f, "%d", &child) != 1)
		child = 0;
	fclose(f);
	return child;
}

/* Has the child files of headers under other names than their last ones? */
static bool has_unfinished(pid_t child)
{
	char path[300], mark[24];
	struct dirent *e;
	bool found = false;
	DIR *d;

	snprintf(path, sizeof(path), "%s/cgpu", folder);
	snprintf(mark, sizeof(mark), ".%d", (int)child);
	d = opendir(path);
	assert_non_null(d);
	while ((e = readdir(d)))
		found |= !strncmp(e->d_name, "cpp-", 4) && strstr(e->d_name, ".pch") &&
			 strstr(e->d_name, mark);
	closedir(d);
	return found;
}

/* The child gets no processor in the middle of a header: the cell makes it, and nothing of the
 * child's is left. */
static void test_header_taken_over(void **state)
{
	cleanup_buffer struct buffer path = BUFFER_INIT;
	struct compile_result r;
	pid_t child;

	(void)state;
	assert_int_equal(cpp_header_path(&compiler.options,
					 options_get_cpp(&compiler.options, "", NULL), "", &path,
					 NULL),
			 0);
	do {
		header_ahead_stop();
		unlink(buffer_text(&path));
		compiler.sm = 75;
		compiler.ahead = false;
		compiler_rest(&compiler);
		child = child_of_ours();
		assert_true(child > 0);
		while (!has_unfinished(child))
			;
		kill(child, SIGSTOP);
	} while (!access(buffer_text(&path), R_OK));
	r = compile("template <typename T> T half(T x) { return x / 2; }\nint b = half(6);", "");
	if (!r.ok)
		fail_msg("%s", buffer_text(&r.all));
	compile_result_release(&r);
	assert_int_equal(kill(child, 0), -1);
	assert_false(has_unfinished(child));
	assert_int_equal(access(buffer_text(&path), R_OK), 0);
}

static void assert_compiles_cpp(const char *text)
{
	struct compile_result r = compile(text, "");

	if (!r.ok)
		fail_msg("%s:\n%s", text, buffer_text(&r.all));
	compile_result_release(&r);
}

/* Replaces the bytes of a file, which stays the same file. */
static void overwrite(const char *path, const char *with)
{
	char command[900];

	snprintf(command, sizeof(command), "cat %s >%s", with, path);
	assert_int_equal(system(command), 0);
}

/* Another notebook has made a header anew, and the system has given the file the number of the
 * former one. What cells have read of that one means nothing in this one. */
static void test_another_header_under_the_same_file_number(void **state)
{
	cleanup_buffer struct buffer small = BUFFER_INIT, path = BUFFER_INIT;

	(void)state;
	assert_compiles_cpp("template <typename T> T same(T x) { return x; }\nint c = same(6);");
	buffer_puts(&small, buffer_text(&compiler.cpp_header.path));
	assert_compiles_cpp("#include <map>\n#include <string>\n#include <regex>\n"
			    "std::map<std::string, std::regex> kept;\n"
			    "kept[\"a\"] = std::regex(\"b\");");
	buffer_puts(&path, buffer_text(&compiler.cpp_header.path));
	assert_string_not_equal(buffer_text(&small), buffer_text(&path));
	header_ahead_stop();
	/* Another header is mapped in place of this one. */
	include(0, "#include <fnmatch.h>");
	header_ahead_stop();
	assert_compiles("int d;", "", true);
	session_truncate(&compiler.session, 0);
	overwrite(buffer_text(&path), buffer_text(&small));
	while (!compiler_rest(&compiler))
		;
	header_ahead_stop();
	assert_compiles_cpp("#include <map>\n#include <string>\n#include <regex>\n"
			    "template <typename T> T twice(T x) { return x + x; }\n"
			    "int e = twice(3);");
	unlink(buffer_text(&path));
}

static int set_up(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	if (!mkdtemp(folder) || setenv("XDG_CACHE_HOME", folder, 1) ||
	    setenv("CGPU_PRELUDE", PRELUDE, 1))
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
		cmocka_unit_test(test_loops_as_clang_makes_them),
		cmocka_unit_test(test_short_loops),
		cmocka_unit_test(test_headers_made_meanwhile),
		cmocka_unit_test(test_headers_of_the_session),
		cmocka_unit_test(test_first_header_of_cpp),
		cmocka_unit_test(test_header_taken_over),
		cmocka_unit_test(test_another_header_under_the_same_file_number),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
