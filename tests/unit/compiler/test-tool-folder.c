/* SPDX-License-Identifier: Apache-2.0 */
/* Which path a folder for a tool gets, beside others that are in use or were left. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "compiler/device/tool-folder.h"
#include "compiler/device/tool.h"

static char parent[] = "/tmp/test-tool-folder-XXXXXX";

static void make(struct tool_folder *f, uint64_t key)
{
	struct stat st;

	assert_int_equal(tool_folder_make(f, "nvcc", key, NULL), 0);
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
}

static void put_file(const char *folder)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/cell.cu", folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fclose(f);
}

static void a_key_has_one_path(void **state)
{
	struct tool_folder f = { 0 };
	char path[sizeof(f.path)];

	(void)state;
	make(&f, 7);
	put_file(f.path);
	strcpy(path, f.path);
	tool_folder_remove(&f);
	assert_int_not_equal(access(path, F_OK), 0);
	make(&f, 7);
	assert_string_equal(f.path, path);
	tool_folder_remove(&f);
	make(&f, 8);
	assert_string_not_equal(f.path, path);
	tool_folder_remove(&f);
}

static void without_a_key_each_has_its_own(void **state)
{
	struct tool_folder a = { 0 }, b = { 0 };

	(void)state;
	make(&a, 0);
	make(&b, 0);
	assert_string_not_equal(a.path, b.path);
	tool_folder_remove(&a);
	tool_folder_remove(&b);
}

/* An empty one, too, which rename() would replace. */
static void a_folder_in_use_is_left_alone(void **state)
{
	struct tool_folder a = { 0 }, b = { 0 }, c = { 0 };
	char first[sizeof(a.path)];

	(void)state;
	make(&a, 7);
	make(&b, 7);
	make(&c, 7);
	assert_string_not_equal(a.path, b.path);
	assert_string_not_equal(b.path, c.path);
	strcpy(first, a.path);
	put_file(a.path);
	tool_folder_remove(&b);
	make(&b, 7);
	assert_int_equal(access(a.path, F_OK), 0);
	tool_folder_remove(&a);
	tool_folder_remove(&b);
	tool_folder_remove(&c);
	make(&a, 7);
	assert_string_equal(a.path, first);
	tool_folder_remove(&a);
}

/* By a process that was killed: nothing locks it. */
static void a_folder_that_was_left_is_removed(void **state)
{
	struct tool_folder a = { 0 }, b = { 0 };

	(void)state;
	make(&a, 7);
	put_file(a.path);
	close(a.lock);
	make(&b, 7);
	assert_string_equal(a.path, b.path);
	assert_int_equal(rmdir(b.path), 0);
	close(b.lock);
}

/* A program of ours that does not end when it is told to, though the process that has started it
 * was killed. */
static void a_folder_that_is_still_written_to_is_in_use(void **state)
{
	struct tool_folder a = { 0 }, b = { 0 };
	char gate[300], log[300], letter;
	int said, go;
	pid_t maker;

	(void)state;
	snprintf(gate, sizeof(gate), "%s/gate", parent);
	snprintf(log, sizeof(log), "%s/log", parent);
	assert_int_equal(mkfifo(gate, 0600) | mkfifo(log, 0600) | prctl(PR_SET_CHILD_SUBREAPER, 1),
			 0);
	said = open(log, O_RDWR | O_CLOEXEC);
	go = open(gate, O_RDWR | O_CLOEXEC);
	maker = fork();
	if (!maker) {
		const char *const argv[] = { "sh", "-c", "trap '' TERM; echo x; read go < \"$0\"",
					     gate, NULL };

		make(&a, 7);
		tool_run(&a, log, argv, NULL);
		_exit(0);
	}
	assert_int_equal(read(said, &letter, 1), 1);
	kill(maker, SIGKILL);
	assert_int_equal(waitpid(maker, NULL, 0), maker);
	make(&a, 7);
	assert_true(strstr(a.path, "7-1"));
	assert_int_equal(write(go, "on\n", 3), 3);
	while (wait(NULL) > 0) {
	}
	make(&b, 7);
	assert_true(strstr(b.path, "7-0"));
	tool_folder_remove(&a);
	tool_folder_remove(&b);
	close(said);
	close(go);
	unlink(gate);
	unlink(log);
}

/* What others have put there cannot be locked or removed by us: the next path serves. */
static void a_path_that_is_no_folder_is_passed_over(void **state)
{
	struct tool_folder a = { 0 };
	char path[sizeof(a.path)];

	(void)state;
	make(&a, 7);
	strcpy(path, a.path);
	tool_folder_remove(&a);
	assert_int_equal(symlink("/nowhere", path), 0);
	make(&a, 7);
	assert_string_not_equal(a.path, path);
	tool_folder_remove(&a);
	unlink(path);
}

static int set_up(void **state)
{
	(void)state;
	return !mkdtemp(parent) || setenv("TMPDIR", parent, 1);
}

static int tear_down(void **state)
{
	(void)state;
	return rmdir(parent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_key_has_one_path),
		cmocka_unit_test(without_a_key_each_has_its_own),
		cmocka_unit_test(a_folder_in_use_is_left_alone),
		cmocka_unit_test(a_folder_that_was_left_is_removed),
		cmocka_unit_test(a_folder_that_is_still_written_to_is_in_use),
		cmocka_unit_test(a_path_that_is_no_folder_is_passed_over),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
