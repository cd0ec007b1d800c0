/* SPDX-License-Identifier: Apache-2.0 */
/* The arena over real files: what is in which of them when, and what a second process that attaches
 * them sees. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "runtime/arena/arena.h"
#include "runtime/arena/private-pages.h"
#include "tests/unit/runtime/arena-files.h"

static int fd, live = -1;
static bool scans; /* Linux can tell which pages are private */

static void attach(void)
{
	struct error err = ERROR_INIT;

	close(live);
	live = arena_files_new();
	if (arena_attach(fd, live, &err))
		fail_msg("%s", err.text);
}

static int set_up(void **state)
{
	(void)state;
	fd = arena_files_new();
	attach();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	close(fd);
	close(live);
	live = -1;
	return 0;
}

static char byte_of(int file, const void *address)
{
	char c = 0;

	assert_int_equal(pread(file, &c, 1, (off_t)((uint64_t)address - ARENA_BASE)), 1);
	return c;
}

static char in_file(const void *address)
{
	return byte_of(fd, address);
}

static char in_live(const void *address)
{
	return byte_of(live, address);
}

/* The kernel's part: the pages that the test knows to be private, and all that are fresh, go into
 * the file. */
static void commit_page(const void *address)
{
	uint64_t page = (uint64_t)address & ~(ARENA_PAGE - 1);

	assert_int_equal(pwrite(fd, (void *)page, ARENA_PAGE, (off_t)(page - ARENA_BASE)),
			 ARENA_PAGE);
}

static bool in_use(uint64_t address, size_t size)
{
	(void)address, (void)size;
	return false;
}

static bool still_free(uint64_t address, size_t size)
{
	(void)address, (void)size;
	return true;
}

static void commit(void)
{
	commit_page(arena_header());
	arena_files_move(live, fd);
	arena_committed();
	arena_keep_fresh(in_use);
}

static void test_new_session_leaves_the_file_alone(void **state)
{
	(void)state;
	assert_true(arena_header()->magic == ARENA_MAGIC);
	assert_int_equal(in_file(arena_header()), 0);
}

static void test_fresh_is_in_place(void **state)
{
	char *p = arena_grow(ARENA_HEAP, 3 * ARENA_PAGE);

	(void)state;
	assert_ptr_equal(p, ARENA_BASE + ARENA_HEAP_OFFSET);
	p[0] = 'f';
	assert_int_equal(in_live(p), 'f');
	assert_int_equal(in_file(p), 0);
}

static void test_committed_is_private(void **state)
{
	char *p = arena_grow(ARENA_HEAP, ARENA_PAGE), *q;

	(void)state;
	p[0] = 'a';
	commit();
	p[0] = 'b';
	assert_int_equal(in_file(p), 'a');
	commit_page(p);
	commit();
	assert_int_equal(p[0], 'b');
	/* The private copy is gone: what is in the file now shows through. */
	assert_int_equal(pwrite(fd, "c", 1, (off_t)((uint64_t)p - ARENA_BASE)), 1);
	assert_int_equal(p[0], 'c');
	q = arena_grow(ARENA_HEAP, ARENA_PAGE);
	assert_ptr_equal(q, p + ARENA_PAGE);
}

static void test_rollback_forgets_fresh(void **state)
{
	char *p = arena_grow(ARENA_DATA, ARENA_PAGE), *q;

	(void)state;
	p[0] = 'k';
	commit();
	p[0] = 'x';
	q = arena_grow(ARENA_DATA, ARENA_PAGE);
	q[0] = 'y';
	attach();
	assert_int_equal(p[0], 'k');
	assert_int_equal(arena_header()->top[ARENA_DATA], ARENA_PAGE);
	q = arena_grow(ARENA_DATA, ARENA_PAGE);
	assert_int_equal(q[0], 0);
}

static void test_code(void **state)
{
	struct error err = ERROR_INIT;
	char *p = arena_grow(ARENA_CODE, ARENA_PAGE);

	(void)state;
	assert_int_equal(arena_write_code((uint64_t)p, "code", 5, &err), 0);
	assert_string_equal(p, "code");
	commit();
	assert_string_equal(p, "code");
	assert_int_equal(arena_write_code((uint64_t)p, "CODE", 5, &err), 0);
	assert_string_equal(p, "CODE");
	assert_int_equal(in_file(p), 'c');
}

