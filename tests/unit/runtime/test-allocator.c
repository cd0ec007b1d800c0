/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The allocator against a reference that remembers what each block must hold; each growth of the
 * arena failing in turn; threads; and what it says about addresses.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/arena/allocator.h"
#include "runtime/arena/arena.h"
#include "runtime/arena/heap-scan.h"
#include "runtime/arena/meta.h"
#include "tests/unit/runtime/arena-files.h"

#define BLOCKS 600
#define STEPS 60000

static int fd, live;
static char told[512];
static unsigned out_of_memory;

/* The linker sends calls of arena_grow() here: the n-th fails. */
static int grows_until_failure = -1;
void *__real_arena_grow(enum arena_region r, size_t size);
void *__wrap_arena_grow(enum arena_region r, size_t size);
void *__wrap_arena_grow(enum arena_region r, size_t size)
{
	if (grows_until_failure == 0)
		return NULL;
	if (grows_until_failure > 0)
		grows_until_failure--;
	return __real_arena_grow(r, size);
}

static const void *told_about;

static void on_misuse(const char *text, const void *p)
{
	told_about = p;
	snprintf(told, sizeof(told), "%s", text);
}

static void on_out_of_memory(uint64_t asked, uint64_t used, uint64_t limit)
{
	(void)asked;
	(void)used;
	(void)limit;
	out_of_memory++;
}

static const struct allocator_hooks hooks = { on_misuse, on_out_of_memory };

static int set_up(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	grows_until_failure = -1;
	told[0] = '\0';
	out_of_memory = 0;
	allocator_set_limit(0);
	fd = arena_files_new();
	live = arena_files_new();
	assert_int_equal(arena_attach(fd, live, &err), 0);
	assert_int_equal(allocator_attach(&hooks, &err), 0);
	allocator_set_cell(1);
	return 0;
}

static void check(void)
{
	struct error err = ERROR_INIT;

	if (allocator_check(&err))
		fail_msg("%s", err.text);
}

static int tear_down(void **state)
{
	(void)state;
	check();
	close(fd);
	close(live);
	return 0;
}

struct block {
	unsigned char *p;
	size_t size;
	unsigned char mark;
};

static void fill(struct block *b, unsigned char mark)
{
	b->mark = mark;
	memset(b->p, mark, b->size);
}

static void verify(const struct block *b, size_t size)
{
	for (size_t i = 0; i < size; i += i < 64 || size - i < 64 ? 1 : 61)
		assert_int_equal(b->p[i], b->mark);
}

static size_t random_size(void)
{
	switch (rand() % 8) {
	case 0:
		return (size_t)rand() % 200000;
	case 1:
		return (size_t)rand() % 20000;
	default:
		return (size_t)rand() % 500;
	}
}

static void random_step(struct block *b)
{
	size_t size = random_size(), align = (size_t)16 << rand() % 9;
	unsigned char *p;

	if (!b->p) {
		b->p = rand() % 3 ? allocator_alloc(size, 16) : allocator_alloc(size, align);
		if (b->p && rand() % 4 == 0) {
			allocator_free(b->p);
			b->p = allocator_zalloc(size);
			for (size_t i = 0; i < size; i++)
				assert_int_equal(b->p[i], 0);
		}
		b->size = size;
	} else if (rand() % 3 == 0) {
		verify(b, b->size);
		p = allocator_realloc(b->p, size + 1);
		assert_non_null(p);
		b->p = p;
		verify(b, b->size < size ? b->size : size);
		b->size = size + 1;
	} else {
		verify(b, b->size);
		allocator_free(b->p);
		b->p = NULL;
		return;
	}
	assert_non_null(b->p);
	assert_true(allocator_usable_size(b->p) >= b->size);
	fill(b, (unsigned char)rand());
}

static void test_random(void **state)
{
	static struct block blocks[BLOCKS];

	(void)state;
	srand(7);
	for (int i = 0; i < STEPS; i++) {
		random_step(&blocks[rand() % BLOCKS]);
		if (i % 2000 == 0)
			check();
	}
	for (int i = 0; i < BLOCKS; i++) {
		if (blocks[i].p)
			allocator_free(blocks[i].p);
		blocks[i].p = NULL;
	}
	assert_int_equal(arena_header()->heap_live, 0);
	assert_int_equal(arena_header()->heap_blocks, 0);
	assert_string_equal(told, "");
}

