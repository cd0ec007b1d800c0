/* SPDX-License-Identifier: Apache-2.0 */
/* compiler/split: a cell falls into the right items, whatever stands between them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/buffer.h"
#include "common/error.h"
#include "common/mem-pool.h"
#include "compiler/text/split.h"

/* The names that the session knows in these tests. */
static enum name_class classify(void *context, const char *name, size_t len)
{
	static const struct {
		const char *name;
		enum name_class class;
	} known[] = {
		{ "FILE", NAME_TYPE },		{ "size_t", NAME_TYPE },
		{ "dim3", NAME_TYPE },		{ "x", NAME_VALUE },
		{ "printf", NAME_VALUE },	{ "REAL", NAME_MACRO_SPECIFIER },
		{ "EXPORT", NAME_MACRO_EMPTY }, { "FOREACH", NAME_MACRO },
	};

	(void)context;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strlen(known[i].name) == len && !memcmp(known[i].name, name, len))
			return known[i].class;
	return NAME_UNKNOWN;
}

/* One letter an item: # directive, d declaration, f function, s statement, e expression. */
static void check(const char *text, const char *expected)
{
	struct mem_pool pool = MEM_POOL_INIT;
	struct name_source names = { classify, NULL };
	struct buffer got = BUFFER_INIT;
	struct error err = ERROR_INIT;
	struct split s;

	assert_int_equal(split_init(&s, text, strlen(text), &names, &pool, &err), 0);
	for (uint32_t i = 0; i < s.n_items; i++) {
		const struct item *item = &s.items[i];

		buffer_putc(&got, "#dfse"[item->kind]);
		/* Items follow each other without a gap. */
		assert_int_equal(item->first, i ? s.items[i - 1].end : 0);
	}
	if (s.n_items)
		assert_int_equal(s.items[s.n_items - 1].end, s.tokens.n);
	assert_string_equal(buffer_text(&got), expected);
	buffer_release(&got);
	mem_pool_release(&pool);
}

static void expressions(void **state)
{
	(void)state;
	check("", "");
	check("  // nothing\n/* at all */ ", "");
	check("1+1", "e");
	check("1+1;", "s");
	check("x", "e");
	check("printf(\"a;b\")", "e");
	check("x * x", "e");
	check("a * b", "e");
	check("(struct p){ 1, 2 }.a", "e");
	check("({ int a = 3; a; })", "e");
	check("x = 1; x // last", "se");
	check("sizeof(int)", "e");
	check("*x = 3;", "s");
}

static void declarations(void **state)
{
	(void)state;
	check("int x = 3; printf(\"%d\\n\", x);", "ds");
	check("FILE *f; size_t n = 3;", "dd");
	check("unknown_t *p;", "d");
	check("unknown_t a, b;", "d");
	check("x * y;", "s");
	check("struct s { int a; } v, *w; union u { int i; };", "dd");
	check("typedef struct { int a; } t; t a; t *b; t(c);", "dddd");
	check("typedef int (*op)(int); op o = f;", "dd");
	check("enum { A, B = 3 };", "d");
	check("int a[] = { 1, 2 }, b = (int){ 3 };", "d");
	check("REAL r = 1; EXPORT int y; EXPORT void f(void) {}", "ddf");
	check("__extension__ typedef int t; _Static_assert(1, \"\");", "dd");
	check("#define T long\nT v = 3;", "#d");
	check("#define CALL(a) a()\nCALL(f);", "#s");
	check("int x = 3", "d");
}

static void functions(void **state)
{
	(void)state;
	check("int f(int a) { return a; }", "f");
	check("int f(int a);", "d");
	check("struct s *f(struct s a) { return 0; } int g;", "fd");
	check("int f(a, b) int a; double b; { return a; }", "f");
	check("int (*f(void))(int) { return 0; }", "f");
	check("main() { return 0; }", "f");
	check("static inline __attribute__((noinline)) int f(void) { if (1) { } return 0; } f()",
	      "fe");
}

static void statements(void **state)
{
	(void)state;
	check("if (x) { } else if (x) x++; else { }", "s");
	check("for (int i = 0; i < 3; i++) x += i; x", "se");
	check("do { x--; } while (x > 0); while (x) ;", "ss");
	check("switch (x) { case 1: break; default: ; }", "s");
	check("FOREACH(i, 3) { x; } FOREACH(i, 3) x;", "ss");
	check("again: x++; if (x < 3) goto again;", "ss");
	check("{ int a; }", "s");
	check(";;", "ss");
	check("return;", "s");
	check("asm volatile (\"nop\" : : : \"memory\"); asm(\".globl z\");", "sd");
}

static void directives(void **state)
{
	(void)state;
	check("#include <stdio.h>\n  #define A(x) \\\n\t(x + \\\n 1)\nA(2)", "##e");
	check("#define S \"/*\"\nint a;", "#d");
	check("x; # not at the start", "se");
	check("#pragma once // c\n#if 1 /* two\nlines */\nint a;\n#endif", "##d#");
}

static void broken_text_ends(void **state)
{
	static const char *const texts[] = { "}",      ")(",	 "if",	   "if (",     "for (;;",
					     "do",     "int f(", "struct", "struct {", "\"abc",
					     "'",      "/*",	 "#",	   "case",     "x ? y",
					     "a:",     "enum {", "\\",	   "@",	       "<<<",
					     "typedef" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct mem_pool pool = MEM_POOL_INIT;
		struct name_source names = { classify, NULL };
		struct split s;

		assert_int_equal(split_init(&s, texts[i], strlen(texts[i]), &names, &pool, NULL),
				 0);
		mem_pool_release(&pool);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expressions),	    cmocka_unit_test(declarations),
		cmocka_unit_test(functions),	    cmocka_unit_test(statements),
		cmocka_unit_test(directives),
		cmocka_unit_test(broken_text_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
