/* SPDX-License-Identifier: Apache-2.0 */
/* A view shows one moment, whatever is committed while it is read: page by page, and by a thread
 * that never stops. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "kernel/state/arena-file.h"
#include "kernel/state/dirty-pages.h"
#include "kernel/state/snapshot-view.h"
#include "kernel/state/snapshot.h"

#define PAGES 512u

static struct snapshot_view view = SNAPSHOT_VIEW_INIT;
static int memfd;
static struct arena_file arena;
static const uint64_t top[ARENA_REGIONS] = { [ARENA_HEAP] = PAGES * ARENA_PAGE };

static off_t place(unsigned page)
{
	return (off_t)(ARENA_HEAP_OFFSET + (uint64_t)page * ARENA_PAGE);
}

/* What a commit does. */
static void commit(unsigned first, unsigned n, uint32_t value)
{
	struct dirty_range at = { ARENA_BASE + (uint64_t)place(first), (uint64_t)n * ARENA_PAGE };
	uint32_t page[ARENA_PAGE / 4];

	for (size_t i = 0; i < ARENA_PAGE / 4; i++)
		page[i] = value;
	snapshot_view_keep(&view, memfd, ARENA_BASE, &(struct dirty_ranges){ &at, 1, 1, at.size });
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(pwrite(memfd, page, ARENA_PAGE, place(first + i)), ARENA_PAGE);
}

static void open_view(void)
{
	struct error err = ERROR_INIT;

	if (snapshot_view_open(&view, top, 0, &err))
		fail_msg("%s", err.text);
}

/* All words of n pages from `first`, which are the same, or the test fails. */
static uint32_t read_pages(unsigned first, unsigned n)
{
	static uint32_t words[PAGES * ARENA_PAGE / 4];
	struct error err = ERROR_INIT;

	if (snapshot_view_read(&view, memfd, words, (size_t)n * ARENA_PAGE, (uint64_t)place(first),
			       &err))
		fail_msg("%s", err.text);
	for (size_t i = 1; i < (size_t)n * ARENA_PAGE / 4; i++)
		if (words[i] != words[0])
			fail_msg("page %zu holds %u, the first of them %u",
				 first + i * 4 / ARENA_PAGE, words[i], words[0]);
	return words[0];
}

static int set_up(void **state)
{
	(void)state;
	if (arena_file_init(&arena, NULL, NULL))
		return -1;
	memfd = arena.fd;
	commit(0, PAGES, 1);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	snapshot_view_close(&view);
	arena_file_release(&arena);
	return 0;
}

static void test_the_moment_it_was_opened(void **state)
{
	(void)state;
	open_view();
	commit(0, 4, 2);
	assert_int_equal(read_pages(0, 16), 1);
	commit(8, 16, 3);
	commit(8, 16, 4);
	assert_int_equal(read_pages(16, 16), 1);
	snapshot_view_close(&view);
	open_view();
	assert_int_equal(read_pages(8, 16), 4);
}

static void test_only_what_is_still_to_be_read_is_kept(void **state)
{
	(void)state;
	open_view();
	read_pages(0, 16);
	commit(0, 16, 2);
	assert_int_equal(view.n, 0);
	commit(14, 4, 2);
	assert_int_equal(view.n, 2);
	commit(16, 2, 3);
	assert_int_equal(view.n, 2);
	commit(PAGES, 4, 3); /* beyond the top of that moment */
	assert_int_equal(view.n, 2);
	snapshot_view_close(&view);
	assert_int_equal(view.n, 0);
	commit(0, 16, 4);
	assert_int_equal(view.n, 0);
}

static void test_a_broken_one_gives_nothing(void **state)
{
	struct error err = ERROR_INIT;
	char page[ARENA_PAGE];

	(void)state;
	open_view();
	assert_int_equal(snapshot_view_open(&view, top, 0, &err), -1);
	assert_false(snapshot_view_is_broken(&view));
	snapshot_view_break(&view);
	assert_true(snapshot_view_is_broken(&view));
	err = (struct error)ERROR_INIT;
	assert_int_equal(
		snapshot_view_read(&view, memfd, page, sizeof(page), (uint64_t)place(0), &err), -1);
	assert_int_equal(err.code, ERROR_STATE);
	snapshot_view_close(&view);
	open_view();
	assert_int_equal(read_pages(0, 1), 1);
}

struct stream {
	_Atomic bool end;
	_Atomic uint32_t commits;
};

static void *commit_always(void *data)
{
	struct stream *s = data;

	for (uint32_t i = 10; !atomic_load(&s->end); i++)
		for (unsigned page = 0; page < PAGES; page += 64, atomic_fetch_add(&s->commits, 1))
			commit(page, 64, i);
	return NULL;
}

/* The stream stands still only while a view is opened, as the event loop opens it. */
static void test_read_while_commits_never_stop(void **state)
{
	struct stream s = { false, 0 };
	pthread_t thread;

	(void)state;
	open_view();
	assert_int_equal(pthread_create(&thread, NULL, commit_always, &s), 0);
	for (unsigned page = 0; page < PAGES; page += 16) {
		uint32_t before = atomic_load(&s.commits);

		assert_int_equal(read_pages(page, 16), 1);
		while (atomic_load(&s.commits) == before)
			sched_yield();
	}
	atomic_store(&s.end, true);
	pthread_join(thread, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_the_moment_it_was_opened, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_only_what_is_still_to_be_read_is_kept, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_a_broken_one_gives_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_read_while_commits_never_stop, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
