/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A conservative scan finds the live blocks of the heap that can still be reached. Every aligned
 * word that looks like an address inside a live block counts as a pointer to it; a pointer just
 * behind a block does not. Roots are given one after the other, and each block remembers the first
 * root that reached it, itself or through other blocks.
 *
 * It reads committed state only, while no cell runs: holes in the memfd are not read. The allocator
 * is locked from heap_scan_begin() to heap_scan_end().
 */
#ifndef CGPU_RUNTIME_ARENA_HEAP_SCAN_H
#define CGPU_RUNTIME_ARENA_HEAP_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heap_scan;

#define HEAP_SCAN_LOST 0 /* no root has reached the block */

struct heap_scan_block {
	uint64_t address;
	uint64_t size;      /* asked for */
	uint64_t footprint; /* as counted against the limit */
	uint32_t cell;
	uint32_t site; /* offset in CODE, 0: unknown */
	uint32_t root; /* as given to heap_scan_root() */
};

/* Called for each word that is an address of the device window. */
typedef void heap_scan_device(void *data, uint64_t address, uint32_t root);

/* NULL when there is no memory for the marks. budget_ns: how long it may take. */
struct heap_scan *heap_scan_begin(uint64_t budget_ns, heap_scan_device *device, void *data);
void heap_scan_end(struct heap_scan *s);

/* Scan memory of the arena, and all blocks that it leads to. root > 0. */
void heap_scan_root(struct heap_scan *s, uint64_t start, uint64_t size, uint32_t root);
/* The same for words that were read elsewhere. */
void heap_scan_words(struct heap_scan *s, const uint64_t *words, size_t n, uint32_t root);
/* False when the time was not enough: then HEAP_SCAN_LOST means nothing. */
bool heap_scan_complete(const struct heap_scan *s);

void heap_scan_each(const struct heap_scan *s,
		    void (*fn)(void *data, const struct heap_scan_block *b), void *data);

#endif
