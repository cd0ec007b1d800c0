/* SPDX-License-Identifier: Apache-2.0 */
/* Shadow copies over a real memfd: what a refresh finds and keeps for undo, what a restore writes,
 * and both when they fail. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "common/memory/address-map.h"
#include "kernel/state/journal.h"
#include "kernel/state/kept-memory.h"
#include "kernel/state/shadow-copy.h"

#define BASE 0x10000000ull
#define SIZE (10 * MIB)
#define EVERYTHING (1ull << 30)

static int memfd;
static char *file; /* the memfd, mapped: what a worker writes in place */
static struct shadow_copies shadows;

static char *content(char value)
{
	struct error err = ERROR_INIT;
	char *p = kept_memory_take(SIZE, &err);

	assert_non_null(p);
	memset(p, value, SIZE);
	return p;
}

/* A file of twice SIZE, filled with 1, and an in-place shadow copy of its first half. */
static int set_up(void **state)
{
	(void)state;
	memfd = memfd_create("shadow-copy", MFD_CLOEXEC);
	if (ftruncate(memfd, 2 * SIZE))
		return -1;
	file = mmap(NULL, 2 * SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	memset(file, 1, 2 * SIZE);
	shadows = (struct shadow_copies){ .bytes_max = EVERYTHING };
	if (!shadow_copies_adopt(&shadows, BASE, SIZE, content(1)))
		return -1;
	shadows.at[0].shared = shadows.written = true;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	shadow_copies_release(&shadows);
	munmap(file, 2 * SIZE);
	close(memfd);
	return 0;
}

static bool all(const char *p, char value, size_t n)
{
	return p[0] == value && !memcmp(p, p + 1, n - 1);
}

static struct preimage *refresh(uint64_t keep_bytes, bool lost_is)
{
	struct error err = ERROR_INIT;
	struct preimage *saved;
	bool lost;

	shadow_copies_committed(&shadows);
	assert_true(shadow_copies_are_stale(&shadows));
	if (shadow_copies_refresh(&shadows, memfd, BASE, keep_bytes, &saved, &lost, &err))
		fail_msg("%s", err.text);
	assert_int_equal(lost, lost_is);
	assert_false(shadow_copies_are_stale(&shadows));
	assert_memory_equal(shadows.at[0].data, file, SIZE);
	return saved;
}

static void release(struct preimage *p)
{
	if (p)
		preimage_release(p);
	free(p);
}

static void test_only_changed_pages_are_kept(void **state)
{
	struct error err = ERROR_INIT;
	struct preimage *saved;

	(void)state;
	file[5] = 2;
	memset(file + 3 * MIB + 100, 3, 3 * ARENA_PAGE);
	file[SIZE - 1] = 4;
	saved = refresh(EVERYTHING, false);
	assert_int_equal(preimage_bytes(saved), 6 * ARENA_PAGE);
	assert_true(shadows.at[0].changed && shadows.at[0].unused == 0);
	assert_int_equal(preimage_restore(saved, memfd, BASE, &err), 0);
	assert_true(all(file, 1, 2 * SIZE));
	release(saved);
}

static void test_all_of_it(void **state)
{
	struct error err = ERROR_INIT;
	struct preimage *saved;

	(void)state;
	memset(file, 2, SIZE);
	saved = refresh(SIZE, false); /* exactly as much as is kept */
	assert_int_equal(preimage_bytes(saved), SIZE);
	assert_int_equal(preimage_restore(saved, memfd, BASE, &err), 0);
	assert_true(all(file, 1, 2 * SIZE));
	release(saved);
}

static void test_too_much_for_undo(void **state)
{
	(void)state;
	memset(file, 2, SIZE);
	assert_null(refresh(SIZE - ARENA_PAGE, true));
	memset(file, 3, SIZE);
	shadows.written = true;
	assert_null(refresh(0, true));
}

/* A page in each piece is not much, wherever it lies. */
static void test_little_in_many_places(void **state)
{
	struct error err = ERROR_INIT;
	struct preimage *saved;

	(void)state;
	for (size_t at = 0; at < SIZE; at += MIB)
		file[at] = 2;
	saved = refresh(10 * ARENA_PAGE, false);
	assert_int_equal(preimage_restore(saved, memfd, BASE, &err), 0);
	assert_true(all(file, 1, 2 * SIZE));
	release(saved);
}

/* Pages that the worker gives back after a commit are free in every state that can be returned to.
 */
static void test_what_is_given_back_is_no_change(void **state)
{
	struct preimage *saved;

	(void)state;
	assert_int_equal(madvise(file, SIZE, MADV_REMOVE), 0);
	assert_null(refresh(EVERYTHING, false));
	memset(file, 1, SIZE);
	shadows.written = true;
	assert_null(refresh(MIB, true));
	/* Too much for undo, were it content. A cell's own zeros are. */
	assert_int_equal(madvise(file + MIB, SIZE - MIB, MADV_REMOVE), 0);
	memset(file, 0, 2 * ARENA_PAGE);
	shadows.written = true;
	saved = refresh(2 * ARENA_PAGE, false);
	assert_int_equal(preimage_bytes(saved), 2 * ARENA_PAGE);
	release(saved);
}

static void test_unused(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 3; n++) {
		shadows.written = true;
		assert_null(refresh(EVERYTHING, false));
		assert_int_equal(shadows.at[0].unused, n);
		assert_false(shadows.at[0].changed);
	}
	file[0] = 2;
	shadows.written = true;
	release(refresh(EVERYTHING, false));
	assert_int_equal(shadows.at[0].unused, 0);
}