static void test_alignment(void **state)
{
	(void)state;
	for (size_t align = 16; align <= 1 << 22; align *= 2) {
		for (size_t size = 1; size < 100000; size = size * 3 + 1)
			assert_int_equal((uint64_t)allocator_alloc(size, align) % align, 0);
	}
}

static void alternate(size_t size, unsigned n)
{
	void **p = calloc(n, sizeof(*p));
	uint64_t limit = (uint64_t)n * size + ARENA_PAGE; /* the sum is rounded up to pages */

	allocator_set_limit(limit);
	for (unsigned i = 0; i < n; i++) {
		p[i] = allocator_alloc(size, 16);
		assert_non_null(p[i]);
	}
	for (unsigned i = 0; i < n; i += 2)
		allocator_free(p[i]);
	assert_non_null(allocator_alloc(n / 2 * size, 16));
	free(p);
}

static void test_every_other_block(void **state)
{
	(void)state;
	alternate(1 << 20, 64);
}

static void test_every_other_small_block(void **state)
{
	(void)state;
	alternate(64, 100000);
}

static void test_merges(void **state)
{
	void *p[64];
	uint64_t top;

	(void)state;
	for (int i = 0; i < 64; i++)
		p[i] = allocator_alloc(1 << 20, 16);
	top = arena_header()->top[ARENA_HEAP];
	for (int i = 0; i < 64; i++)
		allocator_free(p[i * 37 % 64]);
	check();
	assert_ptr_equal(allocator_alloc(64 << 20, 16), p[0]);
	assert_int_equal(arena_header()->top[ARENA_HEAP], top);
}

static void test_realloc_in_place(void **state)
{
	char *p = allocator_alloc(1 << 20, 16), *q;

	(void)state;
	q = allocator_realloc(p, 64 << 20);
	assert_ptr_equal(p, q);
	q = allocator_realloc(p, 1 << 20);
	assert_ptr_equal(p, q);
	check();
}

static void test_limit(void **state)
{
	void *p;

	(void)state;
	allocator_set_limit(10 << 20);
	p = allocator_alloc(9 << 20, 16);
	assert_non_null(p);
	assert_null(allocator_alloc(2 << 20, 16));
	assert_int_equal(out_of_memory, 1);
	assert_null(allocator_realloc(p, 11 << 20));
	allocator_free(p);
	assert_non_null(allocator_alloc(10 << 20, 16));
}

/* Every growth of a region fails once: the request fails, the heap stays whole. */
static void test_growth_fails(void **state)
{
	unsigned failures = 0;

	(void)state;
	for (int n = 0; n < 40; n++) {
		void *p[300] = { 0 };

		grows_until_failure = n;
		for (int i = 0; i < 300; i++)
			p[i] = allocator_alloc((size_t)(i * 997 + n * 50000) % 300000, 16);
		grows_until_failure = -1;
		check();
		for (int i = 0; i < 300; i++) {
			failures += !p[i];
			if (p[i])
				allocator_free(p[i]);
		}
		check();
	}
	assert_true(failures > 0);
	assert_int_equal(failures, out_of_memory);
}

static void test_misuse(void **state)
{
	char *small = allocator_alloc(100, 16), *large = allocator_alloc(1 << 20, 16);

	(void)state;
	allocator_free(small + 8);
	assert_non_null(strstr(told, "inside of a block"));
	assert_ptr_equal(told_about, small + 8);
	allocator_set_cell(4);
	allocator_free(small);
	allocator_free(large);
	told[0] = '\0';
	allocator_free(small);
	assert_non_null(strstr(told, "double free"));
	assert_ptr_equal(told_about, small);
	told[0] = '\0';
	allocator_free(large);
	assert_non_null(strstr(told, "double free"));
	allocator_free((void *)(ARENA_BASE + ARENA_HEAP_OFFSET + ARENA_HEAP_SIZE / 2));
	assert_non_null(strstr(told, "never gave"));
}

static void test_describe(void **state)
{
	char *a = allocator_alloc(100, 16), *b = allocator_alloc(100000, 16);
	struct address_description d = { 0 };

	(void)state;
	assert_true(allocator_describe((uint64_t)(a + 50), &d));
	assert_int_equal(d.owner, OWNER_HEAP);
	assert_int_equal(d.size, 100);
	assert_true(allocator_describe((uint64_t)(a + 104), &d));
	assert_int_equal(d.owner, OWNER_HEAP_NEAR);
	assert_int_equal(d.base, (uint64_t)a);
	assert_true(allocator_describe((uint64_t)(b + 100004), &d));
	assert_int_equal(d.owner, OWNER_HEAP_NEAR);
	assert_int_equal(d.size, 100000);
	allocator_set_cell(2);
	allocator_free(a);
	assert_true(allocator_describe((uint64_t)(a + 50), &d));
	assert_int_equal(d.owner, OWNER_HEAP_FREED);
	assert_int_equal(d.freed_cell, 2);
	assert_false(allocator_describe(4096, &d));
}

