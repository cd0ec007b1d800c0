/* SPDX-License-Identifier: Apache-2.0 */
/* The table of device memory over commits, rollbacks and undo, with real memfds as chunks. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "kernel/base/closer.h"
#include "kernel/state/device-memory.h"

#define SIZE (2u << 20)
#define AT(i) (0x300000000000ull + (i) * 4ull * SIZE)

static struct device_memory memory;
static int fds[16];

/* A chunk's descriptor; fds[] remembers it to see whether it was closed. */
static void chunk(uint64_t id, uint64_t address)
{
	struct error err = ERROR_INIT;
	int fd = memfd_create("chunk", MFD_CLOEXEC);

	assert_true(fd >= 0);
	fds[id] = fd;
	assert_int_equal(device_memory_chunk(&memory, id, SIZE, address, fd, &err), 0);
}

/* A thread closes them. */
static int is_open(uint64_t id)
{
	struct pollfd idle = { closer_idle_fd(), POLLIN, 0 };

	while (!closer_is_idle())
		assert_true(poll(&idle, 1, 60000) > 0);
	return fcntl(fds[id], F_GETFD) >= 0;
}

static void preimage(uint64_t address, uint64_t in)
{
	struct device_preimage p = { address, SIZE / 2, in, 0 };
	struct error err = ERROR_INIT;

	assert_int_equal(device_memory_preimage(&memory, &p, &err), 0);
}

static void drop(uint64_t id)
{
	struct error err = ERROR_INIT;

	assert_int_equal(device_memory_drop(&memory, id, &err), 0);
}

/* The last commits, oldest first. */
static struct device_undo undo[4];
static size_t n_undo;

static void commit(void)
{
	device_memory_commit(&memory, &undo[n_undo]);
	assert_true(undo[n_undo++].valid);
}

static void release_undo(void)
{
	while (n_undo)
		device_undo_release(&undo[--n_undo]);
}

static void go_back(size_t n)
{
	struct device_undo *newest[4] = { NULL };
	struct error err = ERROR_INIT;

	for (size_t i = 0; i < n; i++)
		newest[i] = &undo[n_undo - 1 - i];
	assert_int_equal(device_memory_undo_room(&memory, newest, n, &err), 0);
	device_memory_undo(&memory, newest, n, NULL);
	while (n--)
		device_undo_release(&undo[--n_undo]);
}

static const struct device_chunk *find(uint64_t id)
{
	for (size_t i = 0; i < memory.chunks.n; i++)
		if (memory.chunks.at[i].id == id)
			return &memory.chunks.at[i];
	return NULL;
}

/* A session with buffers in chunks 1 and 2. */
static int set_up(void **state)
{
	(void)state;
	chunk(1, AT(1));
	chunk(2, AT(2));
	commit();
	release_undo();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	release_undo();
	device_memory_release(&memory);
	return 0;
}

static void test_rollback_forgets_what_the_cell_made(void **state)
{
	(void)state;
	chunk(3, AT(3));
	chunk(4, 0);
	preimage(AT(1), 4);
	drop(2);
	device_memory_rollback(&memory);
	assert_null(find(3));
	assert_false(is_open(3));
	assert_non_null(find(2));
	/* The pre-image stays until the next worker has copied it back. */
	assert_int_equal(memory.preimages.n, 1);
	assert_true(is_open(4));
	device_memory_restored(&memory, NULL);
	assert_int_equal(memory.preimages.n, 0);
	assert_false(is_open(4));
	assert_int_equal(memory.chunks.n, 2);
	assert_true(is_open(1) && is_open(2));
}

static void test_rollback_twice(void **state)
{
	(void)state;
	chunk(4, 0);
	preimage(AT(1), 4);
	device_memory_rollback(&memory);
	/* The next worker dies before it has restored. */
	device_memory_rollback(&memory);
	assert_int_equal(memory.preimages.n, 1);
	assert_true(is_open(4));
}

static void test_commit_drops(void **state)
{
	(void)state;
	chunk(3, AT(3));
	drop(2);
	assert_non_null(find(2));
	commit();
	assert_null(find(2));
	assert_true(is_open(2)); /* for undo */
	assert_int_equal(device_undo_bytes(&undo[0]), SIZE);
	release_undo();
	assert_false(is_open(2));
	assert_non_null(find(3));
}

/* What waits is no memory of the session: a pre-image makes it one of the cell, and the end of the
 * worker closes it. */
static void test_scratch_that_waits(void **state)
{
	(void)state;
	chunk(4, 0);
	preimage(AT(1), 4);
	commit();
	device_memory_recycle(&memory, &undo[0]);
	release_undo();
	assert_true(is_open(4) && device_memory_waits(&memory, 4) && !find(4));
	preimage(AT(1), 4);
	assert_true(find(4) && !device_memory_waits(&memory, 4));
	device_memory_rollback(&memory);
	assert_true(find(4) && is_open(4)); /* the next worker copies from there */
	device_memory_restored(&memory, NULL);
	assert_false(is_open(4));
}

