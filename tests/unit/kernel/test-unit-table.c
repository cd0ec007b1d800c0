/* SPDX-License-Identifier: Apache-2.0 */
/* struct unit_table: which records of runs go when cells are run again, and which stay. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/code/unit.h"
#include "kernel/units/unit-table.h"

/* A committed run that defines the name ("": nothing). */
static void run(struct unit_table *t, uint32_t cell, const char *name, uint32_t replaces,
		bool has_code)
{
	struct unit_symbol symbol = { .name = name, .type = "int", .type_code = "i", .size = 4 };
	struct unit u = { .cell = cell,
			  .cell_name = "In",
			  .run_symbol = "",
			  .display_type = "",
			  .display_type_code = "",
			  .warnings = "",
			  .symbols = &symbol,
			  .n_symbols = *name != 0 };

	assert_int_equal(unit_table_begin(t, &u, "text", NULL), 0);
	unit_table_place(t, name, 0x1000 * cell, 4);
	unit_table_note_code(t, replaces, has_code);
	unit_table_commit(t);
}

static void check(const struct unit_table *t, uint32_t cell, bool there)
{
	if ((unit_table_find(t, cell) != NULL) != there)
		fail_msg("cell %u is %sthere", cell, there ? "not " : "");
}

static void test_a_notebook_run_again_and_again(void **state)
{
	const struct unit_variable *variables;
	struct unit_table t;
	uint32_t cell = 1;

	(void)state;
	unit_table_init(&t);
	for (int i = 0; i < 1000; i++, cell += 3) {
		run(&t, cell, "f", i ? cell - 3 : 0, true);
		run(&t, cell + 1, "x", 0, false);
		run(&t, cell + 2, "", i ? cell - 1 : 0, true);
		unit_table_tidy(&t, unit_table_committed(&t));
		assert_in_range(t.n, 1, 300);
	}
	assert_int_equal(unit_table_variables(&t, &variables), 2);
	assert_int_equal(unit_table_address(&t, "f"), 0x1000 * (cell - 3));
	assert_int_equal(unit_table_address(&t, "x"), 0x1000 * (cell - 2));
	for (uint32_t i = 1; i <= 3; i++)
		check(&t, cell - i, true);
	check(&t, 1, false);
	unit_table_release(&t);
}

/* Of these each is needed for another reason. */
static void test_what_stays(void **state)
{
	static const struct buffer gone = { .data = (char *)"old", .len = sizeof("old") };
	struct unit_table t;
	uint64_t mark;

	(void)state;
	unit_table_init(&t);
	run(&t, 1, "only", 0, false); /* a variable that there is still */
	run(&t, 2, "f", 0, true);     /* code that earlier callers run */
	run(&t, 3, "f", 0, true);
	run(&t, 4, "", 0, true); /* statements; their constants are still pointed to */
	run(&t, 5, "old", 0, false);
	run(&t, 6, "x", 0, false);
	unit_table_end_names(&t, &gone); /* since here `old` is no more */
	run(&t, 7, "g", 0, true); /* two of one cell: one has been replaced, nobody knows which */
	run(&t, 7, "g", 0, true);
	run(&t, 8, "g", 7, true);
	run(&t, 9, "y", 0, false);
	mark = unit_table_committed(&t);
	run(&t, 10, "y", 0, false);
	for (uint32_t cell = 11; cell < 200; cell++)
		run(&t, cell, "x", 0, false);
	unit_table_tidy(&t, mark);
	for (uint32_t cell = 1; cell < 200; cell++)
		check(&t, cell, true);
	/* Once nothing before is to be returned to. */
	t.tidy_at = 0;
	unit_table_tidy(&t, unit_table_committed(&t));
	for (uint32_t cell = 1; cell < 200; cell++)
		check(&t, cell, cell == 10 || cell == 199 || cell < 9);
	unit_table_release(&t);
}

