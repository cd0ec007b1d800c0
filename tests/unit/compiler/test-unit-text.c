/* SPDX-License-Identifier: Apache-2.0 */
/* compiler/text/unit-text: the way from the unit back to the cell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/mem-pool.h"
#include "compiler/text/unit-text.h"

static const char cell[] = "int a, b;";

static void begin(struct unit_text *u)
{
	unit_text_init(u, cell, sizeof(cell) - 1, "In[1]");
	unit_text_puts(u, "/* generated */");
	unit_text_copy(u, 0, sizeof(cell) - 1, NULL);
}

static void what_is_written_is_of_the_cell(void **state)
{
	struct mem_pool pool = MEM_POOL_INIT;
	struct unit_text u;
	long start;

	(void)state;
	begin(&u);
	start = strstr(buffer_text(&u.text), "int") - buffer_text(&u.text);
	assert_string_equal(unit_text_written(&u, start, start + 8, &pool), "int a, b");
	assert_string_equal(unit_text_written(&u, 0, 5, &pool), "");
	assert_string_equal(unit_text_written(&u, -1, 5, &pool), "");
	unit_text_release(&u);
	mem_pool_release(&pool);
}

/* A line that declares n variables is the text of each. */
static void texts_of_one_cell_have_a_limit(void **state)
{
	struct mem_pool pool = MEM_POOL_INIT;
	struct unit_text u;
	size_t total = 0;
	long start;

	(void)state;
	begin(&u);
	start = strstr(buffer_text(&u.text), "int") - buffer_text(&u.text);
	for (int i = 0; i < 100000; i++)
		total += strlen(unit_text_written(&u, start, start + 8, &pool));
	assert_in_range(total, 4096, 4096 + 8 * sizeof(cell));
	assert_in_range(pool.total, 0, 100000);
	unit_text_release(&u);
	mem_pool_release(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_of_the_cell),
		cmocka_unit_test(texts_of_one_cell_have_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
