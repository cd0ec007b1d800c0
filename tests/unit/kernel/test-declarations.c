/* SPDX-License-Identifier: Apache-2.0 */
/* struct declarations: what replaces what, in which order the compiler sees it, and undo. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/declarations/declarations.h"

static uint32_t cell;

/* The notebook's cell `id` has run as the next In[]; variables and functions whose text is no
 * `extern` are its own. */
static char *run_n(struct declarations *d, const char *id, struct declaration *add, size_t n)
{
	struct declaration_source from = { id, ++cell, true };
	struct unit_symbol symbols[16] = { 0 };
	struct unit unit = { .declarations = add, .n_declarations = n, .symbols = symbols };
	struct buffer notes = BUFFER_INIT;

	for (size_t i = 0; i < n; i++) {
		add[i].cell = cell;
		if (add[i].kind == DECLARATION_VARIABLE || add[i].kind == DECLARATION_FUNCTION)
			symbols[unit.n_symbols++].name = add[i].name;
	}
	assert_int_equal(declarations_accept(d, &from, &unit, &notes, NULL), 0);
	return buffer_steal(&notes);
}

static char *accept_n(struct declarations *d, struct declaration *add, size_t n)
{
	return run_n(d, NULL, add, n);
}

static void accept(struct declarations *d, enum declaration_kind kind, const char *name,
		   const char *host, const char *device)
{
	struct declaration one = { kind, 0, 1, name, host, device };

	free(accept_n(d, &one, 1));
}

/* What the compiler holds after being told: the host texts, or the device texts where there are
 * none. */
static struct buffer told;

static void tell(struct declarations *d, char *list[], size_t *n_list)
{
	struct declaration_change *changes;
	size_t total, n;
	int rc = declarations_take_changes(d, &total, &changes, &n, NULL);

	assert_true(rc >= 0);
	for (size_t i = 0; rc && i < n; i++) {
		assert_true(changes[i].index <= *n_list);
		if (changes[i].index == *n_list)
			list[(*n_list)++] = NULL;
		free(list[changes[i].index]);
		list[changes[i].index] =
			strdup(*changes[i].d.host ? changes[i].d.host : changes[i].d.device);
	}
	while (rc && *n_list > total)
		free(list[--*n_list]);
	if (rc) {
		assert_int_equal(*n_list, total);
		free(changes);
	}
	buffer_clear(&told);
	for (size_t i = 0; i < *n_list; i++)
		if (*list[i])
			buffer_printf(&told, "%s%s", told.len ? " | " : "", list[i]);
}

#define SESSION                                                                                    \
	struct declarations d = { 0 };                                                             \
	char *list[64];                                                                            \
	size_t n_list = 0
#define TOLD(expected)                                                                             \
	do {                                                                                       \
		tell(&d, list, &n_list);                                                           \
		assert_string_equal(buffer_text(&told), expected);                                 \
	} while (0)
#define END                                                                                        \
	do {                                                                                       \
		while (n_list)                                                                     \
			free(list[--n_list]);                                                      \
		declarations_release(&d);                                                          \
	} while (0)

static void a_cpp_declaration_moves_behind_what_it_uses(void **state)
{
	SESSION;
	struct declaration again = { DECLARATION_CPP, 2, 1, "type s", "struct s { };", "s" };
	struct declaration_source from = { "a", 2, false };
	const char *behind[] = { "v", "no such" };
	struct unit unit = {
		.declarations = &again, .n_declarations = 1, .behind = behind, .n_behind = 2
	};
	struct declarations_kept before;

	(void)state;
	accept(&d, DECLARATION_CPP, "type s", "struct s;", "s");
	accept(&d, DECLARATION_CPP, "v", "extern s v;", "v");
	TOLD("struct s; | extern s v;");
	assert_int_equal(declarations_keep(&d, &before, NULL), 0);
	assert_int_equal(declarations_accept(&d, &from, &unit, NULL, NULL), 0);
	TOLD("struct s { }; | extern s v;");
	declarations_return(&d, &before);
	TOLD("struct s; | extern s v;");
	END;
}