/* How many of the pages are mapped by this process. */
static unsigned n_mapped(const char *p, unsigned pages)
{
	cleanup_fd int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	unsigned n = 0;

	for (unsigned i = 0; i < pages; i++) {
		uint64_t entry = 0;

		pread(pagemap, &entry, sizeof(entry),
		      (off_t)(((uint64_t)p / ARENA_PAGE + i) * sizeof(entry)));
		n += entry >> 63;
	}
	return n;
}

/* What is mapped makes every commit dearer. */
static void test_what_was_read_is_unmapped(void **state)
{
	enum { PAGES = 100 };
	char *p = arena_grow(ARENA_CODE, PAGES * ARENA_PAGE);
	volatile char sum = 0;

	(void)state;
	commit();
	for (unsigned i = 0; i < PAGES; i++)
		sum = (char)(sum + p[i * ARENA_PAGE]);
	assert_true(n_mapped(p, PAGES) == PAGES);
	for (unsigned i = 0; i < 100; i++)
		commit();
	assert_int_equal(n_mapped(p, PAGES), 0);
}

static void test_made_fresh_again(void **state)
{
	char *p = arena_grow(ARENA_HEAP, 4 * ARENA_PAGE);

	(void)state;
	memset(p, 'z', 4 * ARENA_PAGE);
	commit();
	arena_files_punch(fd, (uint64_t)p + ARENA_PAGE, 2 * ARENA_PAGE);
	arena_make_fresh((uint64_t)p + ARENA_PAGE, 2 * ARENA_PAGE);
	assert_int_equal(p[ARENA_PAGE], 0);
	p[ARENA_PAGE] = 'n';
	assert_int_equal(in_live(p + ARENA_PAGE), 'n');
	commit();
	assert_int_equal(p[ARENA_PAGE], 'n');
	p[ARENA_PAGE] = 'o';
	assert_int_equal(in_file(p + ARENA_PAGE), 'n');
	assert_int_equal(p[0], 'z');
}

static void test_free_memory_stays_fresh(void **state)
{
	char *p = arena_grow(ARENA_HEAP, 4 * ARENA_PAGE);

	(void)state;
	commit();
	assert_true(arena_make_fresh((uint64_t)p + ARENA_PAGE, ARENA_PAGE));
	commit_page(arena_header());
	arena_committed();
	arena_keep_fresh(still_free);
	p[ARENA_PAGE] = 'n';
	assert_int_equal(in_live(p + ARENA_PAGE), 'n');
}

static void test_discard(void **state)
{
	char *p = arena_grow(ARENA_HEAP, 2 * ARENA_PAGE), *q;

	(void)state;
	p[0] = 'p';
	commit();
	p[0] = 'q';
	q = arena_grow(ARENA_HEAP, 2 * ARENA_PAGE);
	q[0] = 'q';
	arena_discard((uint64_t)p, 4 * ARENA_PAGE);
	assert_int_equal(in_file(p), 'p'); /* a rollback must find it */
	assert_int_equal(in_live(q), 0);
}