static void test_holders(void **state)
{
	struct allocator_holder h[2];

	(void)state;
	allocator_alloc(1000, 16);
	allocator_set_cell(5);
	allocator_alloc(1 << 20, 16);
	allocator_alloc(2 << 20, 16);
	assert_int_equal(allocator_holders(h, 2), 2);
	assert_int_equal(h[0].cell, 5);
	assert_int_equal(h[0].bytes, 3 << 20);
	assert_int_equal(h[0].largest_size, 2 << 20);
	assert_int_equal(h[1].cell, 1);
	assert_int_equal(h[1].blocks, 1);
}

static void test_overrun_spoils_no_metadata(void **state)
{
	char *p[100];

	(void)state;
	for (int i = 0; i < 100; i++)
		p[i] = allocator_alloc(48, 16);
	for (int i = 1; i < 99; i++)
		memset(p[i] - 16, 0xff, 80);
	for (int i = 0; i < 100; i++)
		allocator_free(p[i]);
	check();
	assert_string_equal(told, "");
}

static void *thread(void *data)
{
	struct block blocks[50] = { 0 };
	unsigned seed = (unsigned)(uintptr_t)data;

	for (int i = 0; i < 20000; i++) {
		struct block *b = &blocks[rand_r(&seed) % 50];

		if (b->p) {
			for (size_t k = 0; k < b->size; k++) {
				if (b->p[k] != b->mark)
					return "overwritten";
			}
			allocator_free(b->p);
			b->p = NULL;
			continue;
		}
		b->size = (size_t)rand_r(&seed) % 3000;
		b->p = allocator_alloc(b->size, 16);
		if (!b->p)
			return "no memory";
		fill(b, (unsigned char)i);
	}
	return NULL;
}

struct damaged {
	unsigned n;
	struct heap_damage last;
};

static void on_damaged(void *data, const struct heap_damage *d)
{
	struct damaged *to = data;

	to->n++;
	to->last = *d;
}

/* Returns how many blocks are told as damaged; *ret is the last of them. */
static unsigned damaged(struct heap_damage *ret)
{
	struct damaged found = { 0 };

	allocator_each_damaged(on_damaged, &found);
	*ret = found.last;
	return found.n;
}

static void test_damage_is_told_once(void **state)
{
	char *small = allocator_alloc(30, 16), *next = allocator_alloc(30, 16),
	     *full = allocator_alloc(32, 16), *large = allocator_alloc(20000, 16);
	struct heap_damage d;

	(void)state;
	memset(small, 0, 30);
	memset(full, 0, 32);
	memset(large, 0, 20000);
	assert_int_equal(damaged(&d), 0);
	small[31] = 0;
	assert_int_equal(damaged(&d), 1);
	assert_ptr_equal(d.base, small);
	assert_int_equal(d.size, 30);
	assert_int_equal(d.offset, 31);
	assert_int_equal(d.cell, 1);
	assert_int_equal(d.freed, 0);
	assert_int_equal(damaged(&d), 0);
	large[20000] = 0;
	assert_int_equal(damaged(&d), 1);
	assert_ptr_equal(d.base, large);
	assert_int_equal(d.offset, 20000);
	allocator_set_cell(2);
	allocator_free(next);
	next[5] = 0;
	assert_int_equal(damaged(&d), 1);
	assert_ptr_equal(d.base, next);
	assert_int_equal(d.offset, 5);
	assert_int_equal(d.freed, 2);
	/* Also of a slot that is taken again, and of a block that is freed, until the cell ends. */
	next[0] = 0;
	assert_ptr_equal(allocator_alloc(30, 16), next);
	small[30] = 0;
	allocator_free(small);
	assert_int_equal(damaged(&d), 2);
	allocator_set_cell(3);
	assert_int_equal(damaged(&d), 0);
}

