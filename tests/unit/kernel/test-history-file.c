/* SPDX-License-Identifier: Apache-2.0 */
/* struct history_file: tail, range, search over sessions, two processes at once, and no usable
 * file. */
#include <fcntl.h>
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

#include "common/base/buffer.h"
#include "common/base/record.h"
#include "common/protocol/history-protocol.h"
#include "common/protocol/history-query.h"
#include "kernel/history/history-file.h"

static char folder[] = "/tmp/cgpu-history-XXXXXX";
static char path[128];

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

static int try_add(struct history_file *h, enum history_row row, uint64_t line, const char *text)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_u8(&b, row);
	record_put_u64(&b, line);
	record_put_str(&b, text);
	return history_file_write(h, record_open(b.data, b.len));
}

static void add(struct history_file *h, uint64_t line, const char *text)
{
	assert_int_equal(try_add(h, HISTORY_INPUT, line, text), 0);
}

/* Asks and compares with rows as "session:line:input", with "=output" if there is one. */
static void expect(struct history_file *h, struct history_query q, const char *expected)
{
	cleanup_buffer struct buffer b = BUFFER_INIT, text = BUFFER_INIT;
	struct record r;

	history_file_ask(h, &q, &b);
	r = record_open(b.data, b.len);
	while (!r.failed && r.at < r.end) {
		uint64_t session = record_u64(&r), line = record_u64(&r);
		const char *input = record_str(&r);
		uint8_t has_output = record_u8(&r);
		const char *output = record_str(&r);

		buffer_printf(&text, "%s%d:%d:%s%s%s", text.len ? " " : "", (int)session, (int)line,
			      input, has_output ? "=" : "", output);
	}
	assert_false(r.failed);
	assert_string_equal(buffer_text(&text), expected);
}

#define TAIL(...)                                                                                  \
	(struct history_query)                                                                     \
	{                                                                                          \
		.kind = HISTORY_TAIL, __VA_ARGS__                                                  \
	}
#define RANGE(...)                                                                                 \
	(struct history_query)                                                                     \
	{                                                                                          \
		.kind = HISTORY_RANGE, __VA_ARGS__                                                 \
	}
#define SEARCH(...)                                                                                \
	(struct history_query)                                                                     \
	{                                                                                          \
		.kind = HISTORY_SEARCH, __VA_ARGS__                                                \
	}

static void sessions_follow_each_other(void **state)
{
	struct history_file h;

	(void)state;
	history_file_open(&h, path, 0);
	assert_string_equal(h.place, path);
	add(&h, 1, "int x = 1;");
	add(&h, 2, "x");
	assert_int_equal(try_add(&h, HISTORY_OUTPUT, 2, "1"), 0);
	history_file_close(&h);
	history_file_open(&h, path, 0);
	add(&h, 1, "float y;");
	add(&h, 2, "x");
	expect(&h, TAIL(.n = 3), "2:2:x 2:1:float y; 1:2:x");
	expect(&h, TAIL(.n = 3, .output = true), "2:2:x 2:1:float y; 1:2:x=1");
	expect(&h, RANGE(.start = 1, .stop = -1), "2:1:float y; 2:2:x");
	expect(&h, RANGE(.session = -1, .start = 1, .stop = 2), "1:1:int x = 1;");
	expect(&h, RANGE(.session = 1, .start = 2, .stop = 9), "1:2:x");
	expect(&h, SEARCH(.pattern = "*x*", .n = -1), "2:2:x 1:2:x 1:1:int x = 1;");
	expect(&h, SEARCH(.pattern = "*x*", .n = 1), "2:2:x");
	expect(&h, SEARCH(.pattern = "?", .n = -1, .unique = true), "2:2:x");
	expect(&h, SEARCH(.pattern = "nothing", .n = -1), "");
	history_file_close(&h);
}

