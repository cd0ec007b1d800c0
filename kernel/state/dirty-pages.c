/* SPDX-License-Identifier: Apache-2.0 */
/* See Documentation/admin-guide/mm/pagemap.rst of Linux for both interfaces. */
#define _GNU_SOURCE
#include "kernel/state/dirty-pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/memory/address-map.h"
#include "common/memory/pagemap-scan.h"

#define SCAN_REGIONS 512

#define PAGEMAP_PRESENT (1ull << 63)
#define PAGEMAP_SWAPPED (1ull << 62)
#define PAGEMAP_FILE (1ull << 61)
#define PAGEMAP_ENTRIES 65536

void dirty_ranges_clear(struct dirty_ranges *r)
{
	r->n = 0;
	r->bytes = 0;
}

static int compare(const void *a, const void *b)
{
	const struct dirty_range *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

void dirty_ranges_join(struct dirty_ranges *r)
{
	size_t n = 0;

	if (r->n)
		qsort(r->at, r->n, sizeof(*r->at), compare);
	r->bytes = 0;
	for (size_t i = 0; i < r->n; i++) {
		struct dirty_range *last = n ? &r->at[n - 1] : NULL;
		uint64_t end = r->at[i].address + r->at[i].size;

		if (last && r->at[i].address <= last->address + last->size) {
			if (end > last->address + last->size)
				last->size = end - last->address;
		} else {
			r->at[n++] = r->at[i];
		}
	}
	r->n = n;
	for (size_t i = 0; i < n; i++)
		r->bytes += r->at[i].size;
}

void dirty_ranges_release(struct dirty_ranges *r)
{
	free(r->at);
	*r = (struct dirty_ranges){ 0 };
}

int dirty_ranges_add(struct dirty_ranges *r, uint64_t address, uint64_t size, struct error *err)
{
	struct dirty_range *last = r->n ? &r->at[r->n - 1] : NULL;

	r->bytes += size;
	if (last && last->address + last->size == address) {
		last->size += size;
		return 0;
	}
	if (r->n == r->cap) {
		size_t cap = r->cap ? r->cap * 2 : 64;
		struct dirty_range *at = realloc(r->at, cap * sizeof(*at));

		if (!at)
			return error_set(err, ERROR_MEMORY,
					 "out of memory for %zu ranges of overwritten pages", cap);
		r->at = at;
		r->cap = cap;
	}
	r->at[r->n++] = (struct dirty_range){ address, size };
	return 0;
}

static int scan_ioctl(int pagemap, uint64_t start, uint64_t end, struct dirty_ranges *ret,
		      struct error *err)
{
	struct pagemap_region regions[SCAN_REGIONS];

	while (start < end) {
		int n = pagemap_scan(pagemap, start, end, regions, SCAN_REGIONS, &start);

		if (n < 0)
			return error_errno(err, "PAGEMAP_SCAN of %#llx-%#llx",
					   (unsigned long long)start, (unsigned long long)end);
		for (int i = 0; i < n; i++)
			if (dirty_ranges_add(ret, regions[i].start,
					     regions[i].end - regions[i].start, err))
				return -1;
	}
	return 0;
}

static int scan_pagemap(int pagemap, uint64_t start, uint64_t end, struct dirty_ranges *ret,
			struct error *err)
{
	cleanup_free uint64_t *entries = malloc(PAGEMAP_ENTRIES * sizeof(*entries));

	if (!entries)
		return error_set(err, ERROR_MEMORY, "out of memory to read a page map");
	while (start < end) {
		uint64_t pages = (end - start) / ARENA_PAGE;
		size_t want =
			(pages < PAGEMAP_ENTRIES ? pages : PAGEMAP_ENTRIES) * sizeof(*entries);
		ssize_t got = pread(pagemap, entries, want,
				    (off_t)(start / ARENA_PAGE * sizeof(*entries)));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < (ssize_t)sizeof(*entries)) {
			errno = got < 0 ? errno : ESRCH;
			return error_errno(err, "cannot read the page map at %#llx",
					   (unsigned long long)start);
		}
		for (size_t i = 0; i < (size_t)got / sizeof(*entries); i++, start += ARENA_PAGE) {
			if (!(entries[i] & (PAGEMAP_PRESENT | PAGEMAP_SWAPPED)) ||
			    (entries[i] & PAGEMAP_FILE))
				continue;
			if (dirty_ranges_add(ret, start, ARENA_PAGE, err))
				return -1;
		}
	}
	return 0;
}

const struct dirty_pages dirty_pages_ioctl = { "PAGEMAP_SCAN", scan_ioctl };
const struct dirty_pages dirty_pages_pagemap = { "/proc/PID/pagemap", scan_pagemap };

int dirty_pages_open(pid_t pid, struct error *err)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_errno(err, "cannot open %s", path);
	return fd;
}

const struct dirty_pages *dirty_pages_choose(void)
{
	struct dirty_ranges ranges = { 0 };
	cleanup_fd int pagemap = dirty_pages_open(getpid(), NULL);
	int failed = pagemap < 0 ||
		     scan_ioctl(pagemap, ARENA_BASE, ARENA_BASE + ARENA_PAGE, &ranges, NULL);

	dirty_ranges_release(&ranges);
	return failed ? &dirty_pages_pagemap : &dirty_pages_ioctl;
}

/* The struct of the PROCMAP_QUERY ioctl, from <linux/fs.h> of Linux 6.11. */
struct map_query {
	uint64_t size;
	uint64_t query_flags;
	uint64_t address;
	uint64_t start;
	uint64_t end;
	uint64_t flags;
	uint64_t page_size;
	uint64_t offset;
	uint64_t inode;
	uint32_t dev[2];
	uint32_t name_size;
	uint32_t build_id_size;
	uint64_t name;
	uint64_t build_id;
};

#define MAP_QUERY _IOWR('f', 17, struct map_query)
#define MAP_QUERY_SHARED 0x08u

bool dirty_pages_none(pid_t pid, uint64_t start, uint64_t end)
{
	char path[64];
	cleanup_fd int maps = -1;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = open(path, O_RDONLY | O_CLOEXEC);
	while (start < end) {
		struct map_query q = { .size = sizeof(q), .address = start };

		if (maps < 0 || ioctl(maps, MAP_QUERY, &q) || !(q.flags & MAP_QUERY_SHARED) ||
		    q.end <= start)
			return false;
		start = q.end;
	}
	return true;
}
