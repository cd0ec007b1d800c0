/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a unit has compiled of the C++ library later units call, as long as the session has it
 * declared; what is made of a cell's own types, or by another header, is compiled by each unit that
 * uses it.
 */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/code/unit.h"
#include "config.h"
#include "tests/unit/compiler/compiler-fixture.h"

#define HEADERS "#include <algorithm>\n#include <functional>\n#include <set>\n#include <vector>\n"
#define SORTS                                                                                      \
	"for (int i = 0; i < 1000; i++) list.push_back(i * 7 % 31);\nstd::sort(list.begin(), "     \
	"list.end(), std::greater<int>());\n"
#define SORT "_ZSt16__introsort_loopI"

/* One that was compiled, and what holds it. */
struct made {
	struct compile_result result;
	struct unit unit;
	void *object; /* aligned, as it is not in the unit's bytes */
};

/* The first symbol whose name has both in it: 'U' where it is not defined, 'T' where it is; 0:
 * there is none. */
static char symbol_of(const struct made *m, const char *begin, const char *part)
{
	const Elf64_Ehdr *h = m->object;
	const char *bytes = m->object;
	const Elf64_Shdr *sections = (const Elf64_Shdr *)(bytes + h->e_shoff);

	for (size_t i = 0; i < h->e_shnum; i++) {
		const Elf64_Sym *s = (const Elf64_Sym *)(bytes + sections[i].sh_offset);

		for (size_t k = 1;
		     sections[i].sh_type == SHT_SYMTAB && k < sections[i].sh_size / sizeof(*s);
		     k++) {
			const char *name =
				bytes + sections[sections[i].sh_link].sh_offset + s[k].st_name;

			if (!strncmp(name, begin, strlen(begin)) && strstr(name, part))
				return s[k].st_shndx == SHN_UNDEF ? 'U' : 'T';
		}
	}
	return 0;
}

static struct made compile(struct compiler *c, uint32_t cell, const char *text)
{
	struct made m = { .result = compiler_fixture_compile(c, cell, text, "") };

	assert_int_equal(unit_decode(m.result.unit.data, m.result.unit.len, &m.unit, NULL), 0);
	m.object = malloc(m.unit.object_len);
	assert_non_null(m.object);
	memcpy(m.object, m.unit.object, m.unit.object_len);
	return m;
}

static void release(struct made *m)
{
	free(m->object);
	unit_release(&m->unit);
	compile_result_release(&m->result);
}

/* As the kernel does when the cell is committed. all: also what other units may call. */
static void accept(struct compiler *c, const struct made *m, bool all)
{
	for (size_t i = 0; i < m->unit.n_declarations; i++)
		if (all || m->unit.declarations[i].kind != DECLARATION_INSTANCES)
			assert_int_equal(session_set(&c->session, session_count(&c->session),
						     &m->unit.declarations[i], NULL),
					 0);
}

static bool declares(const struct made *m, const char *part)
{
	for (size_t i = 0; i < m->unit.n_declarations; i++)
		if (m->unit.declarations[i].kind == DECLARATION_INSTANCES &&
		    strstr(m->unit.declarations[i].device, part))
			return true;
	return false;
}

static void test_later_units_call_it(void **state)
{
	struct compiler c = compiler_fixture_start();
	struct made first, second;

	(void)state;
	first = compile(&c, 3, HEADERS "std::vector<int> list;\n" SORTS);
	assert_int_equal(symbol_of(&first, UNIT_INSTANCE, SORT), 'T');
	assert_true(declares(&first, SORT));
	accept(&c, &first, true);
	second = compile(&c, 4, SORTS);
	assert_int_equal(symbol_of(&second, UNIT_INSTANCE, SORT), 'U');
	assert_int_equal(symbol_of(&second, SORT, ""), 0);
	assert_false(declares(&second, SORT));
	release(&first);
	release(&second);
	compiler_release(&c);
}

/* Many statements that run once are not worth what inlining into them takes. */
static void test_only_loops_have_what_they_call_inlined(void **state)
{
	static const char push_back[] = "_ZNSt6vectorIiSaIiEE9push_backERKi",
			  call[] = "list.push_back(n);\n";
	struct compiler c = compiler_fixture_start();
	cleanup_buffer struct buffer many = BUFFER_INIT;
	struct made once, often;

	(void)state;
	buffer_puts(&many, HEADERS "std::vector<int> list;\nint n = 9000;\n");
	for (int i = 0; i < 200; i++)
		buffer_puts(&many, call);
	once = compile(&c, 3, buffer_text(&many));
	assert_int_not_equal(symbol_of(&once, push_back, ""), 0);
	accept(&c, &once, false);
	often = compile(&c, 4, "for (int i = 0; i < n; i++) list.push_back(n);\n");
	assert_int_equal(symbol_of(&often, push_back, ""), 0);
	release(&once);
	release(&often);
	compiler_release(&c);
}