static void test_child_writes_stay_in_the_child(void **state)
{
	char *p = arena_grow(ARENA_HEAP, ARENA_PAGE);
	int status;
	pid_t pid;

	(void)state;
	p[0] = '1';
	pid = fork();
	if (pid == 0) {
		arena_leave();
		if (p[0] != '1')
			_exit(2);
		p[0] = '2';
		_exit(p[0] == '2' ? 0 : 3);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(p[0], '1');
}

static char *committed_pages(size_t n)
{
	char *p = arena_grow(ARENA_HEAP, n * ARENA_PAGE);

	memset(p, 'c', n * ARENA_PAGE);
	commit();
	return p;
}

/* The kernel's part before a range is in place. */
static void fill(const char *p, size_t n)
{
	assert_int_equal(pwrite(live, p, n * ARENA_PAGE, (off_t)((uint64_t)p - ARENA_BASE)),
			 n * ARENA_PAGE);
}

static void test_in_place(void **state)
{
	char *p = committed_pages(4);
	uint64_t at = (uint64_t)p, size = 4 * ARENA_PAGE;

	(void)state;
	fill(p, 4);
	assert_int_equal(arena_begin_in_place(at, size), scans);
	p[0] = 'n';
	assert_int_equal(in_live(p), scans ? 'n' : 'c');
	assert_int_equal(in_file(p), 'c');
	arena_end_in_place(at, size - ARENA_PAGE); /* none that was in place */
	p[0] = 'm';
	assert_int_equal(in_live(p), scans ? 'm' : 'c');
	arena_end_in_place(at, size);
	assert_int_equal(p[0], scans ? 'c' : 'm'); /* the arena memfd has not followed */
	p[0] = 'k';
	assert_int_equal(in_live(p), scans ? 'm' : 'c');
	arena_end_all_in_place();
	assert_false(arena_take_left(&at, &size));
}

/* The cell goes on with what it has written, and nobody sees what it writes from then on; with the
 * commit it has what is committed. */
static void test_a_range_that_is_left(void **state)
{
	char *p = committed_pages(4);
	uint64_t at = (uint64_t)p, address, size;

	(void)state;
	fill(p, 4);
	assert_int_equal(arena_begin_in_place(at, 4 * ARENA_PAGE), scans);
	p[0] = 'n';
	arena_leave_all_in_place();
	assert_int_equal(p[0], 'n');
	p[0] = 'm';
	assert_int_equal(p[0], 'm');
	assert_int_equal(in_live(p), scans ? 'n' : 'c');
	assert_int_equal(arena_take_left(&address, &size), scans);
	assert_true(!scans || (address == at && size == 4 * ARENA_PAGE));
	assert_false(arena_take_left(&address, &size));
	commit_page(p);
	arena_files_punch(live, at, 4 * ARENA_PAGE);
	commit();
	assert_int_equal(p[0], 'm');
	assert_int_equal(p[ARENA_PAGE], 'c');
}

static void test_a_cell_that_is_not_journalled(void **state)
{
	char *p = committed_pages(4);

	(void)state;
	assert_true(arena_write_committed(fd, (uint64_t)p, 2 * ARENA_PAGE));
	p[0] = 'u';
	p[2 * ARENA_PAGE] = 'v';
	assert_int_equal(in_file(p), 'u');
	assert_int_equal(in_file(p + 2 * ARENA_PAGE), 'c');
	commit_page(p + 2 * ARENA_PAGE);
	commit();
	p[0] = 'w';
	assert_int_equal(in_file(p), 'u');
}

static void test_what_is_not_in_place(void **state)
{
	char *p = committed_pages(8), *q = arena_grow(ARENA_HEAP, 4 * ARENA_PAGE);
	uint64_t at = (uint64_t)p;

	(void)state;
	assert_false(arena_begin_in_place(ARENA_BASE, ARENA_PAGE));
	assert_false(arena_begin_in_place((uint64_t)q, ARENA_PAGE));
	assert_false(arena_begin_in_place(at + 7 * ARENA_PAGE, 2 * ARENA_PAGE));
	assert_false(arena_begin_in_place(at + 1, ARENA_PAGE));
	assert_false(arena_begin_in_place(at, ~ARENA_PAGE + 1));
	assert_true(arena_make_fresh(at, 2 * ARENA_PAGE));
	assert_false(arena_begin_in_place(at + ARENA_PAGE, 2 * ARENA_PAGE));
	p[3 * ARENA_PAGE] = 'w'; /* not committed yet */
	assert_false(arena_begin_in_place(at + 2 * ARENA_PAGE, 2 * ARENA_PAGE));
	assert_int_equal(arena_begin_in_place(at + 4 * ARENA_PAGE, 2 * ARENA_PAGE), scans);
	assert_false(arena_begin_in_place(at + 5 * ARENA_PAGE, scans ? 2 * ARENA_PAGE : 0));
	assert_int_equal(p[3 * ARENA_PAGE], 'w');
}

static void test_in_place_pages_that_are_needed(void **state)
{
	char *p = committed_pages(8);
	uint64_t at = (uint64_t)p, address, size;

	(void)state;
	fill(p, 8);
	assert_int_equal(arena_begin_in_place(at, 2 * ARENA_PAGE), scans);
	assert_int_equal(arena_begin_in_place(at + 4 * ARENA_PAGE, 4 * ARENA_PAGE), scans);
	arena_leave_in_place(at + 6 * ARENA_PAGE, ARENA_PAGE);
	assert_int_equal(arena_take_left(&address, &size), scans);
	assert_true(!scans || (address == at + 4 * ARENA_PAGE && size == 4 * ARENA_PAGE));
	assert_false(arena_take_left(&address, &size));
	assert_int_equal(p[5 * ARENA_PAGE], 'c');
	arena_leave_all_in_place();
	assert_int_equal(arena_take_left(&address, &size), scans);
	assert_false(arena_take_left(&address, &size));
	p[0] = 'p';
	assert_int_equal(in_live(p), 'c');
}

/* One that was made without fork() of ours has these addresses no more. */
static void test_in_place_pages_and_a_child(void **state)
{
	char *p = committed_pages(2);
	int status;
	pid_t pid;

	(void)state;
	fill(p, 2);
	assert_int_equal(arena_begin_in_place((uint64_t)p, 2 * ARENA_PAGE), scans);
	pid = fork();
	if (pid == 0) {
		signal(SIGSEGV, SIG_DFL);
		p[0] = 'x';
		_exit(scans);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WIFSIGNALED(status), scans);
	assert_int_equal(in_live(p), 'c');
}

static void test_beyond_the_top_faults_and_full_regions(void **state)
{
	(void)state;
	assert_null(arena_grow(ARENA_DATA, ARENA_DATA_SIZE + ARENA_PAGE));
	assert_non_null(arena_grow(ARENA_DATA, ARENA_DATA_SIZE));
	assert_null(arena_grow(ARENA_DATA, ARENA_PAGE));
}

static void test_refuses_other_memory(void **state)
{
	struct error err = ERROR_INIT;
	struct arena_header h = { .magic = ARENA_MAGIC, .version = ARENA_VERSION + 1 };

	(void)state;
	assert_int_equal(pwrite(fd, &h, sizeof(h), 0), sizeof(h));
	assert_int_equal(arena_attach(fd, live, &err), -1);
	h.version = ARENA_VERSION;
	h.top[ARENA_HEAP] = ARENA_HEAP_SIZE + ARENA_PAGE;
	assert_int_equal(pwrite(fd, &h, sizeof(h), 0), sizeof(h));
	assert_int_equal(arena_attach(fd, live, &err), -1);
	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_int_equal(arena_attach(fd, live, &err), -1);
	assert_int_equal(err.code, ERROR_INPUT);
}

int main(void)
{
	struct error err = ERROR_INIT;
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_new_session_leaves_the_file_alone),
		TEST(test_fresh_is_in_place),
		TEST(test_committed_is_private),
		TEST(test_rollback_forgets_fresh),
		TEST(test_code),
		TEST(test_made_fresh_again),
		TEST(test_what_was_read_is_unmapped),
		TEST(test_free_memory_stays_fresh),
		TEST(test_discard),
		TEST(test_in_place),
		TEST(test_a_range_that_is_left),
		TEST(test_a_cell_that_is_not_journalled),
		TEST(test_what_is_not_in_place),
		TEST(test_in_place_pages_that_are_needed),
		TEST(test_in_place_pages_and_a_child),
		TEST(test_child_writes_stay_in_the_child),
		TEST(test_beyond_the_top_faults_and_full_regions),
		TEST(test_refuses_other_memory),
	};

	if (arena_reserve(&err))
		return 1;
	/* Once with PAGEMAP_SCAN, once with the fallback. */
	if (cmocka_run_group_tests_name("without scan", tests, NULL, NULL))
		return 1;
	private_pages_init();
	scans = !private_pages_any(ARENA_BASE + ARENA_SIZE - ARENA_PAGE, ARENA_PAGE);
	return cmocka_run_group_tests_name("with scan", tests, NULL, NULL);
}
