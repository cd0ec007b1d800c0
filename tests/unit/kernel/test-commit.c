/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commit of real arenas: a child maps the memfd by the rules of common/memory/arena-layout.h and
 * changes it; it is killed at every step of the commit, and after each the whole committed state,
 * by its checksum, must be the old or the new one.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/error.h"
#include "common/memory/arena-layout.h"
#include "kernel/state/commit.h"
#include "kernel/state/snapshot.h"

#define MIB_PAGES 256
#define LARGE_PAGES 2048

static struct snapshot snapshot;
static struct journal journal;

static char *region(enum arena_region r)
{
	return (char *)(ARENA_BASE + arena_region_offset(r));
}

/* Committed part private, `fresh` bytes beyond it of the live memfd; the header page is always
 * private. */
static int map_region(const struct snapshot *s, enum arena_region r, uint64_t committed,
		      uint64_t fresh, bool in_place)
{
	off_t offset = (off_t)arena_region_offset(r);

	if (in_place) {
		fresh += committed;
		committed = 0;
	}

	if (r == ARENA_META && !committed) {
		committed = ARENA_HEADER_SIZE;
		fresh -= ARENA_HEADER_SIZE;
	}
	if (committed && mmap(region(r), committed, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_FIXED_NOREPLACE, s->arena.fd, offset) == MAP_FAILED)
		return -1;
	if (fresh && mmap(region(r) + committed, fresh, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_FIXED_NOREPLACE, s->live,
			  offset + (off_t)committed) == MAP_FAILED)
		return -1;
	return 0;
}

enum cell { CELL_FIRST, CELL_SECOND, CELL_BAD_HEADER, CELL_BAD_TOP, CELL_IN_PLACE, CELL_LARGE };

/* What a cell does to its arena: some committed pages, in pieces, and fresh memory of every region.
 * CELL_IN_PLACE is CELL_SECOND with its committed heap written in place, CELL_LARGE with more fresh
 * heap. */
static int work(const struct snapshot *s, enum cell cell)
{
	struct arena_header *h = (struct arena_header *)ARENA_BASE;
	bool in_place = cell == CELL_IN_PLACE, large = cell == CELL_LARGE;
	char value;

	cell = in_place || large ? CELL_SECOND : cell;
	value = (char)('A' + cell);
	for (int r = 0; r < ARENA_REGIONS; r++) {
		uint64_t top = s->top[r],
			 fresh = (large && r == ARENA_HEAP ? LARGE_PAGES : MIB_PAGES) * ARENA_PAGE;

		if (map_region(s, r, top, fresh, in_place && r == ARENA_HEAP))
			return -1;
		for (uint64_t page = 1; page * ARENA_PAGE < top; page += 3)
			region(r)[page * ARENA_PAGE + 99] = value;
		memset(region(r) + (top ? top : ARENA_PAGE), value + 1, fresh - ARENA_PAGE);
		h->top[r] = top + fresh;
	}
	h->magic = cell == CELL_BAD_HEADER ? 0 : ARENA_MAGIC;
	h->version = ARENA_VERSION;
	h->cell = cell + 1;
	if (cell == CELL_BAD_TOP)
		h->top[ARENA_DATA] = ARENA_DATA_SIZE + ARENA_PAGE;
	return 0;
}

static pid_t start_attached(enum cell cell)
{
	int ready[2];
	char c = 0;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!work(&snapshot, cell) && write(ready[1], "r", 1) == 1)
			for (;;)
				pause();
		_exit(1);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return pid;
}

