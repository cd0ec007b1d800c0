/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mapping of the arena. `committed` is the top of each region at the last commit: below it pages
 * are private ones of the arena memfd, above it shared ones of the live memfd (fresh). Heap pages
 * below it that were made fresh again are kept in `fresh`, a short list of ranges, over the commits
 * in which they are not used; when the list is full a range simply stays private, which only costs
 * the copies that it would have saved.
 */
#define _GNU_SOURCE
#include "runtime/arena/arena.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/whole-io.h"
#include "common/memory/file-data.h"
#include "runtime/arena/private-pages.h"

#define FRESH_MAX 64
#define IN_PLACE_MAX 32
#define UNSAVED_MAX 64

/*
 * Pages that were only read stay mapped, with their neighbours, and the kernel's search for
 * overwritten pages and the worker's own look at each of them. So after this many commits all are
 * unmapped; what is in use is mapped again by sixteens.
 */
#define COMMITS_PER_UNMAP 32

struct range {
	uint64_t start;
	uint64_t end;
};

static struct {
	int committed_fd;
	int live_fd;
	bool attached;
	bool forked;                       /* since the live memfd was new */
	uint64_t committed[ARENA_REGIONS]; /* bytes from the region's start */
	uint64_t mapped[ARENA_REGIONS];    /* the same; never below the top */
	struct range fresh[FRESH_MAX];     /* below the committed top, addresses */
	unsigned n_fresh;
	unsigned commits;
	struct range in_place[IN_PLACE_MAX]; /* below the committed top, shared */
	unsigned n_in_place;
	struct range left[IN_PLACE_MAX]; /* were in place, private pages of the live memfd */
	unsigned n_left, n_told;
	struct range unsaved[UNSAVED_MAX]; /* shared pages of the arena memfd */
	unsigned n_unsaved;
} arena = { .committed_fd = -1, .live_fd = -1 };

/* How much is mapped ahead of the top, to save system calls; small, so that a write far beyond the
 * top faults. */
static const uint64_t growth[ARENA_REGIONS] = { 256 * 1024, 0, 256 * 1024, MIB };

static int reserve(uint64_t address, uint64_t size, int flags, struct error *err)
{
	void *p = mmap((void *)address, size, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);

	if (p == MAP_FAILED)
		return error_errno(err, "cannot reserve the session's addresses at %#lx", address);
	return 0;
}

int arena_reserve(struct error *err)
{
	if (reserve(ARENA_BASE, ARENA_SIZE, MAP_FIXED_NOREPLACE, err) ||
	    reserve(DEVICE_BASE, DEVICE_SIZE, MAP_FIXED_NOREPLACE, err) ||
	    reserve(DEVICE_BASE + DEVICE_ALIAS_OFFSET, DEVICE_SIZE, MAP_FIXED_NOREPLACE, err))
		return -1;
	return 0;
}

static int map(int fd, uint64_t address, uint64_t size, int prot, int flags, struct error *err)
{
	if (!size)
		return 0;
	/* A child that has left the session has no file. */
	if (fd < 0)
		flags = MAP_PRIVATE | MAP_ANONYMOUS;
	if (mmap((void *)address, size, prot, flags | MAP_FIXED | MAP_NORESERVE, fd,
		 (off_t)(address - ARENA_BASE)) == MAP_FAILED)
		return error_errno(err, "cannot map %lu bytes of the session at %#lx", size,
				   address);
	return 0;
}

static void punch(uint64_t address, uint64_t size)
{
	if (size)
		fallocate(arena.live_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			  (off_t)(address - ARENA_BASE), (off_t)size);
}

static int attach_region(enum arena_region r, uint64_t top, struct error *err)
{
	uint64_t start = arena_start(r), size = arena_region_size(r);

	arena.committed[r] = arena.mapped[r] = top;
	if (r == ARENA_CODE) {
		arena.mapped[r] = size;
		return map(arena.committed_fd, start, top, PROT_READ | PROT_EXEC, MAP_PRIVATE,
			   err) || map(arena.live_fd, start + top, size - top,
				       PROT_READ | PROT_EXEC, MAP_PRIVATE, err)
			       ? -1
			       : 0;
	}
	if (map(arena.committed_fd, start, top, PROT_READ | PROT_WRITE, MAP_PRIVATE, err))
		return -1;
	return reserve(start + top, size - top, MAP_FIXED, err);
}

