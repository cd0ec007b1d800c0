/* SPDX-License-Identifier: Apache-2.0 */
/* magic.c: where a command counts as one, what is blanked, names that are nearly right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/magics/magic-script.h"
#include "kernel/magics/magic-table.h"

/* "name(args)[body]..." of the calls, then the code. */
static void check(const char *cell, const char *calls, const char *code)
{
	struct magic_script s;
	struct error err = ERROR_INIT;
	cleanup_buffer struct buffer text = BUFFER_INIT;

	if (magic_script_parse(&s, cell, &err))
		fail_msg("%s: %s", cell, err.text);
	for (size_t i = 0; i < s.n_calls; i++) {
		buffer_printf(&text, "%s%s(%s)", i ? " " : "", s.calls[i].magic->name,
			      s.calls[i].args);
		if (s.calls[i].body)
			buffer_printf(&text, "[%s]", s.calls[i].body);
	}
	assert_string_equal(buffer_text(&text), calls);
	assert_string_equal(s.code, code);
	assert_int_equal(strlen(s.code), strlen(cell));
	magic_script_release(&s);
}

static void only_the_leading_block_has_commands(void **state)
{
	(void)state;
	check("%who\nint x;", "who()", "    \nint x;");
	check("\n  // c\n/* a\n b */\n%whos x*\n1", "whos(x*)",
	      "\n  // c\n/* a\n b */\n        \n1");
	check("int a = 7\n% b;\n%who\n", "", "int a = 7\n% b;\n%who\n");
	check("!x;\n", "!(x;)", "   \n");
	check("f(\n!x);", "", "f(\n!x);");
	check("/* c */ int x;\n%who", "", "/* c */ int x;\n%who");
	check("/* c */\n%who", "who()", "/* c */\n    ");
	check("% b", "", "% b");
	check("%5", "", "%5");
}

static void options_stand_behind_both_forms(void **state)
{
	(void)state;
	check("%ptx scale --arch sm_80\nint x;", "ptx(scale --arch sm_80)",
	      "                       \nint x;");
	check("%%ptx --arch sm_80\nint x;", "ptx(--arch sm_80)", "                  \nint x;");
	check("%%sass\n%%cuda -O1\nint x;", "sass() cuda(-O1)", "      \n%%cuda -O1\nint x;");
}

static void comment_form_works_anywhere(void **state)
{
	(void)state;
	check("int x;\n  //%who\nint y;", "who()", "int x;\n        \nint y;");
	check("//%cflags:-lm -O3", "cflags(-lm -O3)", "                 ");
	check("f();\n//%d prints an int\n//%s\n", "", "f();\n//%d prints an int\n//%s\n");
}

static void cell_commands_take_the_rest(void **state)
{
	(void)state;
	check("%%writefile a.c\nint x;\n%who\n", "writefile(a.c)[int x;\n%who\n]",
	      "               \n      \n    \n");
	check("%%writefile a.c", "writefile(a.c)[]", "               ");
}

static void time_leaves_the_code(void **state)
{
	(void)state;
	check("%time f(1);", "time(f(1);)", "      f(1);");
	check("%%time\nf(1);", "time()", "      \nf(1);");
}

static void question_marks(void **state)
{
	(void)state;
	check("?printf", "?(?printf)", "       ");
	check("printf?", "?(printf?)", "       ");
	check("printf??\n", "?(printf?\?)", "        \n");
	check("a ? b : c", "", "a ? b : c");
	check("int x;\nx?", "", "int x;\nx?");
}

static void refuse(const char *cell, const char *says)
{
	struct magic_script s;
	struct error err = ERROR_INIT;

	assert_int_equal(magic_script_parse(&s, cell, &err), -1);
	if (!strstr(err.text, says))
		fail_msg("%s: %s", cell, err.text);
}

static void unknown_names_get_the_nearest(void **state)
{
	(void)state;
	refuse("\n%gup", "line 2: there is no magic %gup; did you mean %gpu [");
	refuse("%limits gpu 3G", "%limit [");
	refuse("%%wriitefile x", "%%writefile");
	refuse("%tiime f(1)", "did you mean %time CODE");
	refuse("%timeit_ f(1)", "did you mean %timeit [");
	refuse("%plot x", "there is no magic %plot; %help");
	refuse("%man qsort", "there is no magic %man; %help");
	refuse("%matplotlib inline", "there is no magic %matplotlib; %help");
	refuse("%writefile x", "is used as %%writefile");
	refuse("int x;\n//%cflag -O3", "%cflags");
}

