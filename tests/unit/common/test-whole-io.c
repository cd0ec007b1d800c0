/* SPDX-License-Identifier: Apache-2.0 */
/* common/whole-io: all of it, what was moved before a failure, and why it failed. */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/whole-io.h"

static int memfd(void)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void what_was_written_is_read(void **state)
{
	static char out[100000], in[sizeof(out)];
	int fd = memfd();

	(void)state;
	for (size_t i = 0; i < sizeof(out); i++)
		out[i] = (char)(i * 7);
	assert_int_equal(whole_pwrite(fd, out, sizeof(out), 5000), sizeof(out));
	assert_int_equal(whole_pread(fd, in, sizeof(in), 5000), sizeof(in));
	assert_memory_equal(in, out, sizeof(in));
	close(fd);
}

static void the_end_of_a_file_is_said(void **state)
{
	char in[8] = "";
	int fd = memfd();

	(void)state;
	assert_int_equal(whole_pwrite(fd, "abc", 3, 0), 3);
	errno = 0;
	assert_int_equal(whole_pread(fd, in, sizeof(in), 0), 3);
	assert_int_equal(errno, ENODATA);
	assert_string_equal(in, "abc");
	close(fd);
}

/* A limit on the size of files lets a write begin and not end. */
static void a_write_that_does_not_fit_is_said(void **state)
{
	static char out[8192];
	struct rlimit before, small;
	int fd = memfd();

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = (struct rlimit){ 5000, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(whole_pwrite(fd, out, sizeof(out), 0), 5000);
	assert_int_equal(errno, EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	close(fd);
}

static void a_bad_descriptor_is_said(void **state)
{
	char byte = 0;

	(void)state;
	assert_int_equal(whole_pread(-1, &byte, 1, 0), 0);
	assert_int_equal(errno, EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(the_end_of_a_file_is_said),
		cmocka_unit_test(a_write_that_does_not_fit_is_said),
		cmocka_unit_test(a_bad_descriptor_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