static void test_scratch_that_is_not_wanted(void **state)
{
	(void)state;
	chunk(3, 0);
	chunk(4, 0);
	preimage(AT(1), 3);
	preimage(AT(2), 4);
	commit();
	device_memory_recycle(&memory, &undo[0]);
	drop(3);
	assert_false(is_open(3));
	assert_true(device_memory_waits(&memory, 4));
	device_memory_rollback(&memory);
	assert_false(is_open(4) || device_memory_waits(&memory, 4));
	assert_true(is_open(1) && is_open(2));
}

static void test_moved_chunk_goes_back(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(device_memory_chunk(&memory, 2, SIZE, AT(7), -1, &err), 0);
	assert_int_equal(find(2)->address, AT(7));
	device_memory_rollback(&memory);
	assert_int_equal(find(2)->address, AT(2));
}

static void test_undo(void **state)
{
	(void)state;
	chunk(3, AT(3));
	chunk(4, 0);
	preimage(AT(1), 4);
	drop(4);
	drop(2);
	commit();
	assert_int_equal(memory.preimages.n, 0);
	go_back(1);
	assert_int_equal(memory.preimages.n, 1);
	assert_int_equal(memory.preimages.at[0].chunk, 4);
	assert_non_null(find(4));
	assert_int_equal(find(4)->address, 0);
	assert_int_equal(find(2)->address, AT(2));
	assert_null(find(3));
	device_memory_restored(&memory, NULL);
	assert_int_equal(memory.chunks.n, 2);
}

/* A cell that has made chunk 3, dropped chunk 2 and overwritten chunk 1 is set aside. */
static void set_aside(struct device_undo *ret)
{
	chunk(3, AT(3));
	chunk(4, 0);
	preimage(AT(1), 4);
	drop(2);
	device_memory_set_aside(&memory, ret);
	assert_true(ret->valid);
	assert_int_equal(memory.keeping, KEEPING_ASKED);
	/* The worker lives until then, and its death rolls back once more. */
	device_memory_rollback(&memory);
	assert_null(find(3));
	assert_true(is_open(3));
	assert_int_equal(find(2)->address, AT(2));
}

static void keep_in(uint64_t id)
{
	memory.keeping = KEEPING_BEGUN;
	chunk(id, 0);
	preimage(AT(1), id);
	assert_int_equal(memory.kept.n, 1);
	assert_int_equal(memory.preimages.n, 1);
}

static void go_over(struct device_undo *by, struct device_undo *ret_inverse)
{
	struct error err = ERROR_INIT;

	assert_int_equal(device_memory_undo_room(&memory, &by, 1, &err), 0);
	device_memory_undo(&memory, &by, 1, ret_inverse);
	device_undo_release(by);
}

static void test_set_aside_and_back(void **state)
{
	struct device_undo aside, inverse;

	(void)state;
	set_aside(&aside);
	keep_in(5);
	device_memory_restored(&memory, &aside);
	assert_int_equal(memory.keeping, KEEPING_NO);
	assert_true(is_open(5) && !is_open(4));
	assert_int_equal(memory.chunks.n, 2);

	go_over(&aside, &inverse);
	assert_int_equal(find(3)->address, AT(3));
	assert_null(find(2));
	assert_true(is_open(2));
	assert_int_equal(memory.preimages.at[0].chunk, 5);
	keep_in(6);
	device_memory_restored(&memory, &inverse);
	assert_true(is_open(6) && !is_open(5));

	go_over(&inverse, NULL);
	assert_int_equal(find(2)->address, AT(2));
	assert_null(find(3));
	assert_false(is_open(3));
	assert_int_equal(memory.preimages.at[0].chunk, 6);
	device_memory_restored(&memory, NULL);
	assert_int_equal(memory.chunks.n, 2);
}

static void test_death_of_the_worker_that_keeps(void **state)
{
	struct device_undo aside;

	(void)state;
	set_aside(&aside);
	keep_in(5);
	device_memory_rollback(&memory);
	assert_false(is_open(5));
	assert_int_equal(memory.kept.n, 0);
	assert_int_equal(memory.keeping, KEEPING_BEGUN);
	assert_int_equal(memory.preimages.at[0].chunk, 4);
	assert_true(is_open(4));
	device_undo_release(&aside);
}

/* Over two commits: the older pre-image is copied last; one of a chunk that goes away is not copied
 * at all. */
static void test_undo_of_two(void **state)
{
	(void)state;
	chunk(3, AT(3));
	chunk(4, 0);
	preimage(AT(1), 4);
	drop(2);
	commit();
	chunk(5, AT(2)); /* where chunk 2 was */
	commit();
	chunk(6, 0);
	preimage(AT(3), 6);
	preimage(AT(2), 6);
	preimage(AT(1), 6);
	commit();
	go_back(3);
	assert_int_equal(memory.preimages.n, 2);
	assert_true(memory.preimages.at[0].address == AT(1) && memory.preimages.at[0].chunk == 6);
	assert_true(memory.preimages.at[1].address == AT(1) && memory.preimages.at[1].chunk == 4);
	assert_null(find(3));
	assert_null(find(5));
	assert_int_equal(find(2)->address, AT(2));
	device_memory_restored(&memory, NULL);
	assert_int_equal(memory.chunks.n, 2);
}