static void test_sizes_that_change_are_no_damage(void **state)
{
	size_t size = 1;
	char *p = allocator_alloc(1, 16);
	struct heap_damage d;

	(void)state;
	for (unsigned i = 0; i < 5000; i++) {
		memset(p, (int)i, allocator_usable_size(p));
		size = random_size() + 1;
		p = allocator_realloc(p, size);
		assert_int_equal(allocator_usable_size(p), size);
		assert_int_equal(damaged(&d), 0);
	}
	allocator_free(p);
	assert_int_equal(damaged(&d), 0);
}

static void test_threads(void **state)
{
	pthread_t t[4];
	void *result;

	(void)state;
	for (uintptr_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, thread, (void *)(i + 1)), 0);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(t[i], &result), 0);
		if (result)
			fail_msg("%s", (char *)result);
	}
}

/* Pages that are present and no file's: bits 63 and 61 of /proc/self/pagemap. */
static void copy_private(uint64_t start, uint64_t end)
{
	int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t n = (end - start) / ARENA_PAGE, *entries = malloc(n * 8);

	assert_true(pagemap >= 0 && entries);
	assert_int_equal(pread(pagemap, entries, n * 8, (off_t)(start / ARENA_PAGE * 8)), n * 8);
	for (uint64_t i = 0, at = start; i < n; i++, at += ARENA_PAGE) {
		if (entries[i] >> 63 && !(entries[i] >> 61 & 1))
			assert_int_equal(
				pwrite(fd, (void *)at, ARENA_PAGE, (off_t)(at - ARENA_BASE)),
				ARENA_PAGE);
	}
	free(entries);
	close(pagemap);
}

static bool give_back(void *data, uint64_t address, uint64_t size)
{
	(void)data;
	arena_files_punch(fd, address, size);
	return true;
}

/* As the kernel does it: what is private or fresh goes to the file, and what nobody needs out of
 * it. */
static void commit_once(uint32_t oldest)
{
	allocator_give_back(give_back, NULL);
	copy_private(arena_start(ARENA_META),
		     arena_start(ARENA_META) + arena_header()->top[ARENA_META]);
	copy_private(arena_start(ARENA_HEAP),
		     arena_start(ARENA_HEAP) + arena_header()->top[ARENA_HEAP]);
	arena_files_move(live, fd);
	arena_committed();
	allocator_committed(oldest);
}

/* The worker learns with one commit which cells can be undone, and gives back with the next. */
static void commit(uint32_t oldest)
{
	commit_once(oldest);
	commit_once(oldest);
}

static uint64_t memfd_bytes(void)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return (uint64_t)st.st_blocks * 512;
}

/* A freed large block's pages are written in place again once no undo needs them. */
static void test_freed_pages_become_fresh(void **state)
{
	char *p = allocator_alloc(4 << 20, 16), *q, c;

	(void)state;
	memset(p, 'a', 4 << 20);
	commit(1);
	assert_int_equal(arena_header()->heap_freed, 0);
	allocator_set_cell(2);
	allocator_free(p);
	assert_int_equal(arena_header()->heap_freed, 4 << 20);
	commit(2);
	assert_int_equal(pread(fd, &c, 1, (off_t)((uint64_t)p - ARENA_BASE)), 1);
	assert_int_equal(c, 'a'); /* the undo of cell 2 needs it */
	allocator_set_cell(3);
	commit(3);
	assert_int_equal(pread(fd, &c, 1, (off_t)((uint64_t)p - ARENA_BASE)), 1);
	assert_int_equal(c, 0);
	q = allocator_alloc(4 << 20, 16);
	assert_ptr_equal(p, q);
	q[0] = 'b';
	assert_int_equal(pread(live, &c, 1, (off_t)((uint64_t)p - ARENA_BASE)), 1);
	assert_int_equal(c, 'b');
}

/* What was freed in this cell must come back if the cell fails: a new large block takes other
 * pages, uncopied. */
static void test_large_blocks_avoid_copies(void **state)
{
	char *p = allocator_alloc(4 << 20, 16), *q;

	(void)state;
	memset(p, 'a', 4 << 20);
	commit(1);
	allocator_set_cell(2);
	allocator_free(p);
	q = allocator_alloc(4 << 20, 16);
	assert_ptr_not_equal(p, q);
	assert_true(arena_in_place((uint64_t)q, 4 << 20));
}

static void test_meta(void **state)
{
	char *a = meta_alloc(100), *b;

	(void)state;
	memset(a, 1, 100);
	meta_free(a);
	b = meta_alloc(90);
	assert_ptr_equal(a, b);
	for (int i = 0; i < 90; i++)
		assert_int_equal(b[i], 0);
	assert_null(meta_alloc((size_t)1 << 40));
}