static void completion_finds_names_under_the_cursor(void **state)
{
	size_t start;

	(void)state;
	assert_true(magic_name_at("%wh", 3, &start));
	assert_int_equal(start, 1);
	assert_true(magic_name_at("\n%%ti\nx", 5, &start));
	assert_int_equal(start, 3);
	assert_true(magic_name_at("%", 1, &start));
	assert_int_equal(start, 1);
	assert_false(magic_name_at("%limit gpu", 9, &start));
	assert_false(magic_name_at("int x = 7\n%wh", 13, &start));
	assert_false(magic_name_at("!wh", 3, &start));
	assert_false(magic_name_at("", 0, &start));
}

static void assert_place(const char *cell, const char *magic, size_t args, size_t start,
			 bool in_body)
{
	struct magic_place p;

	assert_true(magic_place_at(cell, strlen(cell), &p));
	assert_ptr_equal(p.magic, magic_find(magic_table, magic));
	assert_int_equal(p.args, args);
	assert_int_equal(p.start, start);
	assert_int_equal(p.in_body, in_body);
}

static void completion_finds_arguments(void **state)
{
	struct magic_place p;

	(void)state;
	assert_place("%snapshot load a", "snapshot", 10, 15, false);
	assert_place("int a;\n//%snapshot ", "snapshot", 19, 19, false);
	assert_place("!ls a b", "!", 1, 6, false);
	assert_place("? name", "?", 2, 2, false);
	assert_place("%%writefile x", "writefile", 12, 12, false);
	assert_place("%%writefile x\nab c\n%snapshot l", "writefile", 19, 29, true);
	assert_place("%%bash\nab c", "bash", 7, 10, true);
	assert_false(magic_place_at("%snapshot load a\nint b", 20, &p));
	assert_false(magic_place_at("%snapshot load a", 5, &p));
	assert_false(magic_place_at("%time sna", 8, &p)); /* that is C code */
	assert_false(magic_place_at("%%cpp\nsna", 9, &p));
	assert_false(magic_place_at("int a;\n!l", 9, &p));
	assert_false(magic_place_at("", 0, &p));
}

static void words_or_code_behind_one_name(void **state)
{
	struct magic_script s;
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(magic_script_parse(&s, "%on_restart drop 3\nint a;", &err), 0);
	assert_false(s.calls[0].is_cell);
	assert_string_equal(s.code, "                  \nint a;");
	magic_script_release(&s);
	assert_int_equal(magic_script_parse(&s, "%%on_restart a++;\nint a;", &err), 0);
	assert_true(s.calls[0].is_cell);
	assert_string_equal(s.code, "             a++;\nint a;");
	magic_script_release(&s);
}

static void cell_commands_want_an_empty_line(void **state)
{
	(void)state;
	assert_true(magic_wants_more("%%writefile x\nabc\n"));
	assert_false(magic_wants_more("%%writefile x\nabc\n\n"));
	assert_false(magic_wants_more("%who"));
	assert_false(magic_wants_more("%%time\nf();"));
}

static void the_table_is_well_formed(void **state)
{
	const struct magic *m;

	(void)state;
	for (size_t i = 0; (m = magic_table[i]); i++) {
		assert_ptr_equal(magic_find(magic_table, m->name), m);
		assert_non_null(m->run);
		assert_true(m->forms);
		assert_true(strlen(m->usage) <= 34);
		/* The list shows the first line, which is a whole sentence. */
		assert_in_range(strcspn(m->help, "\n"), 10, 96);
		assert_int_equal(m->help[strcspn(m->help, "\n") - 1], '.');
	}
	assert_null(magic_find(magic_table, ""));
	assert_ptr_equal(magic_find(magic_table, "lsmagic"), magic_find(magic_table, "help"));
}

static void words_are_taken_in_turn(void **state)
{
	char text[] = "  gpu   2G", *rest = text;

	(void)state;
	assert_string_equal(magic_next_word(&rest), "gpu");
	assert_string_equal(magic_next_word(&rest), "2G");
	assert_string_equal(magic_next_word(&rest), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_leading_block_has_commands),
		cmocka_unit_test(options_stand_behind_both_forms),
		cmocka_unit_test(comment_form_works_anywhere),
		cmocka_unit_test(cell_commands_take_the_rest),
		cmocka_unit_test(time_leaves_the_code),
		cmocka_unit_test(question_marks),
		cmocka_unit_test(unknown_names_get_the_nearest),
		cmocka_unit_test(completion_finds_names_under_the_cursor),
		cmocka_unit_test(completion_finds_arguments),
		cmocka_unit_test(words_or_code_behind_one_name),
		cmocka_unit_test(cell_commands_want_an_empty_line),
		cmocka_unit_test(the_table_is_well_formed),
		cmocka_unit_test(words_are_taken_in_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