static int read_header(struct arena_header *ret, struct error *err)
{
	struct stat st;

	if (fstat(arena.committed_fd, &st))
		return error_errno(err, "cannot look at the session memory");
	if ((uint64_t)st.st_size < ARENA_SIZE)
		return error_set(err, ERROR_INPUT,
				 "the session memory has %lld bytes, %llu are needed",
				 (long long)st.st_size, ARENA_SIZE);
	if (pread(arena.committed_fd, ret, sizeof(*ret), 0) != sizeof(*ret))
		return error_errno(err, "cannot read the session's header");
	if (ret->magic == 0)
		return 0;
	if (ret->magic != ARENA_MAGIC || ret->version != ARENA_VERSION)
		return error_set(err, ERROR_INPUT,
				 "the session memory was made by another version of cgpu");
	for (int r = 0; r < ARENA_REGIONS; r++) {
		if (ret->top[r] > arena_region_size(r) || ret->top[r] % ARENA_PAGE)
			return error_set(err, ERROR_INPUT,
					 "the session's header is damaged (region %d)", r);
	}
	return 0;
}

int arena_attach(int committed, int live, struct error *err)
{
	struct arena_header h;

	arena.committed_fd = committed;
	arena.live_fd = live;
	arena.n_fresh = arena.n_in_place = arena.n_left = arena.n_told = arena.n_unsaved = 0;
	if (read_header(&h, err))
		return -1;
	for (int r = 0; r < ARENA_REGIONS; r++) {
		uint64_t top = h.magic ? h.top[r] : 0;

		/* The header page is private from the first cell on: it must not change before a
		 * commit. */
		if (r == ARENA_META && !h.magic)
			top = ARENA_HEADER_SIZE;
		if (attach_region(r, top, err))
			return -1;
	}
	if (!h.magic) {
		struct arena_header *header = arena_header();

		header->magic = ARENA_MAGIC;
		header->version = ARENA_VERSION;
		header->top[ARENA_META] = ARENA_HEADER_SIZE;
		/* libgcc's unwinder takes a function whose address has 32 zero bits at its end for
		 * a removed one. */
		header->top[ARENA_CODE] = ARENA_PAGE;
	}
	arena.attached = true;
	return 0;
}

bool arena_attached(void)
{
	return arena.attached;
}

void *arena_grow(enum arena_region r, size_t size)
{
	uint64_t top = arena_header()->top[r], need = top + size;

	if (size > arena_region_size(r) || need > arena_region_size(r))
		return NULL;
	if (need > arena.mapped[r]) {
		uint64_t end = need + growth[r];

		if (end > arena_region_size(r))
			end = arena_region_size(r);
		if (map(arena.live_fd, arena_start(r) + arena.mapped[r], end - arena.mapped[r],
			PROT_READ | PROT_WRITE, MAP_SHARED, NULL))
			return NULL;
		arena.mapped[r] = end;
	}
	arena_header()->top[r] = need;
	return (void *)(arena_start(r) + top);
}

static int write_committed_code(uint64_t address, const void *data, size_t len, struct error *err)
{
	uint64_t from = address & ~(ARENA_PAGE - 1), size = address + len - from;

	/* Threads of earlier cells may run there meanwhile. */
	if (mprotect((void *)from, size, PROT_READ | PROT_WRITE | PROT_EXEC))
		return error_errno(err, "cannot change the code of an earlier cell");
	memcpy((void *)address, data, len);
	if (mprotect((void *)from, size, PROT_READ | PROT_EXEC))
		return error_errno(err, "cannot protect the code of an earlier cell");
	return 0;
}