/* Blocks of many sizes, every other one freed: what they had goes back to Linux, and the sum can be
 * had again. */
static void test_every_other_block_gives_its_memory_back(void **state)
{
	static char *blocks[2000];
	static size_t sizes[2000];
	uint64_t freed = 0, before;
	uint32_t cell = 1;
	char *all;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		sizes[i] = (size_t)16384 + (size_t)(i * 7919 % 100) * 1000;
		blocks[i] = allocator_alloc(sizes[i], 16);
		memset(blocks[i], i, sizes[i]);
	}
	commit(cell);
	before = memfd_bytes();
	allocator_set_cell(++cell);
	for (int i = 0; i < 2000; i += 2) {
		allocator_free(blocks[i]);
		freed += (sizes[i] + ARENA_PAGE - 1) / ARENA_PAGE * ARENA_PAGE;
	}
	commit(cell);
	assert_true(memfd_bytes() > before - freed / 10); /* the undo of this cell needs it */
	allocator_set_cell(++cell);
	commit(cell);
	assert_true(memfd_bytes() < before - freed / 10 * 9);
	for (int i = 1; i < 2000; i += 2)
		for (size_t k = 0; k < sizes[i]; k += 997)
			assert_int_equal((unsigned char)blocks[i][k], i & 255);
	allocator_set_limit(arena_header()->heap_live + freed);
	all = allocator_alloc(freed, 16);
	assert_non_null(all);
	memset(all, 1, freed);
	check();
	allocator_free(all);
	for (int i = 0; i < 2000; i += 2) {
		blocks[i] = allocator_alloc(sizes[i], 16);
		assert_non_null(blocks[i]);
	}
	check();
}

/* Two cells free something, and only the first of them can be undone no more. */
static void test_what_an_undo_needs_stays(void **state)
{
	char *first = allocator_alloc(100000, 16), *wall = allocator_alloc(100000, 16),
	     *second = allocator_alloc(100000, 16);
	uint32_t cell = 1;
	char c[2];

	(void)state;
	memset(first, 'a', 100000);
	memset(second, 'b', 100000);
	commit(cell);
	allocator_set_cell(++cell);
	allocator_free(first);
	commit(1);
	allocator_set_cell(++cell);
	allocator_free(second);
	commit(3);
	assert_int_equal(pread(fd, &c[0], 1, (off_t)((uint64_t)first - ARENA_BASE)), 1);
	assert_int_equal(pread(fd, &c[1], 1, (off_t)((uint64_t)second - ARENA_BASE)), 1);
	assert_int_equal(c[0], 0);
	assert_int_equal(c[1], 'b');
	allocator_set_cell(++cell);
	commit(4);
	assert_int_equal(pread(fd, &c[1], 1, (off_t)((uint64_t)second - ARENA_BASE)), 1);
	assert_int_equal(c[1], 0);
	allocator_free(wall);
	check();
}

/* Runs that are used and freed again and again: fresh ranges are never lost and never one of a live
 * block. */
static void test_fresh_ranges_over_many_commits(void **state)
{
	static unsigned char *blocks[40];
	unsigned seed = 7;

	(void)state;
	for (uint32_t cell = 1; cell < 300; cell++) {
		allocator_set_cell(cell);
		for (int i = 0; i < 3; i++) {
			int n = (int)((seed = seed * 1103515245 + 12345) >> 16) % 40;

			if (blocks[n])
				for (size_t k = 0; k < 3 << 20; k += 4099)
					assert_int_equal(blocks[n][k], n + 1);
			if (blocks[n])
				allocator_free(blocks[n]);
			blocks[n] = seed >> 30 ? allocator_alloc(3 << 20, 16) : NULL;
			if (blocks[n])
				memset(blocks[n], n + 1, 3 << 20);
		}
		commit(cell);
		/* What lives is committed: the next cell must not write it in place. */
		for (int n = 0; n < 40; n++)
			assert_false(blocks[n] && arena_in_place((uint64_t)blocks[n], 3 << 20));
	}
	check();
	for (int n = 0; n < 40; n++)
		for (size_t k = 0; blocks[n] && k < 3 << 20; k += 511)
			assert_int_equal(blocks[n][k], n + 1);
	memset(blocks, 0, sizeof(blocks));
}

