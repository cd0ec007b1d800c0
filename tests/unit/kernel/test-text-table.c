/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of texts as text and as HTML. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "kernel/base/text-table.h"

static const struct text_column columns[] = {
	{ "name", "of the thing", 3, 8, true },
	{ "n", "", 5, 5, false },
	{ "value", "", 0, 0, true },
};

static void add(struct text_table *t, bool is_bad, const char *a, const char *b, const char *c)
{
	text_table_begin_row(t, is_bad);
	text_table_add(t, a);
	text_table_add(t, b);
	text_table_add(t, c);
}

static void check(const struct text_table *t, const char *expected_text, const char *expected_rows)
{
	cleanup_buffer struct buffer text = BUFFER_INIT, html = BUFFER_INIT;

	text_table_text(t, &text);
	assert_int_equal(buffer_check(&text, NULL), 0);
	assert_string_equal(buffer_text(&text), expected_text);
	text_table_html(t, &html);
	assert_int_equal(buffer_check(&html, NULL), 0);
	assert_non_null(strstr(buffer_text(&html), expected_rows));
}

static void columns_are_as_wide_as_their_texts(void **state)
{
	struct text_table t;

	(void)state;
	text_table_init(&t, columns, 3);
	check(&t, "name      n  value\n", "</thead><tbody>\n</tbody></table></div>\n");
	add(&t, false, "caf\xc3\xa9s", "12", "a b");
	add(&t, false, "x", "", "");
	check(&t, "name       n  value\ncaf\xc3\xa9s     12  a b\nx\n",
	      "<tr><td style=\"text-align:left\">caf\xc3\xa9s</td><td>12</td>"
	      "<td style=\"text-align:left\">a b</td></tr>\n");
	text_table_release(&t);
}

static void long_texts_push_what_is_behind_them(void **state)
{
	struct text_table t;

	(void)state;
	text_table_init(&t, columns, 3);
	add(&t, false, "a name of many words", "1", "v");
	add(&t, false, "b", "1234567", "w");
	check(&t,
	      "name          n  value\n"
	      "a name of many words      1  v\n"
	      "b         1234567  w\n",
	      "<td>1234567</td>");
	text_table_release(&t);
}

static void texts_are_no_markup(void **state)
{
	struct text_table t;

	(void)state;
	text_table_init(&t, columns, 3);
	add(&t, true, "<b>", "1", "\"&");
	text_table_note(&t, "... 5 more <here> ...");
	add(&t, false, "c", "2", "d");
	check(&t,
	      "name      n  value\n<b>       1  \"&\n  ... 5 more <here> ...\n"
	      "c         2  d\n",
	      "<tr style=\"background:rgba(234,67,53,.25)\"><td style=\"text-align:left\">"
	      "&lt;b&gt;</td>");
	check(&t,
	      "name      n  value\n<b>       1  \"&\n  ... 5 more <here> ...\n"
	      "c         2  d\n",
	      "<tr><td colspan=\"3\" style=\"text-align:left;opacity:.6\">... 5 more "
	      "&lt;here&gt; ...</td></tr>\n");
	text_table_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_as_wide_as_their_texts),
		cmocka_unit_test(long_texts_push_what_is_behind_them),
		cmocka_unit_test(texts_are_no_markup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
