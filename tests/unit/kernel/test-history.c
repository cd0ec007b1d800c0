/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct history with the built cgpu-history, and with one that is played: this program under that
 * name, which does what HISTORY_PLAYS says.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <sqlite3.h>

#include "common/base/buffer.h"
#include "common/base/record.h"
#include "common/protocol/history-protocol.h"
#include "common/protocol/history-query.h"
#include "common/protocol/ipc.h"
#include "kernel/base/loop.h"
#include "kernel/session/history.h"
#include "kernel/supervisor/supervisor.h"

static char folder[] = "/tmp/cgpu-history-XXXXXX";
static char path[128];
static struct loop *loop;

static int set_up(void **state)
{
	(void)state;
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/history.sqlite", folder);
	loop = loop_new();
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	loop_free(loop);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static void on_answer(void *data, json_t *rows)
{
	*(json_t **)data = rows;
	loop_stop(loop);
}

/* Compares the answer to a question with the rows as JSON. */
static void expect(struct history *h, struct history_query q, const char *expected)
{
	json_t *rows = NULL;
	char *text;

	assert_int_equal(history_ask(h, &q, on_answer, &rows), 0);
	loop_run(loop);
	text = json_dumps(rows, JSON_COMPACT);
	assert_string_equal(text, expected);
	free(text);
	json_decref(rows);
}

#define TAIL(...)                                                                                  \
	(struct history_query)                                                                     \
	{                                                                                          \
		.kind = HISTORY_TAIL, __VA_ARGS__                                                  \
	}

static void rows_come_back_the_oldest_first(void **state)
{
	struct history *h = history_new(LIBEXEC, path, NULL, loop);

	(void)state;
	history_add(h, 1, "int x = 1;");
	history_add(h, 2, "x");
	history_add_output(h, 2, "1");
	expect(h, TAIL(.n = 9), "[[1,1,\"int x = 1;\"],[1,2,\"x\"]]");
	expect(h, TAIL(.n = 9, .output = true),
	       "[[1,1,[\"int x = 1;\",null]],[1,2,[\"x\",\"1\"]]]");
	expect(h,
	       (struct history_query){
		       .kind = HISTORY_RANGE, .session = 0, .start = 1, .stop = -1 },
	       "[[1,1,\"int x = 1;\"],[1,2,\"x\"]]");
	assert_true(history_doctor(h)->ok);
	assert_memory_equal(history_doctor(h)->detail, path, strlen(path));
	history_free(h);
}

/* Each of these many rows is a message of more than a megabyte. */
static void long_rows_are_written(void **state)
{
	struct history *h = history_new(LIBEXEC, path, NULL, loop);
	enum { LINES = 7, LENGTH = 1100000 };
	char *text = malloc(LENGTH + 1);
	json_t *rows = NULL;
	struct history_query all = TAIL(.n = -1);

	(void)state;
	memset(text, 'x', LENGTH);
	text[LENGTH] = '\0';
	for (uint32_t i = 1; i <= LINES; i++)
		history_add(h, i, text);
	assert_int_equal(history_ask(h, &all, on_answer, &rows), 0);
	loop_run(loop);
	assert_int_equal(json_array_size(rows), LINES);
	json_decref(rows);
	history_free(h);
	free(text);
}

static int count_rows(void)
{
	sqlite3 *db;
	sqlite3_stmt *stmt = NULL;
	int n = 0;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_prepare_v2(db, "SELECT count(*) FROM history", -1, &stmt, NULL) == SQLITE_OK &&
	    sqlite3_step(stmt) == SQLITE_ROW)
		n = sqlite3_column_int(stmt, 0);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return n;
}

static void on_look(void *data)
{
	if (count_rows() >= *(int *)data)
		loop_stop(loop);
	else
		loop_add_timer(loop, 10, on_look, data);
}

/* Runs the loop until the file has so many rows. */
static void await_rows(int n)
{
	loop_add_timer(loop, 1, on_look, &n);
	loop_run(loop);
}

static void rows_are_written_in_time_and_at_the_end(void **state)
{
	struct history *h = history_new(LIBEXEC, path, NULL, loop);

	(void)state;
	history_add(h, 1, "in time");
	await_rows(1);
	history_add(h, 2, "at the end");
	history_free(h);
	assert_int_equal(count_rows(), 2);
}

/* The lock that keeps the file from being opened is let go by the loop, which so must go on
 * meanwhile. */
