/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the dirty pages of another process's MAP_PRIVATE file mapping: those that copy-on-write
 * made anonymous, in memory or in swap. Two methods give the same answer: the PAGEMAP_SCAN ioctl
 * (Linux 6.7), and reading /proc/PID/pagemap, which costs 8 bytes a page of the whole range.
 * Neither needs privileges over a child of one's own.
 */
#ifndef CGPU_KERNEL_STATE_DIRTY_PAGES_H
#define CGPU_KERNEL_STATE_DIRTY_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct error;

/* Page-aligned, in the address space that was scanned. */
struct dirty_range {
	uint64_t address;
	uint64_t size;
};

/* Ranges in the order of the scans that filled it, so upward scans leave it sorted; neighbours are
 * joined. */
struct dirty_ranges {
	struct dirty_range *at;
	size_t n, cap;
	uint64_t bytes;
};

void dirty_ranges_clear(struct dirty_ranges *r);
/* Appends a range; one that begins where the last one ends is joined with it. */
int dirty_ranges_add(struct dirty_ranges *r, uint64_t address, uint64_t size, struct error *err);
/* Sorts the ranges, and joins those that overlap or touch. */
void dirty_ranges_join(struct dirty_ranges *r);
void dirty_ranges_release(struct dirty_ranges *r);

struct dirty_pages {
	const char *name; /* as %doctor shows it */
	/* Append the overwritten pages of [start, end) to ret. */
	int (*scan)(int pagemap, uint64_t start, uint64_t end, struct dirty_ranges *ret,
		    struct error *err);
};

extern const struct dirty_pages dirty_pages_ioctl;
extern const struct dirty_pages dirty_pages_pagemap;

/* Returns the best method that this Linux has. */
const struct dirty_pages *dirty_pages_choose(void);

/*
 * Tells whether all of [start, end) is mapped shared, so that nothing in it needs a scan. It takes
 * a microsecond, a scan of a GiB some milliseconds. It is also false where Linux (before 6.11)
 * cannot tell.
 */
bool dirty_pages_none(pid_t pid, uint64_t start, uint64_t end);

/* Opens a descriptor for scan(); it stays valid as long as the process's address space lives. */
int dirty_pages_open(pid_t pid, struct error *err);

#endif
