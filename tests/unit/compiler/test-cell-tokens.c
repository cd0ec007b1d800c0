/* SPDX-License-Identifier: Apache-2.0 */
/* compiler/text/cell-tokens: where the items of a cell seem to end, and macros that stand for a
 * bracket. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/mem-pool.h"
#include "compiler/text/cell-tokens.h"
#include "compiler/text/words.h"

static char letter(const struct token_list *l, const struct cell_item *item)
{
	if (l->at[item->first].kind == TOKEN_DIRECTIVE)
		return '#';
	if (item->body != TOKEN_NONE)
		return 'f';
	if (words_declare(l, item->first))
		return item->is_open ? 'D' : 'd';
	return item->is_open ? 'e' : 's';
}

/* One letter an item: # directive, d declaration, f function, s statement; D, e: the text ends in
 * it. */
static void check(const char *text, const char *expected)
{
	struct mem_pool pool = MEM_POOL_INIT;
	struct name_source names = { NULL, NULL };
	struct buffer got = BUFFER_INIT;
	struct error err = ERROR_INIT;
	struct token_list l;
	struct cell_item item;

	assert_int_equal(cell_tokens_init(&l, text, strlen(text), &names, &pool, &err), 0);
	for (uint32_t i = 0; i < l.n; i = item.end) {
		item = cell_item_at(&l, i);
		assert_true(item.end > i && item.end <= l.n);
		buffer_putc(&got, letter(&l, &item));
	}
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
	check("struct s { int a; } v, *w; union u { int i; };", "dd");
	check("typedef struct { int a; } t; t a; t *b; t(c);", "ddds");
	check("typedef int (*op)(int); op o = f;", "dd");
	check("enum { A, B = 3 };", "d");
	check("int a[] = { 1, 2 }, b = (int){ 3 };", "d");
	check("REAL r = 1; EXPORT int y; EXPORT void f(void) {}", "ddf");
	check("__extension__ typedef int t; _Static_assert(1, \"\");", "dd");
	check("#define T long\nT v = 3;", "#d");
	check("#define CALL(a) a()\nCALL(f);", "#s");
	check("#define BEGIN {\n#define END }\nint f(void) BEGIN return 1; END f()", "##fe");
	check("int x = 3", "D");
}

static void functions(void **state)
{
	(void)state;
	check("int f(int a) { return a; }", "f");
	check("int f(int a);", "d");
	check("struct s *f(struct s a) { return 0; } int g;", "fd");
	check("int f(a, b) int a; double b; { return a; }", "dds");
	check("int (*f(void))(int) { return 0; }", "f");
	check("main() { return 0; }", "f");
	check("static inline __attribute__((noinline)) int f(void) { if (1) { } return 0; } f()",
	      "fe");
}

static void statements(void **state)
{
	(void)state;
	check("if (x) { } else if (x) x++; else { }", "sss");
	check("for (int i = 0; i < 3; i++) x += i; x", "se");
	check("do { x--; } while (x > 0); while (x) ;", "sss");
	check("switch (x) { case 1: break; default: ; }", "s");
	check("FOREACH(i, 3) { x; } FOREACH(i, 3) x;", "fs");
	check("again: x++; if (x < 3) goto again;", "ss");
	check("{ int a; }", "s");
	check(";;", "ss");
	check("return;", "s");
	check("asm volatile (\"nop\" : : : \"memory\"); asm(\".globl z\");", "ss");
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
	static const char *const texts[] = { "}",      ")(",     "if",     "if (",     "for (;;",
					     "do",     "int f(", "struct", "struct {", "\"abc",
					     "'",      "/*",     "#",      "case",     "x ? y",
					     "a:",     "enum {", "\\",     "@",        "<<<",
					     "typedef" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct mem_pool pool = MEM_POOL_INIT;
		struct name_source names = { NULL, NULL };
		struct token_list l;
		struct cell_item item;

		assert_int_equal(
			cell_tokens_init(&l, texts[i], strlen(texts[i]), &names, &pool, NULL), 0);
		for (uint32_t t = 0; t < l.n; t = item.end) {
			item = cell_item_at(&l, t);
			assert_true(item.end > t && item.end <= l.n);
		}
		mem_pool_release(&pool);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expressions), cmocka_unit_test(declarations),
		cmocka_unit_test(functions),   cmocka_unit_test(statements),
		cmocka_unit_test(directives),  cmocka_unit_test(broken_text_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