static void let_go(void *data)
{
	sqlite3 *db = data;

	assert_int_equal(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void nobody_waits_for_a_file_that_cannot_be_opened_yet(void **state)
{
	sqlite3 *db;
	struct history *h;

	(void)state;
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
	h = history_new(LIBEXEC, path, NULL, loop);
	history_add(h, 1, "kept");
	assert_string_equal(history_doctor(h)->detail, "a file that is not open yet");
	/* Later than rows are written. */
	loop_add_timer(loop, 500, let_go, db);
	expect(h, TAIL(.n = 9), "[[1,1,\"kept\"]]");
	history_free(h);
}

/* The one child of this process. */
static pid_t process_of_history(void)
{
	FILE *f = fopen("/proc/thread-self/children", "r");
	int pid = 0;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%d", &pid), 1);
	fclose(f);
	return pid;
}

static void a_process_that_dies_is_replaced(void **state)
{
	struct history *h = history_new(LIBEXEC, path, NULL, loop);

	(void)state;
	history_add(h, 1, "written");
	expect(h, TAIL(.n = 9), "[[1,1,\"written\"]]");
	/* It does not read any more, so this row dies with it. */
	kill(process_of_history(), SIGSTOP);
	history_add(h, 2, "lost with the process");
	loop_add_timer(loop, 300, (loop_fn *)loop_stop, loop);
	loop_run(loop);
	kill(process_of_history(), SIGKILL);
	expect(h, TAIL(.n = 9), "[[1,1,\"written\"],[1,2,\"lost with the process\"]]");
	history_free(h);
}

static void without_a_program_the_report_tells(void **state)
{
	struct history *h = history_new("/proc/no/such/folder", path, NULL, loop);

	(void)state;
	history_add(h, 1, "x");
	assert_false(history_doctor(h)->ok);
	assert_non_null(strstr(history_doctor(h)->detail, "/proc/no/such/folder/cgpu-history"));
	history_free(h);
	assert_false(history_doctor(NULL)->ok);
}

/* ---- A played process ---- */

static struct history *play(const char *what)
{
	char self[4096] = "", link[128];

	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	snprintf(link, sizeof(link), "%s/cgpu-history", folder);
	assert_int_equal(symlink(self, link), 0);
	setenv("HISTORY_PLAYS", what, 1);
	return history_new(folder, path, NULL, loop);
}

static void a_question_is_asked_twice_at_most(void **state)
{
	struct history *h = play("death");

	(void)state;
	expect(h, TAIL(.n = 9), "[]");
	assert_non_null(strstr(history_doctor(h)->detail, "cgpu-history exited with status 9"));
	history_free(h);
}

static void a_process_that_does_not_answer(void **state)
{
	struct history *h = play("silence");
	json_t *rows = (json_t *)h;
	struct history_query q = TAIL(.n = 9);

	(void)state;
	/* Much more than the channel takes. */
	for (uint32_t i = 1; i <= 100000; i++)
		history_add(h, i,
			    "a row that nobody takes, which is kept for a while and then dropped");
	expect(h, q, "[]");
	assert_int_equal(history_ask(h, &q, on_answer, &rows), 0);
	/* The end of the session ends what is asked. */
	history_free(h);
	assert_null(rows);
}

static void malformed_answers_are_harmless(void **state)
{
	struct history *h = play("nonsense");

	(void)state;
	history_add(h, 1, "x");
	expect(h, TAIL(.n = 9), "[]");
	history_free(h);
}

static void tell(uint32_t type, const char *text, size_t len)
{
	ipc_send(HISTORY_SOCKET_FD, type, text, len, NULL, 0, NULL);
}

static int be_played(const char *what)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct ipc_message m = { 0 };

	record_put_str(&b, "/a/place");
	record_put_u64(&b, 1);
	record_put_str(&b, "0");
	tell(HISTORY_PLACE, b.data, b.len);
	while (strcmp(what, "silence") && ipc_receive(HISTORY_SOCKET_FD, -1, &m, NULL) > 0) {
		if (m.type == HISTORY_ASK && !strcmp(what, "death"))
			_exit(9);
		/* The id of the first question is 0. */
		if (m.type == HISTORY_ASK)
			tell(HISTORY_ANSWER, "\0\0\0\0\1\2\3", 7);
		tell(HISTORY_KEPT, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
		tell(HISTORY_KEPT, "\xff", 1);
		tell(HISTORY_PLACE, "\xff", 1);
		tell(HISTORY_ANSWER, "\xff", 1);
		tell(99, "", 0);
		ipc_message_release(&m);
	}
	pause();
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(rows_come_back_the_oldest_first),
		TEST(long_rows_are_written),
		TEST(rows_are_written_in_time_and_at_the_end),
		TEST(nobody_waits_for_a_file_that_cannot_be_opened_yet),
		TEST(a_process_that_dies_is_replaced),
		TEST(without_a_program_the_report_tells),
		TEST(a_question_is_asked_twice_at_most),
		TEST(a_process_that_does_not_answer),
		TEST(malformed_answers_are_harmless),
	};

	if (argc == 1 && !strcmp(argv[0], "cgpu-history"))
		return be_played(getenv("HISTORY_PLAYS"));
	alarm(300);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
