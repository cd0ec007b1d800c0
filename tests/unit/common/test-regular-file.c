/* SPDX-License-Identifier: Apache-2.0 */
/* common/regular-file: what is refused, that nothing waits, and what is opened. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "common/base/regular-file.h"

static int set_up(void **state)
{
	char folder[] = "/tmp/cgpu-test-regular-XXXXXX";

	*state = NULL;
	return mkdtemp(folder) && !chdir(folder) && (*state = strdup(folder)) ? 0 : -1;
}

static int tear_down(void **state)
{
	static const char *const names[] = { "fifo", "socket", "file", "link", "new" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(names[i]);
	rmdir("folder");
	rmdir(*state);
	free(*state);
	return 0;
}

/* Each way to open: a FIFO without another end would wait for ever in the first two. */
static void refused(const char *path, const char *kind)
{
	static const int ways[] = { O_RDONLY, O_WRONLY, O_RDWR, O_WRONLY | O_CREAT | O_TRUNC,
				    O_WRONLY | O_APPEND | O_CREAT };
	char says[64];

	snprintf(says, sizeof(says), "it is a %s, not a regular file", kind);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct error err = ERROR_INIT;

		assert_int_equal(regular_file_open(AT_FDCWD, path, ways[i], 0600, &err), -1);
		assert_int_equal(err.code, ERROR_INPUT);
		assert_string_equal(err.text, says);
	}
}

static void what_is_no_file_is_refused(void **state)
{
	struct sockaddr_un at = { AF_UNIX, "socket" };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600) | mkdir("folder", 0700), 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	close(fd);
	assert_int_equal(symlink("fifo", "link"), 0);
	refused("fifo", "FIFO");
	refused("link", "FIFO");
	refused("folder", "folder");
	refused("socket", "socket");
	refused("/dev/null", "character device");
}

/* A process that has a lease is asked for it by open(), which waits for the answer. */
static void a_lease_is_not_waited_for(void **state)
{
	struct error err = ERROR_INIT;
	int fd = open("file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	signal(SIGIO, SIG_IGN);
	fd = open("file", O_RDONLY | O_CLOEXEC);
	assert_int_equal(fcntl(fd, F_SETLEASE, F_RDLCK), 0);
	assert_int_equal(regular_file_open(AT_FDCWD, "file", O_WRONLY, 0, &err), -1);
	assert_string_equal(err.text, "another process has a lease on it");
	close(fd);
}

static void files_are_opened(void **state)
{
	struct error err = ERROR_INIT;
	int fd = regular_file_open(AT_FDCWD, "new", O_RDONLY, 0, &err);
	char line[8];
	FILE *f;

	(void)state;
	assert_int_equal(fd, -1);
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	fd = regular_file_open(AT_FDCWD, "new", O_WRONLY | O_CREAT | O_TRUNC, 0600, &err);
	assert_int_equal(write(fd, "one\n", 4), 4);
	close(fd);
	fd = regular_file_open(AT_FDCWD, "new", O_WRONLY | O_APPEND, 0, &err);
	assert_int_equal(write(fd, "two\n", 4), 4);
	close(fd);
	f = regular_file_read("new", &err);
	assert_non_null(f);
	assert_string_equal(fgets(line, sizeof(line), f), "one\n");
	assert_string_equal(fgets(line, sizeof(line), f), "two\n");
	fclose(f);
	fd = regular_file_open(AT_FDCWD, "new", O_WRONLY | O_TRUNC, 0, &err);
	assert_int_equal(lseek(fd, 0, SEEK_END), 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_no_file_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_lease_is_not_waited_for, set_up, tear_down),
		cmocka_unit_test_setup_teardown(files_are_opened, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