static void same_text_keeps_its_place(void **state)
{
	SESSION;

	(void)state;
	accept(&d, DECLARATION_INCLUDE, "", "#include <math.h>", "");
	accept(&d, DECLARATION_VARIABLE, "x", "extern int x;", "");
	accept(&d, DECLARATION_FUNCTION, "f", "int f(void);", "");
	TOLD("#include <math.h> | extern int x; | int f(void);");
	accept(&d, DECLARATION_INCLUDE, "", "#include <math.h>", "");
	accept(&d, DECLARATION_VARIABLE, "x", "extern int x;", "");
	assert_int_equal(d.list.n, 3);
	assert_non_null(declarations_find(&d, "x"));
	accept(&d, DECLARATION_VARIABLE, "x", "extern long x;", "");
	TOLD("#include <math.h> | int f(void); | extern long x;");
	END;
}

static void one_namespace_holds_functions_and_variables(void **state)
{
	SESSION;

	(void)state;
	accept(&d, DECLARATION_VARIABLE, "a", "extern int a;", "");
	accept(&d, DECLARATION_TAG, "a", "struct a { int x; };", "");
	accept(&d, DECLARATION_FUNCTION, "a", "int a(void);", "");
	TOLD("struct a { int x; }; | int a(void);");
	END;
}

static void used_macro_keeps_its_old_meaning_before(void **state)
{
	SESSION;

	(void)state;
	accept(&d, DECLARATION_MACRO, "N", "#define N 4", "");
	accept(&d, DECLARATION_MACRO, "N", "#define N 5", "");
	TOLD("#define N 5");
	accept(&d, DECLARATION_TAG, "s", "struct s { int a[N]; };", "");
	accept(&d, DECLARATION_MACRO, "N", "#define N 6", "");
	TOLD("#define N 5 | struct s { int a[N]; }; | #undef N\n#define N 6");
	accept(&d, DECLARATION_MACRO, "N", "#define N 7", "");
	TOLD("#define N 5 | struct s { int a[N]; }; | #define N 7");
	END;
}

static void changed_type_takes_its_users_along(void **state)
{
	struct declaration again[] = {
		{ DECLARATION_TAG, 9, 1, "p", "struct p { double x; };", "" },
		{ DECLARATION_FUNCTION, 9, 2, "norm", "double norm(struct p);", "" },
	};
	char *notes;
	SESSION;

	(void)state;
	cell = 0;
	accept(&d, DECLARATION_TAG, "p", "struct p { int x; };", "");
	accept(&d, DECLARATION_VARIABLE, "other", "extern int other;", "");
	accept(&d, DECLARATION_TYPEDEF, "pp", "typedef struct p pp;", "");
	accept(&d, DECLARATION_VARIABLE, "v", "extern pp v;", "");
	accept(&d, DECLARATION_FUNCTION, "norm", "double norm(struct p);", "");
	notes = accept_n(&d, again, 2);
	assert_string_equal(
		notes,
		"note: type p has changed; declared with the old one, and so no longer known: pp "
		"(In[3]), v (In[4]). Run their cells again to have them with the new type.\n");
	free(notes);
	TOLD("extern int other; | 'pp' of In[3] has the type p as it was before In[6] changed it; "
	     "run that cell again to have it with the new one | 'v' of In[4] has the type p as it "
	     "was before In[6] changed it; run that cell again to have it with the new one | "
	     "struct p { double x; }; | double norm(struct p);");
	END;
}

static void undo_and_clear_reach_the_compiler(void **state)
{
	struct declarations_kept kept;
	SESSION;

	(void)state;
	accept(&d, DECLARATION_VARIABLE, "a", "extern int a;", "");
	assert_int_equal(declarations_keep(&d, &kept, NULL), 0);
	accept(&d, DECLARATION_VARIABLE, "b", "extern int b;", "");
	accept(&d, DECLARATION_VARIABLE, "a", "extern long a;", "");
	TOLD("extern int b; | extern long a;");
	declarations_return(&d, &kept);
	TOLD("extern int a;");
	accept(&d, DECLARATION_VARIABLE, "b", "extern int b;", "");
	TOLD("extern int a; | extern int b;");
	declarations_clear(&d);
	TOLD("");
	accept(&d, DECLARATION_VARIABLE, "c", "extern int c;", "");
	TOLD("extern int c;");
	END;
}

/* Removing the last ones only is a change too. */
static void shrinking_is_a_change(void **state)
{
	struct declaration change = { DECLARATION_TYPEDEF, 2, 1, "t", "typedef int t;", "" };
	SESSION;

	(void)state;
	cell = 0;
	accept(&d, DECLARATION_TYPEDEF, "t", "typedef long t;", "");
	accept(&d, DECLARATION_VARIABLE, "v", "extern t v;", "");
	TOLD("typedef long t; | extern t v;");
	free(accept_n(&d, &change, 1));
	TOLD("'v' of In[2] has the type t as it was before In[3] changed it; run that cell again "
	     "to have it with the new one | typedef int t;");
	END;
}

