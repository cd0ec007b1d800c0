/* SPDX-License-Identifier: Apache-2.0 */
/* The journal alone: pages of a real process into a real memfd, pre-images, and writes that fail
 * half-way. */
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
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "common/memory/address-map.h"
#include "kernel/state/journal.h"

#define PAGES 64
#define SIZE (PAGES * ARENA_PAGE)

struct fixture {
	int memfd;
	char *pages; /* what the "worker" (this process) holds at its own address */
	struct journal journal;
	struct dirty_range ranges[3];
};

static void *old_content(void)
{
	char *p = malloc(SIZE);

	for (size_t i = 0; i < SIZE; i++)
		p[i] = (char)(i * 31 >> 3);
	return p;
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char *old = old_content();

	f->memfd = memfd_create("journal", MFD_CLOEXEC);
	if (write(f->memfd, old, SIZE) != (ssize_t)SIZE)
		return -1;
	free(old);
	f->pages = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, f->memfd, 0);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	journal_release(&f->journal);
	munmap(f->pages, SIZE);
	close(f->memfd);
	free(f);
	return 0;
}

/* Overwrite n pages from `page` on and note them in the journal, as a scan would. */
static void overwrite(struct fixture *f, size_t page, size_t n, char value)
{
	struct dirty_ranges *r = &f->journal.ranges;

	memset(f->pages + page * ARENA_PAGE, value, n * ARENA_PAGE);
	r->at = realloc(r->at, (r->n + 1) * sizeof(*r->at));
	r->cap = r->n + 1;
	r->at[r->n++] = (struct dirty_range){ (uint64_t)(uintptr_t)f->pages + page * ARENA_PAGE,
					      n * ARENA_PAGE };
	r->bytes += n * ARENA_PAGE;
}

static int memfd_is(const struct fixture *f, const char *content)
{
	char *now = malloc(SIZE);
	int same;

	assert_int_equal(pread(f->memfd, now, SIZE, 0), SIZE);
	same = !memcmp(now, content, SIZE);
	free(now);
	return same;
}

static uint64_t base_of(const struct fixture *f)
{
	return (uint64_t)(uintptr_t)f->pages;
}

static void test_stage_leaves_the_memfd(void **state)
{
	struct fixture *f = *state;
	struct error err = ERROR_INIT;
	char *old = old_content();

	overwrite(f, 3, 2, 'x');
	assert_int_equal(journal_stage(&f->journal, getpid(), &err), 0);
	assert_int_equal(f->journal.state, JOURNAL_STAGED);
	assert_true(memfd_is(f, old));
	journal_reset(&f->journal);
	assert_int_equal(f->journal.state, JOURNAL_RUNNING);
	assert_int_equal(f->journal.ranges.n, 0);
	free(old);
}

static void test_apply_and_go_back(void **state)
{
	struct fixture *f = *state;
	struct error err = ERROR_INIT;
	struct preimage p;
	char *old = old_content(), *changed = malloc(SIZE);

	overwrite(f, 0, 1, 'a');
	overwrite(f, 10, 5, 'b');
	overwrite(f, 63, 1, 'c');
	memcpy(changed, f->pages, SIZE);
	assert_int_equal(journal_stage(&f->journal, getpid(), &err), 0);
	/* What the worker does after staging must not matter. */
	memset(f->pages, 'z', SIZE);
	assert_int_equal(journal_apply(&f->journal, f->memfd, base_of(f), SIZE, NULL, &err), 0);
	assert_int_equal(f->journal.state, JOURNAL_APPLIED);
	assert_true(memfd_is(f, changed));
	p = journal_steal_preimage(&f->journal);
	journal_reset(&f->journal);
	assert_int_equal(preimage_restore(&p, f->memfd, base_of(f), &err), 0);
	assert_true(memfd_is(f, old));
	preimage_release(&p);
	free(old);
	free(changed);
}

static void test_preimage_is_bounded(void **state)
{
	struct fixture *f = *state;
	struct error err = ERROR_INIT;
	struct preimage p;

	overwrite(f, 0, 3, 'a');
	assert_int_equal(journal_stage(&f->journal, getpid(), &err), 0);
	assert_int_equal(
		journal_apply(&f->journal, f->memfd, base_of(f), 2 * ARENA_PAGE, NULL, &err), 0);
	p = journal_steal_preimage(&f->journal);
	assert_false(p.valid);
	assert_int_equal(preimage_restore(&p, f->memfd, base_of(f), &err), -1);
	assert_int_equal(err.code, ERROR_LIMIT);
	preimage_release(&p);
}