int arena_write_code(uint64_t address, const void *data, size_t len, struct error *err)
{
	uint64_t committed = arena_start(ARENA_CODE) + arena.committed[ARENA_CODE];

	/* A child has a copy of its own of all code. */
	if (address < committed || arena.live_fd < 0)
		return write_committed_code(address, data, len, err);
	if (whole_pwrite(arena.live_fd, data, len, address - ARENA_BASE) != len)
		return error_errno(err, "cannot write the cell's machine code");
	return 0;
}

/* Call fn for each part of [start, end) that is fresh. */
static void for_fresh(uint64_t start, uint64_t end, void (*fn)(uint64_t address, uint64_t size))
{
	uint64_t top = arena_start(ARENA_HEAP) + arena.committed[ARENA_HEAP];

	if (end > top)
		fn(start > top ? start : top, end - (start > top ? start : top));
	for (unsigned i = 0; i < arena.n_fresh; i++) {
		uint64_t from = arena.fresh[i].start > start ? arena.fresh[i].start : start;
		uint64_t to = arena.fresh[i].end < end ? arena.fresh[i].end : end;

		if (from < to)
			fn(from, to - from);
	}
}

void arena_discard(uint64_t address, size_t size)
{
	madvise((void *)address, size, MADV_DONTNEED);
	for_fresh(address, address + size, punch);
}

static void must_map(int fd, uint64_t address, uint64_t size, int prot, int flags)
{
	if (map(fd, address, size, prot, flags, NULL)) {
		fprintf(stderr, "cgpu-worker: cannot map session memory at %#lx: %m\n", address);
		_exit(111);
	}
}

static void make_private(int fd, uint64_t address, uint64_t size, int prot)
{
	must_map(fd, address, size, prot, MAP_PRIVATE);
}

static void map_committed(uint64_t address, uint64_t size)
{
	make_private(arena.committed_fd, address, size, PROT_READ | PROT_WRITE);
}

/* The next in-place range, from an address on. */
static const struct range *in_place_from(uint64_t address)
{
	const struct range *next = NULL;

	for (unsigned i = 0; i < arena.n_in_place; i++)
		if (arena.in_place[i].start >= address &&
		    (!next || arena.in_place[i].start < next->start))
			next = &arena.in_place[i];
	return next;
}

/* Unmaps the pages that a cell has overwritten or, with unmap, all pages; those of in-place ranges
 * stay. */
static void drop_pages(uint64_t start, uint64_t size, bool unmap)
{
	uint64_t at = start, end = start + size;

	while (at < end) {
		const struct range *in_place = in_place_from(at);
		uint64_t to = in_place && in_place->start < end ? in_place->start : end;

		if (to > at && unmap)
			madvise((void *)at, to - at, MADV_DONTNEED);
		else if (to > at)
			private_pages_drop(at, to - at);
		at = in_place && in_place->start < end ? in_place->end : end;
	}
}

/* Ranges that are in the arena memfd since the commit, however they were mapped in the cell. */
static void end_ranges_of_cell(void)
{
	for (unsigned i = 0; i < arena.n_left; i++)
		map_committed(arena.left[i].start, arena.left[i].end - arena.left[i].start);
	for (unsigned i = 0; i < arena.n_unsaved; i++)
		map_committed(arena.unsaved[i].start,
			      arena.unsaved[i].end - arena.unsaved[i].start);
	arena.n_left = arena.n_told = arena.n_unsaved = 0;
}

void arena_committed(void)
{
	bool unmap = ++arena.commits % COMMITS_PER_UNMAP == 0;

	end_ranges_of_cell();
	for (int r = 0; r < ARENA_REGIONS; r++) {
		uint64_t start = arena_start(r), top = arena_header()->top[r];
		int prot = PROT_READ | (r == ARENA_CODE ? PROT_EXEC : PROT_WRITE);

		drop_pages(start, arena.committed[r], unmap);
		make_private(arena.committed_fd, start + arena.committed[r],
			     top - arena.committed[r], prot);
		arena.committed[r] = top;
	}
}

static struct range take_range(unsigned i)
{
	struct range r = arena.in_place[i];

	arena.in_place[i] = arena.in_place[--arena.n_in_place];
	return r;
}

