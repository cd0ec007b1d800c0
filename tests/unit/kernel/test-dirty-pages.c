/* SPDX-License-Identifier: Apache-2.0 */
/* Both methods of finding overwritten pages, on the private mapping of a real child. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "common/memory/address-map.h"
#include "kernel/state/dirty-pages.h"

#define PAGES 4096
#define AT(page) (ARENA_BASE + (page) * ARENA_PAGE)

/* A child with a private mapping of a memfd: every page was read, `written` were written, the last
 * ones are shared. */
static pid_t child_with(const int *written, int n)
{
	int memfd = memfd_create("pages", MFD_CLOEXEC), ready[2];
	pid_t pid;
	char c;

	assert_true(memfd >= 0);
	assert_int_equal(ftruncate(memfd, PAGES * (off_t)ARENA_PAGE), 0);
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		volatile char *at = mmap((void *)AT(0), PAGES * ARENA_PAGE, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_FIXED_NOREPLACE, memfd, 0);
		char sum = 0;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (at == MAP_FAILED)
			_exit(1);
		mmap((void *)AT(PAGES - 8), 8 * ARENA_PAGE, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_FIXED, memfd, (PAGES - 8) * (off_t)ARENA_PAGE);
		for (int i = 0; i < PAGES; i++)
			sum = (char)(sum + at[i * ARENA_PAGE]);
		memset((void *)AT(PAGES - 8), 1, 8 * ARENA_PAGE);
		for (int i = 0; i < n; i++)
			at[written[i] * ARENA_PAGE + 17] = sum + 1;
		if (write(ready[1], "r", 1) == 1)
			pause();
		_exit(0);
	}
	close(memfd);
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void check_method(const struct dirty_pages *method)
{
	const int written[] = { 0, 1, 2, 7, 1000, 1001, 4000 };
	struct dirty_ranges r = { 0 };
	struct error err = ERROR_INIT;
	pid_t pid = child_with(written, 7);
	int pagemap = dirty_pages_open(pid, &err);

	assert_true(pagemap >= 0);
	if (method->scan(pagemap, AT(0), AT(PAGES), &r, &err))
		fail_msg("%s: %s", method->name, err.text);
	assert_int_equal(r.n, 4);
	assert_int_equal(r.bytes, 7 * ARENA_PAGE);
	assert_int_equal(r.at[0].address, AT(0));
	assert_int_equal(r.at[0].size, 3 * ARENA_PAGE);
	assert_int_equal(r.at[1].address, AT(7));
	assert_int_equal(r.at[2].address, AT(1000));
	assert_int_equal(r.at[2].size, 2 * ARENA_PAGE);
	assert_int_equal(r.at[3].address, AT(4000));

	dirty_ranges_clear(&r);
	assert_int_equal(method->scan(pagemap, AT(2), AT(1001), &r, &err), 0);
	assert_int_equal(r.bytes, 3 * ARENA_PAGE);
	dirty_ranges_release(&r);
	close(pagemap);
	end(pid);
}

static void test_ioctl(void **state)
{
	(void)state;
	if (dirty_pages_choose() != &dirty_pages_ioctl) {
		print_message("this Linux has no PAGEMAP_SCAN: the answer must be the error that "
			      "makes us choose the other\n");
		assert_ptr_equal(dirty_pages_choose(), &dirty_pages_pagemap);
		return;
	}
	check_method(&dirty_pages_ioctl);
}

static void test_pagemap(void **state)
{
	(void)state;
	check_method(&dirty_pages_pagemap);
}

/* More ranges than one ioctl returns: every second page. */
static void test_many_ranges(void **state)
{
	const struct dirty_pages *methods[] = { &dirty_pages_pagemap, dirty_pages_choose() };
	static int written[PAGES / 2 - 8];
	struct error err = ERROR_INIT;
	int n = PAGES / 2 - 8, pagemap;
	pid_t pid;

	(void)state;
	for (int i = 0; i < n; i++)
		written[i] = 2 * i;
	pid = child_with(written, n);
	pagemap = dirty_pages_open(pid, &err);
	for (int m = 0; m < 2; m++) {
		struct dirty_ranges r = { 0 };

		assert_int_equal(methods[m]->scan(pagemap, AT(0), AT(PAGES), &r, &err), 0);
		assert_int_equal(r.n, n);
		for (int i = 0; i < n; i++)
			assert_int_equal(r.at[i].address, AT(2 * i));
		dirty_ranges_release(&r);
	}
	close(pagemap);
	end(pid);
}

static void test_nothing_in_shared_pages(void **state)
{
	pid_t pid = child_with(NULL, 0);
	char *own = mmap(NULL, ARENA_PAGE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	bool can_tell = dirty_pages_none(getpid(), (uint64_t)(uintptr_t)own,
					 (uint64_t)(uintptr_t)own + ARENA_PAGE);

	(void)state;
	assert_int_equal(dirty_pages_none(pid, AT(PAGES - 8), AT(PAGES)), can_tell);
	assert_int_equal(dirty_pages_none(pid, AT(PAGES - 3), AT(PAGES - 2)), can_tell);
	assert_false(dirty_pages_none(pid, AT(PAGES - 9), AT(PAGES)));
	assert_false(dirty_pages_none(pid, AT(PAGES - 8), AT(PAGES + 1)));
	assert_false(dirty_pages_none(pid, AT(0), AT(1)));
	end(pid);
	assert_false(dirty_pages_none(pid, AT(PAGES - 8), AT(PAGES)));
	munmap(own, ARENA_PAGE);
}

static void test_dead_process(void **state)
{
	const int written[] = { 5 };
	struct dirty_ranges r = { 0 };
	struct error err = ERROR_INIT;
	pid_t pid = child_with(written, 1);
	int pagemap = dirty_pages_open(pid, &err);

	(void)state;
	end(pid);
	assert_int_equal(dirty_pages_pagemap.scan(pagemap, AT(0), AT(PAGES), &r, &err), -1);
	assert_int_equal(r.n, 0);
	close(pagemap);
	assert_int_equal(dirty_pages_open(pid, &err), -1);
	dirty_ranges_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ioctl),        cmocka_unit_test(test_pagemap),
		cmocka_unit_test(test_many_ranges),  cmocka_unit_test(test_nothing_in_shared_pages),
		cmocka_unit_test(test_dead_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