/* A worker of its own, with nothing of the one before. */
static pid_t start(enum cell cell)
{
	struct error err = ERROR_INIT;
	int live = arena_file_live(&err);

	assert_true(live >= 0);
	assert_int_equal(snapshot_attach(&snapshot, live, &err), 0);
	close(live);
	return start_attached(cell);
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

struct killer {
	pid_t pid;
	enum commit_step step;
	int after; /* how many times the step is let pass */
	int hit;
};

static void kill_at(void *data, enum commit_step step)
{
	struct killer *k = data;

	if (step != k->step || k->hit || k->after-- > 0)
		return;
	k->hit++;
	end(k->pid);
}

static int commit(pid_t pid, const struct dirty_pages *method, struct killer *killer,
		  struct error *err)
{
	struct commit_hook hook = { kill_at, killer };
	struct commit_source from = { pid, dirty_pages_open(pid, err), method };
	struct commit_report report = { 0 };
	int result;

	assert_true(from.pagemap >= 0);
	result = commit_cell(&snapshot, &journal, &from, killer ? &hook : NULL, &report, err);
	assert_int_equal(journal.state, JOURNAL_RUNNING);
	close(from.pagemap);
	return result;
}

/* FNV-1a over the tops and every committed byte, the header's included. */
static uint64_t checksum(void)
{
	uint64_t hash = 0xcbf29ce484222325ull;
	unsigned char page[ARENA_PAGE];

	for (int r = 0; r < ARENA_REGIONS; r++) {
		hash = (hash ^ snapshot.top[r]) * 0x100000001b3ull;
		for (uint64_t at = 0; at < snapshot.top[r]; at += ARENA_PAGE) {
			uint64_t address = ARENA_BASE + arena_region_offset(r) + at;

			assert_int_equal(snapshot_read(&snapshot, address, page, sizeof(page)), 0);
			for (size_t i = 0; i < sizeof(page); i++)
				hash = (hash ^ page[i]) * 0x100000001b3ull;
		}
	}
	return hash;
}

/* A session after its first cell. */
static int set_up(void **state)
{
	struct error err = ERROR_INIT;
	pid_t pid;

	(void)state;
	if (snapshot_init(&snapshot, NULL, 1ull << 28, &err))
		return -1;
	pid = start(CELL_FIRST);
	if (commit(pid, dirty_pages_choose(), NULL, &err))
		return -1;
	end(pid);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	snapshot_release(&snapshot);
	journal_release(&journal);
	return 0;
}

static void go_back(unsigned n)
{
	struct error err = ERROR_INIT;

	if (snapshot_undo(&snapshot, n, &err))
		fail_msg("%s", err.text);
	undo_log_pop(&snapshot.undo, n);
}

static uint64_t new_checksum(void)
{
	struct error err = ERROR_INIT;
	pid_t pid = start(CELL_SECOND);
	uint64_t hash;

	assert_int_equal(commit(pid, &dirty_pages_pagemap, NULL, &err), 0);
	end(pid);
	hash = checksum();
	go_back(1);
	return hash;
}

static void test_first_commit(void **state)
{
	uint64_t word = 0;
	char c;

	(void)state;
	for (int r = 0; r < ARENA_REGIONS; r++)
		assert_int_equal(snapshot.top[r], MIB_PAGES * ARENA_PAGE);
	assert_int_equal(snapshot_read(&snapshot, ARENA_BASE, &word, sizeof(word)), 0);
	assert_true(word == ARENA_MAGIC);
	assert_int_equal(snapshot_read(&snapshot, ARENA_BASE + ARENA_HEAP_OFFSET + 5000, &c, 1), 0);
	assert_int_equal(c, 'B');
	assert_int_equal(snapshot_read(&snapshot,
				       ARENA_BASE + ARENA_HEAP_OFFSET + MIB_PAGES * ARENA_PAGE - 1,
				       &word, 2),
			 -1);
	assert_int_equal(snapshot_read(&snapshot, 0, &word, 1), -1);
}

static void test_both_methods_agree(void **state)
{
	struct error err = ERROR_INIT;
	uint64_t before = checksum(), expected = new_checksum();
	pid_t pid;

	(void)state;
	assert_true(before == checksum());
	assert_true(before != expected);
	pid = start(CELL_SECOND);
	assert_int_equal(commit(pid, dirty_pages_choose(), NULL, &err), 0);
	end(pid);
	assert_true(checksum() == expected);
}

static void kill_at_step(enum commit_step step, int after, uint64_t before, uint64_t expected)
{
	struct error err = ERROR_INIT;
	struct killer killer = { start(CELL_SECOND), step, after, 0 };
	int result = commit(killer.pid, dirty_pages_choose(), &killer, &err);

	assert_int_equal(killer.hit, 1);
	if (step < COMMIT_STAGED) {
		assert_int_equal(result, -1);
		assert_true(checksum() == before);
		return;
	}
	if (result)
		fail_msg("%s: %s", commit_step_name(step), err.text);
	assert_true(checksum() == expected);
	go_back(1);
	assert_true(checksum() == before);
}

static void test_killed_at_every_step(void **state)
{
	uint64_t before = checksum(), expected = new_checksum();

	(void)state;
	for (int step = 0; step < COMMIT_STEPS; step++)
		kill_at_step(step, 0, before, expected);
	for (int after = 1; after < 300; after += 37)
		kill_at_step(COMMIT_APPLYING, after, before, expected);
}

static struct shadow_files files(void)
{
	return (struct shadow_files){ snapshot.arena.fd, snapshot.live, ARENA_BASE };
}

/* The committed heap may be written in place: the live memfd has a copy of it. */
static pid_t start_in_place(enum cell cell)
{
	struct error err = ERROR_INIT;
	struct shadow_copies *t = &snapshot.shadow_copies;
	int live = arena_file_live(&err);
	struct shadow_files at;
	struct preimage *saved;
	bool lost;

	assert_int_equal(snapshot_attach(&snapshot, live, &err), 0);
	close(live);
	at = files();
	*t = (struct shadow_copies){ .n = 1 };
	t->at[0] = (struct shadow_copy){ .address = (uint64_t)region(ARENA_HEAP),
					 .size = snapshot.top[ARENA_HEAP] };
	assert_true(shadow_copies_need_work(t, SHADOW_ALL));
	assert_int_equal(shadow_copies_refresh(t, &at, SHADOW_ALL, 0, &saved, &lost, &err), 0);
	t->at[0].shared = t->written = true;
	return start_attached(cell);
}

static void bring_up_to_date(void)
{
	struct error err = ERROR_INIT;
	struct shadow_files at = files();
	struct preimage *saved;
	bool lost;

	assert_true(shadow_copies_are_stale(&snapshot.shadow_copies));
	if (shadow_copies_refresh(&snapshot.shadow_copies, &at, SHADOW_STALE,
				  snapshot.undo.bytes_max, &saved, &lost, &err))
		fail_msg("%s", err.text);
	commit_add_saved(&snapshot, saved, lost);
	assert_false(shadow_copies_are_stale(&snapshot.shadow_copies));
}

static void kill_in_place_at_step(enum commit_step step, uint64_t before, uint64_t expected)
{
	struct error err = ERROR_INIT;
	struct killer killer = { .step = step };
	int result;

	killer.pid = start_in_place(CELL_IN_PLACE);
	assert_true(checksum() == before); /* a reader sees what is committed */
	result = commit(killer.pid, dirty_pages_choose(), &killer, &err);
	assert_int_equal(killer.hit, 1);
	assert_int_equal(result, step < COMMIT_STAGED ? -1 : 0);
	assert_true(checksum() == (result ? before : expected));
	if (!result)
		bring_up_to_date();
	shadow_copies_release(&snapshot.shadow_copies);
	assert_true(checksum() == (result ? before : expected));
	if (!result)
		go_back(1);
	assert_true(checksum() == before);
}

static void test_written_in_place_and_killed_at_every_step(void **state)
{
	uint64_t before = checksum(), expected = new_checksum();

	(void)state;
	for (int step = 0; step < COMMIT_STEPS; step++)
		kill_in_place_at_step(step, before, expected);
}

/* What is in place may be private again, after a fork for example: its pages are in the journal. */
static void test_in_place_and_written_as_private(void **state)
{
	uint64_t before = checksum(), expected = new_checksum();
	struct error err = ERROR_INIT;
	pid_t pid;

	(void)state;
	pid = start_in_place(CELL_SECOND);
	assert_int_equal(commit(pid, dirty_pages_choose(), NULL, &err), 0);
	end(pid);
	bring_up_to_date();
	shadow_copies_release(&snapshot.shadow_copies);
	assert_true(checksum() == expected);
	go_back(1);
	assert_true(checksum() == before);
}

/* The worker has left the range in the cell: the commit itself brings it up to date. */
static void test_a_range_that_the_worker_has_left(void **state)
{
	uint64_t before = checksum(), expected = new_checksum();
	struct error err = ERROR_INIT;
	pid_t pid;

	(void)state;
	pid = start_in_place(CELL_IN_PLACE);
	snapshot.shadow_copies.at[0].unwanted = true;
	assert_int_equal(commit(pid, dirty_pages_choose(), NULL, &err), 0);
	assert_false(shadow_copies_are_stale(&snapshot.shadow_copies) ||
		     shadow_copies_are_shared(&snapshot.shadow_copies));
	end(pid);
	shadow_copies_release(&snapshot.shadow_copies);
	assert_true(checksum() == expected);
	go_back(1);
	assert_true(checksum() == before);
}

/* Large fresh memory stays in the live memfd, as an in-place range, if there is room for its copy.
 */
static void test_fresh_memory_that_stays(void **state)
{
	uint64_t before = checksum();
	struct shadow_copies *t = &snapshot.shadow_copies;
	struct error err = ERROR_INIT;
	struct commit_source from = { start(CELL_LARGE), -1, dirty_pages_choose() };
	struct shadow_files at = files();
	struct commit_report report;
	struct preimage *saved;
	struct commit c;
	bool lost;

	(void)state;
	from.pagemap = dirty_pages_open(from.pid, &err);
	for (int room = 0; room < 2; room++) {
		uint64_t first;

		if (room)
			from.pid = start(CELL_LARGE);
		close(from.pagemap);
		from.pagemap = dirty_pages_open(from.pid, &err);
		t->bytes_max = room ? LARGE_PAGES * ARENA_PAGE : LARGE_PAGES * ARENA_PAGE / 2;
		assert_int_equal(commit_begin(&c, &snapshot, &journal, &from, NULL, &err), 0);
		commit_leave_fresh(&c);
		assert_int_equal(commit_copy(&c, &err), 0);
		commit_end(&c, true, &report);
		end(from.pid);
		assert_int_equal(t->n, room);
		first = checksum();
		at = files();
		if (room) {
			assert_true(shadow_copies_are_stale(t) && t->at[0].shared);
			assert_int_equal(shadow_copies_refresh(t, &at, SHADOW_STALE, ARENA_PAGE,
							       &saved, &lost, &err),
					 0);
			assert_false(lost); /* there was nothing before it */
			assert_null(saved);
		}
		shadow_copies_release(t);
		assert_true(checksum() == first && first != before);
		go_back(1);
		assert_true(checksum() == before);
	}
	close(from.pagemap);
}

/* Pages of the live memfd over committed ones are a cell's like any other, with undo. */
static void test_pages_over_committed_ones(void **state)
{
	const off_t heap = (off_t)ARENA_HEAP_OFFSET;
	struct error err = ERROR_INIT;
	uint64_t before = checksum();
	char c = 0;
	pid_t pid;

	(void)state;
	pid = start(CELL_IN_PLACE); /* its heap is mapped from the live memfd */
	assert_int_equal(commit(pid, dirty_pages_choose(), NULL, &err), 0);
	end(pid);
	assert_int_equal(
		snapshot_read(&snapshot, (uint64_t)region(ARENA_HEAP) + ARENA_PAGE + 99, &c, 1), 0);
	assert_int_equal(c, 'A' + CELL_SECOND);
	assert_true(lseek(snapshot.live, heap, SEEK_DATA) < 0);
	go_back(1);
	assert_true(checksum() == before);
}

/* Heap that a cell gives back is taken out of the file, as far as it is heap below the top. */
static void test_heap_that_is_given_back(void **state)
{
	uint64_t heap = (uint64_t)region(ARENA_HEAP), top = heap + 2 * MIB_PAGES * ARENA_PAGE;
	struct dirty_range at[] = { { ARENA_BASE, ARENA_PAGE },
				    { heap + 4 * ARENA_PAGE, ARENA_PAGE },
				    { top - ARENA_PAGE, 2 * ARENA_PAGE },
				    { heap + 8 * ARENA_PAGE, ~ARENA_PAGE + 1 } };
	struct dirty_ranges ranges = { at, 4, 4, 0 };
	struct error err = ERROR_INIT;
	struct commit_report report = { 0 };
	struct commit_source from = { start(CELL_SECOND), -1, dirty_pages_choose(), &ranges };
	uint64_t word = 1;

	(void)state;
	from.pagemap = dirty_pages_open(from.pid, &err);
	assert_int_equal(commit_cell(&snapshot, &journal, &from, NULL, &report, &err), 0);
	end(from.pid);
	close(from.pagemap);
	assert_int_equal(snapshot_read(&snapshot, heap + 4 * ARENA_PAGE, &word, 8), 0);
	assert_int_equal(word, 0);
	for (uint64_t page = heap + ARENA_PAGE; page < top - ARENA_PAGE; page += ARENA_PAGE) {
		assert_int_equal(snapshot_read(&snapshot, page + 8, &word, 8), 0);
		assert_true(word || page == heap + 4 * ARENA_PAGE);
	}
	assert_int_equal(snapshot_read(&snapshot, ARENA_BASE, &word, 8), 0);
	assert_true(word == ARENA_MAGIC);
}

/* A checkpoint: the copy is brought up to date by the commit itself. */
static void test_a_cell_that_goes_on(void **state)
{
	struct error err = ERROR_INIT;
	uint64_t before = checksum(), expected = new_checksum();
	struct commit_source from;
	struct commit_report report;
	struct commit c;

	(void)state;
	from = (struct commit_source){ start_in_place(CELL_IN_PLACE), -1, dirty_pages_choose() };
	from.pagemap = dirty_pages_open(from.pid, &err);
	assert_int_equal(commit_begin(&c, &snapshot, &journal, &from, NULL, &err), 0);
	c.goes_on = true;
	assert_true(commit_is_large(&c));
	assert_int_equal(commit_copy(&c, &err), 0);
	commit_end(&c, true, &report);
	assert_false(shadow_copies_are_stale(&snapshot.shadow_copies) ||
		     shadow_copies_are_shared(&snapshot.shadow_copies));
	assert_true(checksum() == expected);
	end(from.pid);
	close(from.pagemap);
	go_back(1);
	assert_true(checksum() == before);
	shadow_copies_release(&snapshot.shadow_copies);
}

static void test_overwritten_header_is_refused(void **state)
{
	struct error err = ERROR_INIT;
	uint64_t before = checksum();

	(void)state;
	for (enum cell cell = CELL_BAD_HEADER; cell <= CELL_BAD_TOP; cell++) {
		pid_t pid = start(cell);

		assert_int_equal(commit(pid, dirty_pages_choose(), NULL, &err), -1);
		assert_non_null(strstr(err.text, "overwritten"));
		end(pid);
		assert_true(checksum() == before);
	}
}

static void limit_file_size(void *data, enum commit_step step)
{
	struct rlimit limit = *(struct rlimit *)data;

	limit.rlim_cur = ARENA_DATA_OFFSET;
	if (step == COMMIT_SAVED)
		setrlimit(RLIMIT_FSIZE, &limit);
}

/* The memfd cannot be written at all: the worker is ended to make room, and the old state stays
 * whole. */
static void test_no_room(void **state)
{
	struct error err = ERROR_INIT;
	struct rlimit before;
	struct commit_hook hook = { limit_file_size, &before };
	struct commit_report report;
	struct commit_source from = { start(CELL_SECOND), -1, dirty_pages_choose() };
	uint64_t hash = checksum();
	int result;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	from.pagemap = dirty_pages_open(from.pid, &err);
	result = commit_cell(&snapshot, &journal, &from, &hook, &report, &err);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(result, -1);
	assert_int_equal(waitpid(from.pid, NULL, WNOHANG), from.pid);
	close(from.pagemap);
	assert_true(checksum() == hash);
}

static void run_second(void)
{
	struct error err = ERROR_INIT;
	pid_t pid = start(CELL_SECOND);

	if (commit(pid, dirty_pages_choose(), NULL, &err))
		fail_msg("%s", err.text);
	undo_log_newest(&snapshot.undo)->device.valid = true;
	end(pid);
}

static void test_undo_over_several_commits(void **state)
{
	uint64_t hash[6], serial[6];

	(void)state;
	for (int i = 0; i < 6; i++) {
		hash[i] = checksum();
		serial[i] = snapshot.serial;
		run_second();
	}
	assert_int_equal(undo_log_depth(&snapshot.undo, serial[5]), 1);
	go_back(undo_log_depth(&snapshot.undo, serial[3]));
	assert_true(checksum() == hash[3] && snapshot.serial == serial[3]);
	run_second();
	go_back(1);
	go_back(undo_log_depth(&snapshot.undo, serial[0]));
	assert_true(checksum() == hash[0]);
	assert_int_equal(undo_log_depth(&snapshot.undo, serial[5]), 0);
}

/* The oldest go first; what one commit overwrites beyond all room is not kept, and what was before
 * it cannot be reached. */
static void test_undo_has_a_budget(void **state)
{
	uint64_t one;

	(void)state;
	undo_log_clear(&snapshot.undo);
	run_second();
	one = undo_log_bytes(&snapshot.undo);
	snapshot.undo.bytes_max = 8 * one;
	run_second();
	run_second();
	undo_log_trim(&snapshot.undo);
	assert_int_equal(snapshot.undo.n, 3);
	snapshot.undo.bytes_max = undo_log_bytes(&snapshot.undo) - 1;
	undo_log_trim(&snapshot.undo);
	assert_int_equal(snapshot.undo.n, 2);
	snapshot.undo.bytes_max = ARENA_PAGE;
	run_second();
	undo_log_trim(&snapshot.undo);
	assert_int_equal(snapshot.undo.n, 0);
}

static void test_undo_and_reset(void **state)
{
	struct error err = ERROR_INIT;
	uint64_t before = checksum();
	pid_t pid;

	(void)state;
	run_second();
	go_back(1);
	assert_true(checksum() == before);
	assert_int_equal(snapshot_reset(&snapshot, &err), 0);
	assert_int_equal(snapshot.top[ARENA_META], 0);
	/* A session after a reset is one before its first cell. */
	pid = start(CELL_FIRST);
	assert_int_equal(commit(pid, dirty_pages_choose(), NULL, &err), 0);
	end(pid);
	assert_true(checksum() == before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_first_commit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_both_methods_agree, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_killed_at_every_step, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_written_in_place_and_killed_at_every_step,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_in_place_and_written_as_private, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_a_range_that_the_worker_has_left, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_fresh_memory_that_stays, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_pages_over_committed_ones, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_heap_that_is_given_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_cell_that_goes_on, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_overwritten_header_is_refused, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_no_room, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_undo_over_several_commits, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_undo_has_a_budget, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_undo_and_reset, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