#define RUN(id, ...)                                                                               \
	do {                                                                                       \
		struct declaration unit_[] = { __VA_ARGS__ };                                      \
		char *notes_ = run_n(&d, id, unit_, sizeof(unit_) / sizeof(unit_[0]));             \
		assert_string_equal(notes_ ? notes_ : "", "");                                     \
		free(notes_);                                                                      \
	} while (0)
#define VARIABLE(name) { DECLARATION_VARIABLE, 0, 1, name, "extern int " name ";", "" }
#define MACRO(name, text) { DECLARATION_MACRO, 0, 1, name, "#define " name " " text, "" }
#define STRUCT(name, text) { DECLARATION_TAG, 0, 1, name, "struct " name " { " text " };", "" }
#define INCLUDE(name) { DECLARATION_INCLUDE, 0, 1, "", "#include <" name ">", "" }

static void a_cell_drops_what_it_has_no_more(void **state)
{
	struct buffer names = BUFFER_INIT;
	struct declarations_kept kept, same;
	SESSION;

	(void)state;
	cell = 0;
	RUN("A", VARIABLE("x"), VARIABLE("y"), MACRO("N", "1"));
	RUN("B", VARIABLE("z"));
	struct declaration again[] = { VARIABLE("x") };
	struct unit unit = { .declarations = again, .n_declarations = 1 };
	assert_int_equal(declarations_leaving(&d, "A", &unit, &names, NULL), 0);
	assert_int_equal(names.len, sizeof("y"));
	assert_string_equal(buffer_text(&names), "y");
	assert_int_equal(declarations_keep(&d, &kept, NULL), 0);
	assert_int_equal(declarations_keep(&d, &same, NULL), 0);
	RUN("A", VARIABLE("x"));
	TOLD("extern int x; | 'y' of In[1] was dropped when that cell was run again, as In[3], "
	     "without it | 'N' of In[1] was dropped when that cell was run again, as In[3], "
	     "without it | extern int z;");
	assert_null(declarations_find(&d, "y"));
	declarations_return(&d, &same);
	TOLD("extern int x; | extern int y; | #define N 1 | extern int z;");
	declarations_return(&d, &kept);
	TOLD("extern int x; | extern int y; | #define N 1 | extern int z;");
	RUN("A", VARIABLE("y"));
	TOLD("'x' of In[1] was dropped when that cell was run again, as In[4], without it | extern "
	     "int y; | 'N' of In[1] was dropped when that cell was run again, as In[4], without it "
	     "| extern int z;");
	RUN("C", VARIABLE("x"));
	TOLD("extern int y; | 'N' of In[1] was dropped when that cell was run again, as In[4], "
	     "without it | extern int z; | extern int x;");
	buffer_release(&names);
	END;
}

static void what_a_later_cell_redefines_is_that_cells(void **state)
{
	SESSION;

	(void)state;
	RUN("A", VARIABLE("x"));
	RUN("B", VARIABLE("x"));
	RUN("A", VARIABLE("other"));
	assert_non_null(declarations_find(&d, "x"));
	RUN("B", VARIABLE("another"));
	assert_null(declarations_find(&d, "x"));
	END;
}

/* An include is in use until no cell has it any more, and always when it came from a cell without
 * an id. */
static void what_several_cells_say_goes_with_the_last(void **state)
{
	SESSION;

	(void)state;
	RUN("A", INCLUDE("math.h"), MACRO("N", "1"), INCLUDE("time.h"));
	RUN("B", INCLUDE("math.h"), MACRO("N", "1"));
	RUN(NULL, INCLUDE("time.h"));
	RUN("A", VARIABLE("x"));
	TOLD("#include <math.h> | #define N 1 | #include <time.h> | extern int x;");
	RUN("B", VARIABLE("y"));
	assert_null(declarations_find(&d, "N"));
	tell(&d, list, &n_list);
	assert_null(strstr(buffer_text(&told), "math.h"));
	assert_non_null(strstr(buffer_text(&told), "time.h"));
	END;
}