static void end_range(unsigned i)
{
	struct range r = take_range(i);

	map_committed(r.start, r.end - r.start);
}

void arena_leave_in_place(uint64_t address, uint64_t size)
{
	for (unsigned i = arena.n_in_place; i-- > 0;) {
		struct range r = arena.in_place[i];

		/* There is room: no range begins before those that were left are committed. */
		if (r.start >= address + size || address >= r.end)
			continue;
		take_range(i);
		make_private(arena.live_fd, r.start, r.end - r.start, PROT_READ | PROT_WRITE);
		arena.left[arena.n_left++] = r;
	}
}

void arena_leave_all_in_place(void)
{
	arena_leave_in_place(ARENA_BASE, ARENA_SIZE);
}

static bool may_be_in_place(uint64_t address, uint64_t size)
{
	uint64_t end = address + size;
	bool inside = false;

	for (int r = ARENA_DATA; r <= ARENA_HEAP; r++)
		inside |= address >= arena_start(r) && end > address &&
			  end <= arena_start(r) + arena.committed[r];
	for (unsigned i = 0; i < arena.n_fresh; i++)
		inside &= arena.fresh[i].start >= end || address >= arena.fresh[i].end;
	for (unsigned i = 0; i < arena.n_in_place; i++)
		inside &= arena.in_place[i].start >= end || address >= arena.in_place[i].end;
	return inside && address % ARENA_PAGE == 0 && size % ARENA_PAGE == 0 &&
	       !private_pages_any(address, size);
}

static bool map_in_place(uint64_t address, uint64_t size)
{
	if (arena.n_in_place == IN_PLACE_MAX ||
	    map(arena.live_fd, address, size, PROT_READ | PROT_WRITE, MAP_SHARED, NULL))
		return false;
	arena.in_place[arena.n_in_place++] = (struct range){ address, address + size };
	/* A child that was made behind our back must not reach what is committed. */
	if (madvise((void *)address, size, MADV_DONTFORK)) {
		end_range(arena.n_in_place - 1);
		return false;
	}
	/* Linux maps sixteen pages of a file with each fault for reading, and those of shared
	 * memory can be written then. */
	madvise((void *)address, size, MADV_POPULATE_READ);
	return true;
}

bool arena_begin_in_place(uint64_t address, uint64_t size)
{
	return may_be_in_place(address, size) && map_in_place(address, size);
}

bool arena_stay_in_place(uint64_t address, uint64_t size)
{
	unsigned kept = 0;

	/* The content of free memory does not matter, wherever it is. */
	for (unsigned i = 0; i < arena.n_fresh; i++) {
		struct range r = arena.fresh[i];

		if (r.start >= address + size || address >= r.end)
			arena.fresh[kept++] = r;
		else
			map_committed(r.start, r.end - r.start);
	}
	arena.n_fresh = kept;
	return map_in_place(address, size);
}

void arena_end_in_place(uint64_t address, uint64_t size)
{
	for (unsigned i = arena.n_in_place; i-- > 0;)
		if (arena.in_place[i].start == address && arena.in_place[i].end == address + size)
			end_range(i);
}

bool arena_has_in_place(void)
{
	return arena.n_in_place;
}

void arena_end_all_in_place(void)
{
	while (arena.n_in_place)
		end_range(arena.n_in_place - 1);
}

bool arena_take_left(uint64_t *ret_address, uint64_t *ret_size)
{
	const struct range *r = &arena.left[arena.n_told];

	if (arena.n_told == arena.n_left)
		return false;
	arena.n_told++;
	*ret_address = r->start;
	*ret_size = r->end - r->start;
	return true;
}

void arena_keep_fresh(bool (*keep)(uint64_t address, size_t size))
{
	unsigned kept = 0;

	for (unsigned i = 0; i < arena.n_fresh; i++) {
		struct range r = arena.fresh[i];

		if (keep(r.start, r.end - r.start))
			arena.fresh[kept++] = r;
		else
			map_committed(r.start, r.end - r.start);
	}
	arena.n_fresh = kept;
}