static void test_back_to_a_mark(void **state)
{
	struct unit_table t;
	struct unit_record *newer;
	size_t n;
	uint64_t mark;

	(void)state;
	unit_table_init(&t);
	for (uint32_t cell = 1; cell < 100; cell++)
		run(&t, cell, "x", 0, false);
	mark = unit_table_committed(&t);
	unit_table_tidy(&t, mark);
	run(&t, 100, "x", 0, false);
	run(&t, 101, "y", 0, false);
	assert_int_equal(unit_table_take(&t, mark, &newer, &n), 0);
	assert_int_equal(n, 2);
	unit_records_free(newer, n);
	assert_int_equal(unit_table_address(&t, "x"), 0x1000 * 99);
	assert_int_equal(unit_table_address(&t, "y"), 0);
	assert_int_equal(unit_table_committed(&t), mark);
	run(&t, 102, "y", 0, false);
	assert_int_equal(unit_table_address(&t, "y"), 0x1000 * 102);
	unit_table_release(&t);
}

/* As cgpu-presenter is given it, also one of the running cell. */
static void test_one_record_by_itself(void **state)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct unit_table t, one;
	struct error err = ERROR_INIT;
	uint64_t serial;
	char line[16];

	(void)state;
	unit_table_init(&t);
	unit_table_init(&one);
	run(&t, 1, "x", 0, false);
	run(&t, 2, "y", 0, false);
	serial = unit_table_find(&t, 1)->serial;
	assert_ptr_equal(unit_table_with_serial(&t, serial), unit_table_find(&t, 1));
	assert_null(unit_table_with_serial(&t, serial + 2));
	unit_record_encode(unit_table_find(&t, 2), &b);
	assert_int_equal(unit_table_decode(&one, b.data, b.len, &err), 0);
	assert_int_equal(one.n, 1);
	assert_int_equal(one.records[0].unit.cell, 2);
	assert_int_equal(unit_table_address(&one, "y"), 0x1000 * 2);
	assert_true(unit_record_source(&one.records[0], 1, line, sizeof(line)));
	assert_string_equal(line, "text");
	assert_false(unit_record_source(&one.records[0], 2, line, sizeof(line)));
	assert_int_equal(unit_table_decode(&one, b.data, b.len - 1, &err), -1);
	unit_table_release(&one);
	unit_table_release(&t);
}

/* A snapshot file may say anything of names that have ended: each takes a row of a table. */
static void test_damaged_names_are_refused(void **state)
{
	static const char name[] = "gone", empty[sizeof(name)] = "", open_end[] = "goner";
	const char *const damages[] = { empty, open_end };
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct buffer names = { .data = (char *)name, .len = sizeof(name) };
	struct unit u = { .cell = 1,
			  .cell_name = "In",
			  .run_symbol = "",
			  .display_type = "",
			  .display_type_code = "",
			  .warnings = "" };
	struct unit_table t;
	char *at;

	(void)state;
	unit_table_init(&t);
	assert_int_equal(unit_table_begin(&t, &u, "text", NULL), 0);
	unit_table_end_names(&t, &names);
	unit_table_commit(&t);
	unit_table_encode(&t, &b);
	unit_table_release(&t);
	at = memmem(b.data, b.len, name, sizeof(name));
	assert_non_null(at);
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct error err = ERROR_INIT;

		memcpy(at, damages[i], sizeof(name));
		unit_table_init(&t);
		assert_int_equal(unit_table_decode(&t, b.data, b.len, &err), -1);
		assert_string_equal(err.text, "a name in the table of cells is damaged");
		assert_int_equal(t.n, 0);
	}
	memcpy(at, name, sizeof(name));
	assert_int_equal(unit_table_decode(&t, b.data, b.len, NULL), 0);
	unit_table_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_notebook_run_again_and_again),
		cmocka_unit_test(test_what_stays),
		cmocka_unit_test(test_back_to_a_mark),
		cmocka_unit_test(test_one_record_by_itself),
		cmocka_unit_test(test_damaged_names_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