/* ---- who holds what ---- */

static void test_rows_of_cells(void **state)
{
	const struct arena_cells *t;
	void *large, *small;

	(void)state;
	allocator_set_cell(3);
	large = allocator_alloc(100000, 16);
	small = allocator_alloc(100, 16);
	allocator_device_made(5000);
	allocator_set_cell(500);
	allocator_free(small);
	large = allocator_realloc(large, 50000);
	allocator_device_freed(3, 2000);
	t = (const struct arena_cells *)arena_header()->root[ARENA_ROOT_CELLS];
	assert_true(t->n > 500);
	assert_int_equal(t->at[3].blocks_made, 2);
	assert_int_equal(t->at[3].blocks_freed, 1);
	assert_int_equal(t->at[3].heap_made - t->at[3].heap_freed, 13 * ARENA_PAGE);
	assert_int_equal(t->at[3].device_made - t->at[3].device_freed, 3000);
	assert_int_equal(t->at[500].heap_made, 0);
	check();
	allocator_free(large);
	check();
}

struct found {
	uint64_t lost;
	uint64_t by_root[8];
};

static void add_found(void *data, const struct heap_scan_block *b)
{
	struct found *f = data;

	f->by_root[b->root]++;
	if (b->root == HEAP_SCAN_LOST)
		f->lost += b->size;
}

static uint64_t device_word;

static void on_device(void *data, uint64_t address, uint32_t root)
{
	(void)data;
	assert_int_equal(root, 2);
	device_word = address;
}

static void test_scan_follows_pointers(void **state)
{
	uint64_t **chain = allocator_zalloc(64), *roots[3];
	char *large = allocator_zalloc(5000000), *lost = allocator_zalloc(30000000),
	     *behind = allocator_alloc(48, 16);
	struct found f = { 0 };
	struct heap_scan *s;

	(void)state;
	chain[0] = (uint64_t *)(large + 4000000); /* into the middle */
	*(void **)(large + 4999992) = allocator_zalloc(1000);
	memcpy(lost, "not a pointer", 14);
	roots[0] = (uint64_t *)chain;
	roots[1] = (uint64_t *)(DEVICE_BASE + 12345);
	roots[2] = (uint64_t *)(behind + 48); /* just behind a block: not in it */
	s = heap_scan_begin(10000000000u, on_device, NULL);
	assert_non_null(s);
	heap_scan_words(s, (const uint64_t *)roots, 3, 2);
	heap_scan_words(s, (const uint64_t *)roots, 1, 3); /* the first root keeps them */
	assert_true(heap_scan_complete(s));
	heap_scan_each(s, add_found, &f);
	heap_scan_end(s);
	assert_int_equal(f.by_root[2], 3);
	assert_int_equal(f.by_root[3], 0);
	assert_int_equal(f.lost, 30000000 + 48);
	assert_int_equal(device_word, DEVICE_BASE + 12345);
	allocator_free(lost); /* the lock is free again */
	check();
}

static void test_scan_out_of_time_says_so(void **state)
{
	char *large = allocator_zalloc(64 << 20);
	struct heap_scan *s = heap_scan_begin(0, NULL, NULL);

	(void)state;
	memset(large, 1, 64 << 20);
	heap_scan_words(s, (const uint64_t *)&large, 1, 1);
	assert_false(heap_scan_complete(s));
	heap_scan_end(s);
}

int main(void)
{
	struct error err = ERROR_INIT;
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_random),
		TEST(test_alignment),
		TEST(test_every_other_block),
		TEST(test_every_other_small_block),
		TEST(test_merges),
		TEST(test_realloc_in_place),
		TEST(test_limit),
		TEST(test_growth_fails),
		TEST(test_misuse),
		TEST(test_describe),
		TEST(test_holders),
		TEST(test_overrun_spoils_no_metadata),
		TEST(test_damage_is_told_once),
		TEST(test_sizes_that_change_are_no_damage),
		TEST(test_threads),
		TEST(test_freed_pages_become_fresh),
		TEST(test_large_blocks_avoid_copies),
		TEST(test_meta),
		TEST(test_every_other_block_gives_its_memory_back),
		TEST(test_what_an_undo_needs_stays),
		TEST(test_fresh_ranges_over_many_commits),
		TEST(test_rows_of_cells),
		TEST(test_scan_follows_pointers),
		TEST(test_scan_out_of_time_says_so),
	};

	if (arena_reserve(&err))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