/* A worker that was stopped could not say that nobody needs its pre-images any more. */
static void test_preimages_go_with_the_commit(void **state)
{
	(void)state;
	chunk(4, 0);
	preimage(AT(1), 4);
	commit();
	assert_null(find(4));
	assert_true(is_open(4));
	go_back(1);
	assert_non_null(find(4));
	assert_true(is_open(4));
}

/* One that is known by its digest alone. */
static void checksum(uint64_t address, uint64_t digest)
{
	struct buffer b = BUFFER_INIT;
	struct error err = ERROR_INIT;
	struct record r;

	record_put_u32(&b, 1);
	record_put_u64(&b, address);
	record_put_u64(&b, SIZE);
	record_put_u64(&b, 1);
	record_put_u64(&b, digest);
	record_put_u64(&b, 5000);
	record_put_u32(&b, 1);
	r = record_open(b.data, b.len);
	assert_int_equal(device_memory_checksums(&memory, &r, &err), 0);
	assert_int_equal(record_check(&r, "checksums", &err), 0);
	buffer_release(&b);
}

static void assert_checksums(size_t n, uint64_t first, uint64_t second)
{
	assert_int_equal(memory.checksums.n, n);
	if (n)
		assert_int_equal(memory.checksums.at[0].digest, first);
	if (n > 1)
		assert_int_equal(memory.checksums.at[1].digest, second);
}

static void test_checksums_are_for_the_worker_behind_a_failed_cell(void **state)
{
	(void)state;
	checksum(AT(1), 7);
	device_memory_rollback(&memory);
	assert_checksums(1, 7, 0);
	device_memory_restored(&memory, NULL);
	assert_checksums(0, 0, 0);
	/* The session has them when a cell is committed. */
	checksum(AT(1), 7);
	commit();
	assert_checksums(0, 0, 0);
}

static void test_undo_takes_the_oldest_checksums(void **state)
{
	(void)state;
	checksum(AT(2), 1);
	commit();
	checksum(AT(1), 2); /* before it is written: it holds for the state before both */
	chunk(4, 0);
	preimage(AT(1), 4);
	commit();
	checksum(AT(1), 3); /* of what the cell before has made of it */
	commit();
	go_back(2);
	assert_checksums(1, 2, 0);
	go_back(1);
	assert_checksums(1, 1, 0);
}

static void test_nonsense_is_refused(void **state)
{
	struct device_preimage outside = { AT(1), SIZE, 1, 1 }, unknown = { AT(1), 1, 9, 0 };
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(device_memory_preimage(&memory, &outside, &err), -1);
	assert_int_equal(device_memory_preimage(&memory, &unknown, &err), -1);
	assert_int_equal(device_memory_drop(&memory, 9, &err), -1);
	assert_int_equal(device_memory_chunk(&memory, 9, SIZE, AT(9), -1, &err), -1);
	assert_int_equal(err.code, ERROR_PROTOCOL);
}

static void test_encoding(void **state)
{
	struct buffer b = BUFFER_INIT;
	struct record r;
	struct error err = ERROR_INIT;

	(void)state;
	chunk(4, 0);
	preimage(AT(1), 4);
	device_memory_encode_preimages(&memory, &b);
	device_chunk_encode(find(2), &b);
	checksum(AT(3), 9);
	device_memory_encode_checksums(&memory, &b);
	r = record_open(b.data, b.len);
	assert_int_equal(record_u32(&r), 1);
	assert_int_equal(record_u64(&r), AT(1));
	assert_int_equal(record_u64(&r), SIZE / 2);
	assert_int_equal(record_u64(&r), 4);
	assert_int_equal(record_u64(&r), 0);
	assert_int_equal(record_u64(&r), 2);
	assert_int_equal(record_u64(&r), SIZE);
	assert_int_equal(record_u64(&r), AT(2));
	assert_int_equal(record_u32(&r), 1);
	assert_int_equal(record_u64(&r), AT(3));
	assert_int_equal(record_u64(&r), SIZE);
	assert_int_equal(record_u64(&r), 1);
	assert_int_equal(record_u64(&r), 9);
	assert_int_equal(record_u64(&r), 5000);
	assert_int_equal(record_u32(&r), 1);
	assert_int_equal(record_check(&r, "chunks", &err), 0);
	buffer_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_rollback_forgets_what_the_cell_made, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_rollback_twice, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_commit_drops, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_scratch_that_waits, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_scratch_that_is_not_wanted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_moved_chunk_goes_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_undo, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_set_aside_and_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_death_of_the_worker_that_keeps, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_undo_of_two, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_preimages_go_with_the_commit, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			test_checksums_are_for_the_worker_behind_a_failed_cell, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_undo_takes_the_oldest_checksums, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_nonsense_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_encoding, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