static void what_other_cells_need_stays(void **state)
{
	SESSION;

	(void)state;
	cell = 0;
	RUN("A", MACRO("N", "4"), STRUCT("s", "int a[N];"), STRUCT("unused", "int a;"));
	RUN("B", { DECLARATION_VARIABLE, 0, 1, "v", "extern struct s v;", "" });
	RUN("A", VARIABLE("x"));
	/* The macro keeps its meaning for the type that was made with it. */
	TOLD("#define N 4 | struct s { int a[N]; }; | 'unused' of In[1] was dropped when that cell "
	     "was run again, as In[3], without it | extern struct s v; | 'N' of In[1] was dropped "
	     "when that cell was run again, as In[3], without it | #undef N | extern int x;");
	RUN("B", VARIABLE("y"));
	RUN("A", VARIABLE("x"));
	assert_null(declarations_find(&d, "s"));
	END;
}

static void layout_and_comments_change_no_type(void **state)
{
	SESSION;

	(void)state;
	RUN("A", STRUCT("s", "int a; /* old */"));
	RUN("B", { DECLARATION_VARIABLE, 0, 1, "v", "extern struct s v;", "" });
	RUN("A", STRUCT("s", "int   a;\n// new\n"));
	RUN("C", { DECLARATION_TAG, 0, 1, "s", "struct s;", "" });
	TOLD("struct s { int   a;\n// new\n }; | extern struct s v;");
	END;
}

static void a_type_that_is_completed_is_the_same_type(void **state)
{
	SESSION;

	(void)state;
	RUN("A", { DECLARATION_TAG, 0, 1, "s", "struct s;", "" },
	    { DECLARATION_VARIABLE, 0, 1, "p", "extern struct s *p;", "" });
	RUN("B", STRUCT("s", "int a;"));
	TOLD("struct s { int a; }; | extern struct s *p;");
	END;
}

/* The slots of what has gone are used up, so that a session in which a cell is edited for hours
 * stays short. */
static void a_cell_that_is_edited_for_hours_leaves_a_short_list(void **state)
{
	static char *list[8192];
	struct declarations d = { 0 };
	size_t n_list = 0;

	(void)state;
	cell = 0;
	RUN("B", VARIABLE("stays"));
	for (int i = 0; i < 3000; i++) {
		char text[64];
		struct declaration one = { DECLARATION_VARIABLE, 0, 1, "x", text, "" };

		snprintf(text, sizeof(text), "extern int x[%d];", i + 1);
		free(run_n(&d, "A", &one, 1));
		tell(&d, list, &n_list);
	}
	assert_string_equal(buffer_text(&told), "extern int stays; | extern int x[3000];");
	assert_in_range(d.list.n, 2, 200);
	RUN("A", VARIABLE("y"));
	assert_null(declarations_find(&d, "x"));
	assert_non_null(declarations_find(&d, "stays"));
	END;
}

static void names_are_dropped_by_hand(void **state)
{
	struct buffer names = BUFFER_INIT;
	struct declarations_kept kept;
	SESSION;

	(void)state;
	cell = 0;
	RUN("A", VARIABLE("x"), STRUCT("s", "int a;"), VARIABLE("y"));
	assert_int_equal(declarations_keep(&d, &kept, NULL), 0);
	buffer_append(&names, "x\0s", sizeof("x\0s"));
	assert_int_equal(declarations_drop(&d, &names, "was dropped by %reset in In[2]", NULL), 0);
	TOLD("'x' of In[1] was dropped by %reset in In[2] | 's' of In[1] was dropped by %reset in "
	     "In[2] | extern int y;");
	declarations_return(&d, &kept);
	TOLD("extern int x; | struct s { int a; }; | extern int y;");
	buffer_release(&names);
	END;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpp_declaration_moves_behind_what_it_uses),
		cmocka_unit_test(same_text_keeps_its_place),
		cmocka_unit_test(one_namespace_holds_functions_and_variables),
		cmocka_unit_test(used_macro_keeps_its_old_meaning_before),
		cmocka_unit_test(changed_type_takes_its_users_along),
		cmocka_unit_test(undo_and_clear_reach_the_compiler),
		cmocka_unit_test(shrinking_is_a_change),
		cmocka_unit_test(a_cell_drops_what_it_has_no_more),
		cmocka_unit_test(what_a_later_cell_redefines_is_that_cells),
		cmocka_unit_test(what_several_cells_say_goes_with_the_last),
		cmocka_unit_test(what_other_cells_need_stays),
		cmocka_unit_test(layout_and_comments_change_no_type),
		cmocka_unit_test(a_type_that_is_completed_is_the_same_type),
		cmocka_unit_test(a_cell_that_is_edited_for_hours_leaves_a_short_list),
		cmocka_unit_test(names_are_dropped_by_hand),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);

	buffer_release(&told);
	return rc;
}