/* The size limit of files lets the first range be written and not the second. */
static void test_failed_write_is_taken_back(void **state)
{
	struct fixture *f = *state;
	struct error err = ERROR_INIT;
	struct rlimit before, limit;
	char *old = old_content(), *changed = malloc(SIZE);

	overwrite(f, 1, 4, 'a');
	overwrite(f, 30, 8, 'b');
	memcpy(changed, f->pages, SIZE);
	assert_int_equal(journal_stage(&f->journal, getpid(), &err), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 33 * ARENA_PAGE;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(journal_apply(&f->journal, f->memfd, base_of(f), SIZE, NULL, &err), -1);
	assert_int_equal(f->journal.state, JOURNAL_STAGED);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_true(memfd_is(f, old));
	assert_int_equal(journal_apply(&f->journal, f->memfd, base_of(f), SIZE, NULL, &err), 0);
	assert_true(memfd_is(f, changed));
	free(old);
	free(changed);
}

static void test_dead_worker_cannot_be_staged(void **state)
{
	struct fixture *f = *state;
	struct error err = ERROR_INIT;
	char *old = old_content();
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	overwrite(f, 3, 2, 'x');
	assert_int_equal(journal_stage(&f->journal, pid, &err), -1);
	assert_int_equal(f->journal.state, JOURNAL_RUNNING);
	assert_int_equal(f->journal.ranges.n, 0);
	assert_true(memfd_is(f, old));
	free(old);
}

/* More than one thread's share, in pieces of every size, from a state that another process holds.
 */
static void test_large_commit_and_back(void **state)
{
	const size_t size = 80ul << 20,
		     piece[] = { ARENA_PAGE, 3ul << 20, 37ul << 20, 17 * ARENA_PAGE };
	int memfd = memfd_create("large", MFD_CLOEXEC);
	struct journal j = { 0 };
	struct error err = ERROR_INIT;
	struct preimage p;
	uint64_t *pages, *committed;

	(void)state;
	assert_int_equal(ftruncate(memfd, (off_t)size), 0);
	committed = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, memfd, 0);
	for (size_t i = 0; i < size / 8; i++)
		committed[i] = i;
	j.ranges.at = calloc(64, sizeof(*j.ranges.at));
	j.ranges.cap = 64;
	for (size_t at = 0, k = 0; at + piece[k % 4] < size;
	     at += piece[k++ % 4] + 5 * ARENA_PAGE) {
		for (size_t i = at / 8; i < (at + piece[k % 4]) / 8; i++)
			pages[i] = ~i;
		j.ranges.at[j.ranges.n++] =
			(struct dirty_range){ (uint64_t)(uintptr_t)pages + at, piece[k % 4] };
		j.ranges.bytes += piece[k % 4];
	}
	assert_int_equal(journal_stage(&j, getpid(), &err), 0);
	assert_true(j.n_slices > 3);
	assert_int_equal(journal_apply(&j, memfd, (uint64_t)(uintptr_t)pages, size, NULL, &err), 0);
	assert_memory_equal(committed, pages, size);
	p = journal_steal_preimage(&j);
	assert_int_equal(preimage_restore(&p, memfd, (uint64_t)(uintptr_t)pages, &err), 0);
	for (size_t i = 0; i < size / 8; i++)
		assert_true(committed[i] == i);
	preimage_release(&p);
	journal_release(&j);
	munmap(pages, size);
	munmap(committed, size);
	close(memfd);
}

/* Too large for a pre-image: no page is written when not all of them can be. */
static void test_no_room_without_a_preimage(void **state)
{
	struct fixture *f = *state;
	struct error err = ERROR_INIT;
	struct rlimit before, limit;
	char *old = old_content();

	overwrite(f, 1, 4, 'a');
	overwrite(f, 30, 8, 'b');
	assert_int_equal(journal_stage(&f->journal, getpid(), &err), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 33 * ARENA_PAGE;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(ftruncate(f->memfd, 20 * (off_t)ARENA_PAGE), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(journal_apply(&f->journal, f->memfd, base_of(f), ARENA_PAGE, NULL, &err),
			 -1);
	assert_int_equal(f->journal.state, JOURNAL_STAGED);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(pread(f->memfd, f->pages, ARENA_PAGE, ARENA_PAGE), ARENA_PAGE);
	assert_memory_equal(f->pages, old + ARENA_PAGE, ARENA_PAGE);
	free(old);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_stage_leaves_the_memfd, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_apply_and_go_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_preimage_is_bounded, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_failed_write_is_taken_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_dead_worker_cannot_be_staged, set_up,
						tear_down),
		cmocka_unit_test(test_large_commit_and_back),
		cmocka_unit_test_setup_teardown(test_no_room_without_a_preimage, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