bool arena_make_fresh(uint64_t address, size_t size)
{
	unsigned kept = 0;

	/* A free run has grown around earlier ones. */
	for (unsigned i = 0; i < arena.n_fresh; i++) {
		if (arena.fresh[i].start < address || arena.fresh[i].end > address + size)
			arena.fresh[kept++] = arena.fresh[i];
	}
	arena.n_fresh = kept;
	if (arena.n_fresh == FRESH_MAX ||
	    map(arena.live_fd, address, size, PROT_READ | PROT_WRITE, MAP_SHARED, NULL))
		return false;
	arena.fresh[arena.n_fresh++] = (struct range){ address, address + size };
	return true;
}

bool arena_write_committed(int writable, uint64_t address, size_t size)
{
	if (arena.n_unsaved == UNSAVED_MAX ||
	    map(writable, address, size, PROT_READ | PROT_WRITE, MAP_SHARED, NULL))
		return false;
	arena.unsaved[arena.n_unsaved++] = (struct range){ address, address + size };
	return true;
}

bool arena_in_place(uint64_t address, size_t size)
{
	if (address >= arena_start(ARENA_HEAP) + arena.committed[ARENA_HEAP])
		return true;
	for (unsigned i = 0; i < arena.n_fresh; i++) {
		if (address >= arena.fresh[i].start && address + size <= arena.fresh[i].end)
			return true;
	}
	return false;
}

/* The next bytes from an address on that one of the two files holds memory for. */
static bool next_data(int fd, uint64_t address, uint64_t end, struct range *ret)
{
	if (file_data_next(fd, address - ARENA_BASE, end - ARENA_BASE, &ret->start, &ret->end,
			   NULL) <= 0)
		return false;
	ret->start += ARENA_BASE;
	ret->end += ARENA_BASE;
	return true;
}

bool arena_next_data(uint64_t address, uint64_t end, uint64_t *ret_start, uint64_t *ret_end)
{
	struct range first = { end, end }, other;

	if (next_data(arena.committed_fd, address, end, &other))
		first = other;
	if (next_data(arena.live_fd, address, end, &other) && other.start < first.start)
		first = other;
	*ret_start = first.start;
	*ret_end = first.end;
	return first.start < end;
}

void arena_will_fork(void)
{
	arena_leave_all_in_place();
	arena.forked = true;
}

bool arena_has_forked(void)
{
	return arena.forked;
}

static void map_fresh(uint64_t address, uint64_t size)
{
	must_map(arena.live_fd, address, size, PROT_READ | PROT_WRITE, MAP_SHARED);
}

void arena_live_renewed(void)
{
	for (int r = 0; r < ARENA_REGIONS; r++) {
		uint64_t start = arena_start(r) + arena.committed[r];
		uint64_t size = arena.mapped[r] - arena.committed[r];

		if (r == ARENA_CODE)
			make_private(arena.live_fd, start, size, PROT_READ | PROT_EXEC);
		else
			map_fresh(start, size);
	}
	for (unsigned i = 0; i < arena.n_fresh; i++)
		map_fresh(arena.fresh[i].start, arena.fresh[i].end - arena.fresh[i].start);
	arena.forked = false;
}

void arena_leave(void)
{
	if (!arena.attached)
		return;
	arena_leave_all_in_place();
	for (int r = 0; r < ARENA_REGIONS; r++) {
		if (r != ARENA_CODE)
			make_private(arena.live_fd, arena_start(r) + arena.committed[r],
				     arena.mapped[r] - arena.committed[r], PROT_READ | PROT_WRITE);
	}
	for (unsigned i = 0; i < arena.n_fresh; i++)
		make_private(arena.live_fd, arena.fresh[i].start,
			     arena.fresh[i].end - arena.fresh[i].start, PROT_READ | PROT_WRITE);
	for (unsigned i = 0; i < arena.n_unsaved; i++)
		map_committed(arena.unsaved[i].start,
			      arena.unsaved[i].end - arena.unsaved[i].start);
	arena.n_fresh = arena.n_unsaved = 0;
	arena.committed_fd = arena.live_fd = -1;
}
