/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the dirty pages of a private file mapping: those that are present and, after copy-on-write,
 * no longer belong to the file. The kernel uses it to find what a commit must copy, the worker to
 * find what it may drop afterwards. Linux 6.7, see Documentation/admin-guide/mm/pagemap.rst there.
 */
#ifndef CGPU_COMMON_MEMORY_PAGEMAP_SCAN_H
#define CGPU_COMMON_MEMORY_PAGEMAP_SCAN_H

#include <stddef.h>
#include <stdint.h>

/* A region of dirty pages, in the layout of PAGEMAP_SCAN. */
struct pagemap_region {
	uint64_t start;
	uint64_t end;
	uint64_t categories;
};

/*
 * Finds dirty pages of [start, end) by an open /proc/PID/pagemap, with neighbours joined. Returns
 * how many of the n regions were filled, and in *ret_walked the address to go on from; -1 with
 * errno.
 */
int pagemap_scan(int pagemap, uint64_t start, uint64_t end, struct pagemap_region *ret, size_t n,
		 uint64_t *ret_walked);

#endif
