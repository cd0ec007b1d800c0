/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which pages of a private file mapping have been overwritten: those that are there and no longer
 * belong to the file. The kernel asks it to find what a commit must copy, the worker to find what
 * it may drop afterwards. Linux 6.7, see Documentation/admin-guide/mm/pagemap.rst there.
 */
#ifndef CGPU_COMMON_MEMORY_PAGEMAP_SCAN_H
#define CGPU_COMMON_MEMORY_PAGEMAP_SCAN_H

#include <stddef.h>
#include <stdint.h>

/* The answer of one call; as PAGEMAP_SCAN writes it. */
struct pagemap_region {
	uint64_t start;
	uint64_t end;
	uint64_t categories;
};

/*
 * Overwritten pages of [start, end) by an open /proc/PID/pagemap, neighbours joined. Returns how
 * many of the n regions were filled, with *ret_walked the address to go on from; -1 with errno.
 */
int pagemap_scan(int pagemap, uint64_t start, uint64_t end, struct pagemap_region *ret, size_t n,
		 uint64_t *ret_walked);

#endif