/* A process that takes the place of one that has died. A row may come twice. */
static void a_session_goes_on(void **state)
{
	struct history_file h;

	(void)state;
	history_file_open(&h, path, 0);
	add(&h, 1, "a");
	sqlite3_close(h.db);
	history_file_open(&h, path, h.session);
	assert_int_equal(h.session, 1);
	add(&h, 1, "a");
	add(&h, 2, "b");
	expect(&h, TAIL(.n = 9), "1:2:b 1:1:a");
	history_file_close(&h);
	/* A file that has been exchanged does not have the session. */
	unlink(path);
	history_file_open(&h, path, 7);
	assert_int_equal(h.session, 1);
	history_file_close(&h);
}

static void two_processes_share_the_file(void **state)
{
	struct history_file a, b;

	(void)state;
	history_file_open(&a, path, 0);
	history_file_open(&b, path, 0);
	for (int i = 1; i <= 50; i++) {
		add(&a, i, "a");
		add(&b, i, "b");
	}
	assert_int_equal(a.session + b.session, 3);
	expect(&a, TAIL(.n = 2), "2:50:b 2:49:b");
	expect(&b, RANGE(.session = 1, .start = 49, .stop = -1), "1:49:a 1:50:a");
	history_file_close(&a);
	history_file_close(&b);
}

static void another_process_holds_the_file(void **state)
{
	struct history_file h;
	sqlite3 *holder;

	(void)state;
	history_file_open(&h, path, 0);
	assert_int_equal(sqlite3_open(path, &holder), SQLITE_OK);
	assert_int_equal(sqlite3_exec(holder, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(try_add(&h, HISTORY_INPUT, 1, "later"), -1);
	expect(&h, TAIL(.n = 9), "");
	sqlite3_close(holder);
	assert_int_equal(try_add(&h, HISTORY_INPUT, 1, "later"), 0);
	expect(&h, TAIL(.n = 9), "1:1:later");
	history_file_close(&h);
}

static off_t size_of_file(void)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	return st.st_size;
}

/* Moving rows from the log into the file syncs both to the disk. */
static void questions_do_not_wait_for_a_sync(void **state)
{
	struct history_file h;
	enum { LINES = 100, LENGTH = 100000 };
	char *text = malloc(LENGTH + 1);

	(void)state;
	history_file_open(&h, path, 0);
	memset(text, 'x', LENGTH);
	text[LENGTH] = '\0';
	for (uint32_t i = 1; i <= LINES; i++)
		add(&h, i, text);
	assert_true(size_of_file() < LENGTH);
	history_file_close(&h);
	assert_true(size_of_file() > (off_t)LINES * LENGTH);
	free(text);
}

static void check_memory(const char *place)
{
	struct history_file h;

	history_file_open(&h, place, 5);
	assert_string_equal(h.place, HISTORY_IN_MEMORY);
	add(&h, 1, "kept");
	expect(&h, TAIL(.n = 5), "1:1:kept");
	history_file_close(&h);
}

static void without_a_file_memory_serves(void **state)
{
	FILE *f;

	(void)state;
	check_memory(HISTORY_IN_MEMORY);
	check_memory("/proc/no/such/folder/history.sqlite");
	snprintf(path, sizeof(path), "%s/garbage", folder);
	f = fopen(path, "w");
	for (int i = 0; i < 2000; i++)
		fputs("not a database ", f);
	fclose(f);
	check_memory(path);
}

static void malformed_rows_are_harmless(void **state)
{
	struct history_file h;

	(void)state;
	history_file_open(&h, path, 0);
	history_file_write(&h, record_open("\0\1\0\0", 4));
	add(&h, 1, "a");
	history_file_close(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
		TEST(sessions_follow_each_other),       TEST(a_session_goes_on),
		TEST(two_processes_share_the_file),     TEST(another_process_holds_the_file),
		TEST(questions_do_not_wait_for_a_sync), TEST(without_a_file_memory_serves),
		TEST(malformed_rows_are_harmless),
	};

	alarm(300);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
