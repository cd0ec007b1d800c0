/* SPDX-License-Identifier: Apache-2.0 */
/* A domain on a real process: a child that has made one tries what it could do before. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
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

#include "common/base/error.h"
#include "common/sandbox/hidden-path.h"
#include "common/sandbox/landlock.h"

/* The errno of opening this file of the process in /proc; 0: it can be opened. */
static int try_open(pid_t pid, const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int outcome(const char *name, bool isolated)
{
	pid_t parent = getpid(), pid = fork();
	struct error err = ERROR_INIT;
	int status;

	if (!pid) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || (isolated && landlock_isolate(&err)))
			_exit(255);
		_exit(try_open(parent, name));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 255);
	return WEXITSTATUS(status);
}

static void test_memory_of_a_process_outside(void **state)
{
	(void)state;
	assert_int_equal(outcome("mem", false), 0);
	assert_int_equal(outcome("mem", true), EACCES);
}

static void test_nothing_else_is_denied(void **state)
{
	(void)state;
	assert_int_equal(outcome("status", true), 0);
	assert_int_equal(outcome("../self/mem", true), 0);
	assert_int_equal(outcome("../../etc/passwd", true), 0);
}

static char folder[32], hidden[64], from[64], to[64];

static int set_up(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/cgpu-landlock-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(hidden, sizeof(hidden), "%s/hidden", folder);
	snprintf(from, sizeof(from), "%s/a", folder);
	snprintf(to, sizeof(to), "%s/b", folder);
	return mkdir(from, 0700) || mkdir(to, 0700) || mknod(hidden, S_IFREG | 0600, 0);
}

static int tear_down(void **state)
{
	(void)state;
	return unlink(hidden) || rmdir(from) || rmdir(to) || rmdir(folder);
}

/* Any ruleset about files denies that, if it is not allowed by name. */
static int moves_a_file(int (*restrict_it)(struct error *err))
{
	pid_t pid = fork();
	struct error err = ERROR_INIT;
	char old[80], new[80];
	int status;

	snprintf(old, sizeof(old), "%s/file", from);
	snprintf(new, sizeof(new), "%s/file", to);
	if (!pid) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || restrict_it(&err))
			_exit(255);
		if (mknod(old, S_IFREG | 0600, 0) || rename(old, new) || link(new, old) ||
		    unlink(new) || unlink(old))
			_exit(errno);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int hide(struct error *err)
{
	struct stat st;
	struct hidden_path h = { .path = hidden };

	if (stat(hidden, &st))
		return error_errno(err, "stat");
	h.device = st.st_dev;
	h.inode = st.st_ino;
	if (landlock_hide(&h, err))
		return -1;
	if (open(hidden, O_RDONLY | O_CLOEXEC) >= 0 || errno != EACCES)
		return error_set(err, ERROR_STATE, "the file can be read");
	return 0;
}

static void test_files_move_between_folders(void **state)
{
	(void)state;
	assert_int_equal(moves_a_file(landlock_isolate), 0);
	assert_int_equal(moves_a_file(hide), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory_of_a_process_outside),
		cmocka_unit_test(test_nothing_else_is_denied),
		cmocka_unit_test_setup_teardown(test_files_move_between_folders, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