/* LLVM inlines the one in its only caller; the other one's address is all that the cell needs. */
static void test_also_what_was_inlined(void **state)
{
	static const char *const symbols[] = { "_ZNSt6vectorIiSaIiEE17_M_realloc_insert",
					       "_ZNSt6vectorIiSaIiEED2Ev" };
	static const char pushes[] = "for (int i = 0; i < 5000; i++) list.push_back(i * 7 % 31);\n";
	struct compiler c = compiler_fixture_start();
	char cell[400];
	struct made first, second;

	(void)state;
	snprintf(cell, sizeof(cell), HEADERS "std::vector<int> list;\n%s", pushes);
	first = compile(&c, 3, cell);
	accept(&c, &first, true);
	snprintf(cell, sizeof(cell), "std::vector<int> other;\n%s", pushes);
	second = compile(&c, 4, cell);
	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
		assert_int_equal(symbol_of(&first, UNIT_INSTANCE, symbols[i]), 'T');
		assert_int_equal(symbol_of(&second, UNIT_INSTANCE, symbols[i]), 'U');
		assert_int_equal(symbol_of(&second, symbols[i], ""), 0);
	}
	release(&first);
	release(&second);
	compiler_release(&c);
}

/* The cell was taken back, or was rolled back: nobody has it. */
static void test_what_is_not_declared_is_compiled(void **state)
{
	struct compiler c = compiler_fixture_start();
	struct made first, second;

	(void)state;
	first = compile(&c, 3, HEADERS "std::vector<int> list;\n" SORTS);
	accept(&c, &first, false);
	second = compile(&c, 4, SORTS "list.size()");
	assert_int_equal(symbol_of(&second, UNIT_INSTANCE, SORT), 'T');
	assert_true(declares(&second, SORT));
	release(&first);
	release(&second);
	compiler_release(&c);
}

static void test_another_header(void **state)
{
	struct compiler c = compiler_fixture_start();
	struct made first, second;

	(void)state;
	first = compile(&c, 3, HEADERS "std::vector<int> list;\n" SORTS);
	accept(&c, &first, true);
	second = compile(&c, 4, "#include <cwctype>\n" SORTS);
	assert_int_equal(symbol_of(&second, UNIT_INSTANCE, SORT), 'T');
	release(&first);
	release(&second);
	compiler_release(&c);
}

static void test_of_own_types_nothing_is_given(void **state)
{
	static const char *const cells[] = {
		HEADERS "struct mine { int n; bool operator<(const mine &o) const { return n < "
			"o.n; } };\nstd::vector<mine> list;\n"
			"for (int i = 0; i < 1000; i++) list.push_back({ i * 7 % 31 "
			"});\nstd::sort(list.begin(), list.end());",
		HEADERS
		"std::vector<int> list;\nfor (int i = 0; i < 1000; i++) list.push_back(i * 7 % "
		"31);\n"
		"std::sort(list.begin(), list.end(), [](int a, int b) { return a % 8 < b % 8; });",
		HEADERS "template <> struct std::less<int> { bool operator()(int a, int b) const { "
			"return a % 9 < b % 9; } };\n"
			"std::vector<int> list;\nfor (int i = 0; i < 1000; i++) list.push_back(i * "
			"7 % 31);\n"
			"std::sort(list.begin(), list.end(), std::less<int>());",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		struct compiler c = compiler_fixture_start();
		struct made m = compile(&c, 3, cells[i]);

		assert_int_equal(symbol_of(&m, SORT, ""), 'T');
		assert_int_equal(symbol_of(&m, UNIT_INSTANCE, SORT), 0);
		assert_false(declares(&m, SORT));
		release(&m);
		compiler_release(&c);
	}
}

/* Each unit has the variable of its own, so it needs the functions that use it. */
static void test_with_a_static_variable(void **state)
{
	static const char header[] = "#pragma once\n"
				     "#define WORK(name, what) inline int name(int n) { for (int i "
				     "= 1; i < n; i++) { n ^= n * i / 3; \\\n"
				     "if (n % 5 == i % 7) n += what; if (n % 11 > i % 13) n -= i / "
				     "7; if (n % 9 < i / 5) n += i % 4; } \\\n"
				     "return n; }\n"
				     "static int counter;\nWORK(counting, counter++)\nWORK(plain, "
				     "1)\nWORK(over_another, counting(n))\n";
	struct compiler c = compiler_fixture_start();
	char path[100], cell[400];
	struct made m;
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/own.h", compiler_fixture_folder());
	f = fopen(path, "we");
	assert_non_null(f);
	fputs(header, f);
	assert_int_equal(fclose(f), 0);
	snprintf(cell, sizeof(cell),
		 "#include <vector>\n#include <%s>\n"
		 "int (*volatile all[])(int) = { counting, plain, over_another "
		 "};\nstd::vector<int> v;\n"
		 "for (int i = 0; i < 1000; i++) v.push_back(all[i %% 3](i));",
		 path);
	m = compile(&c, 3, cell);
	assert_int_equal(symbol_of(&m, UNIT_INSTANCE, "5plain"), 'T');
	assert_int_equal(symbol_of(&m, UNIT_INSTANCE, "8counting"), 0);
	assert_int_equal(symbol_of(&m, UNIT_INSTANCE, "12over_another"), 0);
	assert_int_equal(symbol_of(&m, "", "12over_another"), 'T');
	release(&m);
	compiler_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_later_units_call_it),
		cmocka_unit_test(test_only_loops_have_what_they_call_inlined),
		cmocka_unit_test(test_also_what_was_inlined),
		cmocka_unit_test(test_what_is_not_declared_is_compiled),
		cmocka_unit_test(test_another_header),
		cmocka_unit_test(test_of_own_types_nothing_is_given),
		cmocka_unit_test(test_with_a_static_variable),
	};

	return cmocka_run_group_tests(tests, compiler_fixture_set_up, compiler_fixture_tear_down);
}
