/* SPDX-License-Identifier: Apache-2.0 */
/* struct declarations: what replaces what, in which order the compiler sees it, and undo. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/buffer.h"
#include "common/error.h"
#include "kernel/session/declarations.h"

static uint32_t cell;

static char *accept_n(struct declarations *d, const struct declaration *add, size_t n)
{
	struct buffer notes = BUFFER_INIT;

	cell++;
	assert_int_equal(declarations_accept(d, add, n, &notes, NULL), 0);
	return buffer_steal(&notes);
}

static void accept(struct declarations *d, enum declaration_kind kind, const char *name, const char *host,
		   const char *device)
{
	struct declaration one = { kind, cell + 1, 1, name, host, device };

	free(accept_n(d, &one, 1));
}

/* What the compiler holds after being told: the host texts, or the device texts where there are none. */
static struct buffer told;

static void tell(struct declarations *d, char *list[], size_t *n_list)
{
	struct declaration *changes;
	size_t first, n;
	int rc = declarations_take_changes(d, &first, &changes, &n, NULL);

	assert_true(rc >= 0);
	if (rc) {
		assert_true(first <= *n_list);
		for (size_t i = first; i < *n_list; i++)
			free(list[i]);
		for (size_t i = 0; i < n; i++)
			list[first + i] = strdup(*changes[i].host ? changes[i].host : changes[i].device);
		*n_list = first + n;
		free(changes);
	}
	buffer_clear(&told);
	for (size_t i = 0; i < *n_list; i++)
		buffer_printf(&told, "%s%s", i ? " | " : "", list[i]);
}

#define SESSION struct declarations d = { 0 }; char *list[64]; size_t n_list = 0
#define TOLD(expected)                                                \
	do {                                                          \
		tell(&d, list, &n_list);                              \
		assert_string_equal(buffer_text(&told), expected);    \
	} while (0)
#define END                                         \
	do {                                        \
		while (n_list)                      \
			free(list[--n_list]);       \
		declarations_release(&d);           \
	} while (0)

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
	assert_int_equal(d.first_changed, 3);
	assert_int_equal(declarations_find(&d, "x")->cell, cell);
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
	assert_string_equal(notes, "note: type p has changed; declared with the old one, and so no longer known: "
			    "pp (In[3]), v (In[4]). Run their cells again to have them with the new type.\n");
	free(notes);
	TOLD("extern int other; | struct p { double x; }; | double norm(struct p);");
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
	accept(&d, DECLARATION_TYPEDEF, "t", "typedef long t;", "");
	accept(&d, DECLARATION_VARIABLE, "v", "extern t v;", "");
	TOLD("typedef long t; | extern t v;");
	free(accept_n(&d, &change, 1));
	TOLD("typedef int t;");
	END;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_text_keeps_its_place),
		cmocka_unit_test(one_namespace_holds_functions_and_variables),
		cmocka_unit_test(used_macro_keeps_its_old_meaning_before),
		cmocka_unit_test(changed_type_takes_its_users_along),
		cmocka_unit_test(undo_and_clear_reach_the_compiler),
		cmocka_unit_test(shrinking_is_a_change),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);

	buffer_release(&told);
	return rc;
}