static void test_refresh_that_fails(void **state)
{
	struct error err = ERROR_INIT;
	struct preimage *saved;
	bool lost;

	(void)state;
	memset(file, 2, SIZE);
	shadow_copies_committed(&shadows);
	assert_int_equal(shadow_copies_refresh(&shadows, -1, BASE, EVERYTHING, &saved, &lost, &err),
			 -1);
	assert_true(lost);
	assert_null(saved);
	assert_true(shadow_copies_are_stale(&shadows));
}

static void test_restore(void **state)
{
	struct error err = ERROR_INIT;
	char *read = content(9);

	(void)state;
	memset(file, 2, SIZE);
	memset(file + SIZE, 5, SIZE);
	/* A reader gets what is committed, where a range is in place. */
	shadow_copies_read(&shadows, BASE + SIZE - 3 * ARENA_PAGE, read, 5 * ARENA_PAGE);
	assert_true(all(read, 1, 3 * ARENA_PAGE) &&
		    all(read + 3 * ARENA_PAGE, 9, SIZE - 3 * ARENA_PAGE));
	kept_memory_give(read, SIZE);
	assert_true(shadow_copies_are_written(&shadows));
	assert_int_equal(shadow_copies_restore(&shadows, memfd, BASE, &err), 0);
	assert_true(all(file, 1, SIZE) && all(file + SIZE, 5, SIZE));
	assert_false(shadow_copies_are_written(&shadows) || shadow_copies_are_shared(&shadows) ||
		     shadow_copies_are_stale(&shadows));
}

/* A hole is content too: zero. */
static void test_restore_into_holes(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(madvise(file, SIZE, MADV_REMOVE), 0);
	assert_int_equal(shadow_copies_restore(&shadows, memfd, BASE, &err), 0);
	assert_true(all(file, 1, SIZE));
}

static void test_restore_that_fails_is_repeated(void **state)
{
	struct error err = ERROR_INIT;
	struct rlimit before, small;

	(void)state;
	memset(file, 2, SIZE);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	small = before;
	small.rlim_cur = SIZE / 2;
	setrlimit(RLIMIT_FSIZE, &small);
	assert_int_equal(shadow_copies_restore(&shadows, memfd, BASE, &err), -1);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_true(shadow_copies_are_written(&shadows));
	assert_int_equal(shadow_copies_restore(&shadows, memfd, BASE, &err), 0);
	assert_true(all(file, 1, SIZE));
}

static void test_which_are_adopted(void **state)
{
	char *p = content(7);

	(void)state;
	/* Too small, over one in place, too much in all. */
	assert_false(shadow_copies_adopt(&shadows, BASE + SIZE, SHADOW_COPY_MIN - ARENA_PAGE, p));
	assert_false(shadow_copies_adopt(&shadows, BASE + ARENA_PAGE, SIZE, p));
	shadows.bytes_max = 2 * SIZE - ARENA_PAGE;
	assert_false(shadow_copies_adopt(&shadows, BASE + SIZE, SIZE, p));
	/* One that is not in place is replaced, but not by a part of it. */
	shadow_copies_unshare(&shadows);
	assert_false(shadow_copies_adopt(&shadows, BASE + MIB, SHADOW_COPY_MIN, p));
	assert_true(shadow_copies_adopt(&shadows, BASE + ARENA_PAGE, SIZE, p));
	assert_int_equal(shadows.n, 1);
	assert_ptr_equal(shadows.at[0].data, p);
	assert_int_equal(shadow_copies_bytes(&shadows), SIZE);
}

static void test_a_full_table(void **state)
{
	char *p = content(7);

	(void)state;
	for (unsigned i = 1; i < SHADOW_COPIES_MAX; i++)
		assert_true(shadow_copies_adopt(&shadows, BASE + i * SIZE, SIZE, content(1)));
	assert_false(shadow_copies_adopt(&shadows, BASE + SHADOW_COPIES_MAX * SIZE, SIZE, p));
	kept_memory_give(p, SIZE);
}

static void test_pages_that_a_commit_has_written(void **state)
{
	struct dirty_range at[] = { { BASE + SIZE, ARENA_PAGE },
				    { BASE + SIZE - ARENA_PAGE, ARENA_PAGE } };
	struct dirty_ranges ranges = { at, 1, 1, ARENA_PAGE };

	(void)state;
	shadows.written = false;
	shadow_copies_overwritten(&shadows, &ranges);
	assert_false(shadow_copies_are_stale(&shadows));
	ranges.n = 2;
	shadow_copies_overwritten(&shadows, &ranges);
	assert_true(shadow_copies_are_stale(&shadows));
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_only_changed_pages_are_kept),
		TEST(test_all_of_it),
		TEST(test_too_much_for_undo),
		TEST(test_little_in_many_places),
		TEST(test_what_is_given_back_is_no_change),
		TEST(test_unused),
		TEST(test_refresh_that_fails),
		TEST(test_restore),
		TEST(test_restore_into_holes),
		TEST(test_restore_that_fails_is_repeated),
		TEST(test_which_are_adopted),
		TEST(test_a_full_table),
		TEST(test_pages_that_a_commit_has_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
