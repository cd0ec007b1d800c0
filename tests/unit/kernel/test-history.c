/* SPDX-License-Identifier: Apache-2.0 */
/* struct history: tail, range, search over sessions, two kernels at once, and no usable file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <sqlite3.h>

#include "kernel/base/loop.h"
#include "kernel/session/history.h"

static char folder[] = "/tmp/cgpu-history-XXXXXX";
static char path[128];

static void expect(json_t *rows, const char *expected)
{
	char *text = json_dumps(rows, JSON_COMPACT);

	assert_string_equal(text, expected);
	free(text);
	json_decref(rows);
}

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/a/b/history.sqlite", folder);
	return 0;
}

static int remove_folder(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static void sessions_follow_each_other(void **state)
{
	struct history *h = history_new(path, NULL);

	(void)state;
	assert_string_equal(history_place(h), path);
	history_add(h, 1, "int x = 1;");
	history_add(h, 2, "x");
	history_add_output(h, 2, "1");
	history_free(h);
	h = history_new(path, NULL);
	history_add(h, 1, "float y;");
	history_add(h, 2, "x");
	expect(history_tail(h, 3, false), "[[1,2,\"x\"],[2,1,\"float y;\"],[2,2,\"x\"]]");
	expect(history_tail(h, 3, true),
	       "[[1,2,[\"x\",\"1\"]],[2,1,[\"float y;\",null]],[2,2,[\"x\",null]]]");
	expect(history_range(h, 0, 1, -1, false), "[[2,1,\"float y;\"],[2,2,\"x\"]]");
	expect(history_range(h, -1, 1, 2, false), "[[1,1,\"int x = 1;\"]]");
	expect(history_range(h, 1, 2, 9, false), "[[1,2,\"x\"]]");
	expect(history_search(h, "*x*", -1, false, false),
	       "[[1,1,\"int x = 1;\"],[1,2,\"x\"],[2,2,\"x\"]]");
	expect(history_search(h, "*x*", 1, false, false), "[[2,2,\"x\"]]");
	expect(history_search(h, "?", -1, true, false), "[[2,2,\"x\"]]");
	expect(history_search(h, "nothing", -1, false, false), "[]");
	history_free(h);
}

/* The row of line 50: its session. */
static int session_of(struct history *h, const char *source)
{
	json_t *rows = history_range(h, 0, 50, -1, false);
	int session = (int)json_integer_value(json_array_get(json_array_get(rows, 0), 0));
	char expected[64];

	snprintf(expected, sizeof(expected), "[[%d,50,\"%s\"]]", session, source);
	expect(rows, expected);
	return session;
}

/* Both open it at once and write in turns; which is the first session is left open. */
static void two_kernels_share_the_file(void **state)
{
	struct history *a = history_new(path, NULL), *b = history_new(path, NULL);

	(void)state;
	for (int i = 1; i <= 50; i++) {
		history_add(a, i, "a");
		history_add(b, i, "b");
		/* Reading has a kernel's own rows written. */
		json_decref(history_tail(i % 2 ? a : b, 1, false));
	}
	json_t *rows = history_search(a, "?", -1, false, false);
	assert_int_equal(json_array_size(rows), 100);
	json_decref(rows);
	assert_int_equal(session_of(a, "a") + session_of(b, "b"), 3);
	history_free(a);
	history_free(b);
}

/* The rows are there soon, without anybody who reads with this connection. */
static void on_look(void *data)
{
	struct history *other = history_new(path, NULL);
	json_t *rows = history_search(other, "in time", -1, false, false);

	if (json_array_size(rows))
		loop_stop(data);
	else
		loop_add_timer(data, 10, on_look, data);
	json_decref(rows);
	history_free(other);
}

static void rows_are_written_in_time(void **state)
{
	struct loop *loop = loop_new();
	struct history *h = history_new(path, loop);

	(void)state;
	history_add(h, 1, "in time");
	loop_add_timer(loop, 1, on_look, loop);
	loop_run(loop);
	history_free(h);
	loop_free(loop);
}

static off_t size_of_file(void)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_size;
}

/* Moving rows from the log into the file syncs both to the disk. */
static void cells_do_not_wait_for_a_sync(void **state)
{
	struct history *h = history_new(path, NULL);
	enum { LINES = 100, LENGTH = 100000 };
	char *text = malloc(LENGTH + 1);

	(void)state;
	memset(text, 'x', LENGTH);
	text[LENGTH] = '\0';
	assert_string_equal(history_place(h), path);
	for (uint32_t i = 1; i <= LINES; i++)
		history_add(h, i, text);
	json_decref(history_tail(h, 1, false));
	assert_true(size_of_file() < LENGTH);
	history_free(h);
	assert_true(size_of_file() > (off_t)LINES * LENGTH);
	free(text);
}

/* The lock that keeps the file from being opened is let go by the loop, which so must go on
 * meanwhile. */
struct stander {
	struct loop *loop;
	sqlite3 *db;
};

static void let_go(void *data)
{
	struct stander *s = data;

	assert_int_equal(sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(s->db);
	on_look(s->loop);
}

static void nobody_waits_for_a_file_that_cannot_be_opened_yet(void **state)
{
	struct stander s = { .loop = loop_new() };
	struct history *h;

	(void)state;
	snprintf(path, sizeof(path), "%s/history.sqlite", folder);
	assert_int_equal(sqlite3_open(path, &s.db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(s.db, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
	h = history_new(path, s.loop);
	history_add(h, 1, "in time");
	assert_string_not_equal(history_place(h), path);
	/* Later than rows are written. */
	loop_add_timer(s.loop, 500, let_go, &s);
	loop_run(s.loop);
	assert_string_equal(history_place(h), path);
	history_free(h);
	loop_free(s.loop);
}

static void check_memory(const char *place)
{
	struct history *h = history_new(place, NULL);

	assert_string_equal(history_place(h), "memory");
	history_add(h, 1, "kept");
	expect(history_tail(h, 5, false), "[[1,1,\"kept\"]]");
	history_free(h);
}

static void without_a_file_memory_serves(void **state)
{
	FILE *f;

	(void)state;
	check_memory("off");
	check_memory("/proc/no/such/folder/history.sqlite");
	snprintf(path, sizeof(path), "%s/garbage", folder);
	f = fopen(path, "w");
	for (int i = 0; i < 2000; i++)
		fputs("not a database ", f);
	fclose(f);
	check_memory(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sessions_follow_each_other, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(two_kernels_share_the_file, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(rows_are_written_in_time, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(cells_do_not_wait_for_a_sync, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(nobody_waits_for_a_file_that_cannot_be_opened_yet,
						make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(without_a_file_memory_serves, make_folder,
						remove_folder),
	};

	alarm(300);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
