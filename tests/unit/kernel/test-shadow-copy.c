/* SPDX-License-Identifier: Apache-2.0 */
/* Shadow copies over two real files: what a refresh finds, copies and keeps for undo, and what is
 * left when it fails. */
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
#include "kernel/state/dirty-pages.h"
#include "kernel/state/journal.h"
#include "kernel/state/shadow-copy.h"

#define BASE 0x10000000ull
#define SIZE (10 * MIB)
#define EVERYTHING (1ull << 30)

static struct shadow_files files;
static char *arena; /* the committed file, mapped */
static char *live;  /* what a worker writes in place, mapped */
static struct shadow_copies shadows;

static int new_file(char **ret, char value)
{
	int fd = memfd_create("shadow-copy", MFD_CLOEXEC);

	assert_int_equal(ftruncate(fd, 2 * SIZE), 0);
	*ret = mmap(NULL, 2 * SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (value)
		memset(*ret, value, 2 * SIZE);
	return fd;
}

static int refresh_as(enum shadow_work which, uint64_t keep_bytes, struct preimage **ret,
		      bool *ret_lost)
{
	struct error err = ERROR_INIT;

	return shadow_copies_refresh(&shadows, &files, which, keep_bytes, ret, ret_lost, &err);
}

/* A committed file of twice SIZE, filled with 1, and an in-place shadow copy of its first half. */
static int set_up(void **state)
{
	struct preimage *saved;
	bool lost;

	(void)state;
	files = (struct shadow_files){ new_file(&arena, 1), new_file(&live, 0), BASE };
	shadows = (struct shadow_copies){ .bytes_max = EVERYTHING };
	if (!shadow_copies_adopt(&shadows, &files, BASE, SIZE) ||
	    refresh_as(SHADOW_ALL, 0, &saved, &lost) || saved)
		return -1;
	shadows.at[0].shared = shadows.written = true;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	shadow_copies_release(&shadows);
	munmap(arena, 2 * SIZE);
	munmap(live, 2 * SIZE);
	close(files.arena);
	close(files.live);
	return 0;
}

static bool all(const char *p, char value, size_t n)
{
	return p[0] == value && !memcmp(p, p + 1, n - 1);
}

static struct preimage *refresh(uint64_t keep_bytes, bool lost_is)
{
	struct preimage *saved;
	bool lost;

	shadow_copies_committed(&shadows);
	assert_true(shadow_copies_are_stale(&shadows));
	assert_int_equal(refresh_as(SHADOW_STALE, keep_bytes, &saved, &lost), 0);
	assert_int_equal(lost, lost_is);
	assert_false(shadow_copies_are_stale(&shadows));
	assert_memory_equal(arena, live, SIZE);
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
	live[5] = 2;
	memset(live + 3 * MIB + 100, 3, 3 * ARENA_PAGE);
	live[SIZE - 1] = 4;
	saved = refresh(EVERYTHING, false);
	assert_int_equal(preimage_bytes(saved), 6 * ARENA_PAGE);
	assert_true(shadows.at[0].changed && shadows.at[0].unused == 0);
	assert_int_equal(preimage_restore(saved, files.arena, BASE, &err), 0);
	assert_true(all(arena, 1, 2 * SIZE));
	release(saved);
}

static void test_all_of_it(void **state)
{
	struct error err = ERROR_INIT;
	struct preimage *saved;

	(void)state;
	memset(live, 2, SIZE);
	saved = refresh(SIZE, false); /* exactly as much as is kept */
	assert_int_equal(preimage_bytes(saved), SIZE);
	assert_int_equal(preimage_restore(saved, files.arena, BASE, &err), 0);
	assert_true(all(arena, 1, 2 * SIZE));
	release(saved);
}

static void test_too_much_for_undo(void **state)
{
	(void)state;
	memset(live, 2, SIZE);
	assert_null(refresh(SIZE - ARENA_PAGE, true));
	memset(live, 3, SIZE);
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
		live[at] = 2;
	saved = refresh(10 * ARENA_PAGE, false);
	assert_int_equal(preimage_restore(saved, files.arena, BASE, &err), 0);
	assert_true(all(arena, 1, 2 * SIZE));
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
	live[0] = 2;
	shadows.written = true;
	release(refresh(EVERYTHING, false));
	assert_int_equal(shadows.at[0].unused, 0);
}

/* The live memfd is all that there is of the content until it has been copied. */
static void test_refresh_that_fails_is_repeated(void **state)
{
	struct rlimit before, small;
	struct preimage *saved;
	char read[2 * ARENA_PAGE];
	bool lost;

	(void)state;
	memset(live, 2, SIZE);
	shadow_copies_committed(&shadows);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	small = before;
	small.rlim_cur = SIZE / 2;
	setrlimit(RLIMIT_FSIZE, &small);
	assert_int_equal(refresh_as(SHADOW_STALE, MIB, &saved, &lost), -1);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_true(lost);
	assert_null(saved);
	assert_true(shadow_copies_are_stale(&shadows));
	memset(read, 9, sizeof(read));
	assert_int_equal(shadow_copies_read(&shadows, files.live, BASE, BASE + SIZE - ARENA_PAGE,
					    read, sizeof(read)),
			 0);
	assert_true(all(read, 2, ARENA_PAGE) && all(read + ARENA_PAGE, 9, ARENA_PAGE));
	assert_int_equal(refresh_as(SHADOW_STALE, 0, &saved, &lost), 0);
	assert_false(shadow_copies_are_stale(&shadows));
	assert_true(all(arena, 2, SIZE) && all(arena + SIZE, 1, SIZE));
}

/* A reader gets what is committed while a cell writes in place. */
static void test_a_cell_that_runs(void **state)
{
	char read[ARENA_PAGE];

	(void)state;
	memset(live, 2, SIZE);
	memset(read, 9, sizeof(read));
	assert_int_equal(shadow_copies_read(&shadows, files.live, BASE, BASE, read, sizeof(read)),
			 0);
	assert_true(all(read, 9, sizeof(read)));
	assert_true(all(arena, 1, SIZE));
	/* Its worker ends: the copy is of no use until it is filled again. */
	shadow_copies_unshare(&shadows, false);
	assert_false(shadow_copies_are_stale(&shadows) || shadow_copies_are_shared(&shadows));
	assert_true(shadow_copies_need_work(&shadows, SHADOW_ALL));
	assert_false(shadow_copies_need_work(&shadows, SHADOW_STALE));
}

static void test_it_is_filled_again(void **state)
{
	struct preimage *saved;
	bool lost;

	(void)state;
	memset(live, 2, SIZE);
	shadow_copies_unshare(&shadows, false);
	assert_int_equal(refresh_as(SHADOW_ALL, EVERYTHING, &saved, &lost), 0);
	assert_false(lost);
	assert_null(saved);
	assert_true(all(live, 1, SIZE) && all(live + SIZE, 0, SIZE) && all(arena, 1, 2 * SIZE));
	assert_false(shadow_copies_need_work(&shadows, SHADOW_ALL));
}

static void test_only_those_that_are_unwanted(void **state)
{
	struct preimage *saved;
	bool lost;

	(void)state;
	assert_true(shadow_copies_adopt(&shadows, &files, BASE + SIZE, SIZE));
	assert_int_equal(refresh_as(SHADOW_ALL, 0, &saved, &lost), 0);
	shadows.at[1].shared = shadows.at[1].unwanted = true;
	memset(live, 2, 2 * SIZE);
	shadow_copies_committed(&shadows);
	assert_int_equal(refresh_as(SHADOW_UNWANTED, 0, &saved, &lost), 0);
	assert_true(all(arena, 1, SIZE) && all(arena + SIZE, 2, SIZE));
	shadow_copies_unshare(&shadows, true);
	assert_true(shadows.at[0].shared && shadows.at[0].stale);
	assert_false(shadows.at[1].shared || shadows.at[1].stale);
}

static void test_which_are_adopted(void **state)
{
	(void)state;
	/* Too small, over one in place, too much in all. */
	assert_false(
		shadow_copies_adopt(&shadows, &files, BASE + SIZE, SHADOW_COPY_MIN - ARENA_PAGE));
	assert_false(shadow_copies_adopt(&shadows, &files, BASE + ARENA_PAGE, SIZE));
	shadows.bytes_max = 2 * SIZE - ARENA_PAGE;
	assert_false(shadow_copies_adopt(&shadows, &files, BASE + SIZE, SIZE));
	/* One that is not in place is replaced, but not by a part of it. */
	shadow_copies_unshare(&shadows, false);
	assert_false(shadow_copies_adopt(&shadows, &files, BASE + MIB, SHADOW_COPY_MIN));
	assert_true(shadow_copies_adopt(&shadows, &files, BASE + ARENA_PAGE, SIZE));
	assert_int_equal(shadows.n, 1);
	assert_true(shadows.at[0].address == BASE + ARENA_PAGE && !shadows.at[0].filled);
	assert_int_equal(shadow_copies_bytes(&shadows), SIZE);
}

static void test_a_full_table(void **state)
{
	(void)state;
	for (unsigned i = 1; i < SHADOW_COPIES_MAX; i++)
		assert_true(shadow_copies_adopt(&shadows, &files, BASE + i * SIZE, SIZE));
	assert_false(shadow_copies_adopt(&shadows, &files, BASE + SHADOW_COPIES_MAX * SIZE, SIZE));
}

/* The memory of a copy goes with it. */
static void test_what_is_dropped(void **state)
{
	(void)state;
	assert_true(lseek(files.live, 0, SEEK_DATA) == 0);
	shadow_copies_drop(&shadows, &files, 0);
	assert_true(lseek(files.live, 0, SEEK_DATA) < 0);
	assert_int_equal(shadows.n, 0);
}

static void test_pages_that_a_commit_has_written(void **state)
{
	struct dirty_range at[] = { { BASE + SIZE, ARENA_PAGE },
				    { BASE + SIZE - ARENA_PAGE, ARENA_PAGE } };
	struct dirty_ranges ranges = { at, 1, 1, ARENA_PAGE };

	(void)state;
	shadows.written = shadows.at[0].shared = false;
	shadow_copies_overwritten(&shadows, &ranges);
	assert_true(shadows.at[0].filled);
	ranges.n = 2;
	shadow_copies_overwritten(&shadows, &ranges);
	assert_false(shadows.at[0].filled);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_only_changed_pages_are_kept),
		TEST(test_all_of_it),
		TEST(test_too_much_for_undo),
		TEST(test_little_in_many_places),
		TEST(test_unused),
		TEST(test_refresh_that_fails_is_repeated),
		TEST(test_a_cell_that_runs),
		TEST(test_it_is_filled_again),
		TEST(test_only_those_that_are_unwanted),
		TEST(test_which_are_adopted),
		TEST(test_a_full_table),
		TEST(test_what_is_dropped),
		TEST(test_pages_that_a_commit_has_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
