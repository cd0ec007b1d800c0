/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heap region cut into runs of pages. A run is free, one large block, or a slab of equal slots;
 * its descriptor lies in META. Free neighbours merge at once, so freeing everything gives one run
 * again whatever the order was.
 *
 * Runs are named by index (0: none), pages by number from the heap's start. Callers hold the
 * allocator's lock.
 */
#ifndef CGPU_RUNTIME_ARENA_PAGE_RUNS_H
#define CGPU_RUNTIME_ARENA_PAGE_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/memory/arena-layout.h"

enum run_kind { RUN_UNUSED, RUN_FREE, RUN_LARGE, RUN_SLAB };

#define HEAP_PAGES (ARENA_HEAP_SIZE / ARENA_PAGE)
#define RUN_LEAF_PAGES 16384u
#define RUN_CHUNK 512u
#define RUN_CHUNKS (1u << 16)
#define RUN_BINS 128

struct slab; /* arena/allocator-state.h */

struct run {
	uint32_t page;
	uint32_t pages;
	uint8_t kind;     /* enum run_kind */
	uint8_t class;    /* RUN_SLAB */
	uint8_t zero;     /* RUN_FREE: never written */
	uint8_t returned; /* RUN_FREE: Linux has its memory back */
	uint32_t next;    /* RUN_FREE: in its bin; RUN_SLAB: slabs of its class with free slots */
	uint32_t prev;
	uint32_t cell;       /* RUN_LARGE: who asked */
	uint32_t site;       /* RUN_LARGE: from where */
	uint32_t freed_cell; /* RUN_FREE: last cell that freed a part of it */
	uint64_t size;       /* RUN_LARGE: bytes asked for */
	struct slab *slab;   /* RUN_SLAB */
};

struct page_runs {
	uint32_t bins[RUN_BINS]; /* free runs by length */
	uint64_t bin_bits[RUN_BINS / 64];
	uint32_t unused;       /* descriptors to take again */
	uint32_t n_runs;       /* descriptors ever made, index 0 included */
	uint32_t pending_from; /* no free run whose memory is still to be given back was freed
				  before this cell */
	struct run *chunks[RUN_CHUNKS];
	uint32_t *leaves[HEAP_PAGES / RUN_LEAF_PAGES]; /* page -> run: every page of a slab, first
							  and last of others */
};

int page_runs_init(struct page_runs *p);

static inline struct run *page_runs_at(const struct page_runs *p, uint32_t index)
{
	return &p->chunks[index / RUN_CHUNK][index % RUN_CHUNK];
}

/* A run of exactly so many pages whose first page number is a multiple of `align` (power of 2).
 * Kind is left to the caller; `zero` tells whether the bytes are zero. 0: no memory. */
uint32_t page_runs_take(struct page_runs *p, uint32_t pages, uint32_t align);
/* Give a run back; merges. */
void page_runs_give(struct page_runs *p, uint32_t index, uint32_t cell);
/* Cut a large run down to so many pages; the rest becomes free. */
void page_runs_shrink(struct page_runs *p, uint32_t index, uint32_t pages, uint32_t cell);
/* Make it longer in place; false if what follows is in use. */
bool page_runs_extend(struct page_runs *p, uint32_t index, uint32_t pages);
/* After the run's kind is set to RUN_SLAB: make every page find it. */
int page_runs_map_all(struct page_runs *p, uint32_t index);

/* Each free run of at least so many pages. fn may not change the runs but for `returned`. */
void page_runs_each_free(struct page_runs *p, uint32_t pages, void (*fn)(struct run *r, void *data),
			 void *data);

/* The slab that contains the page, 0 if it is in none; at once, also in the middle of large runs.
 */
uint32_t page_runs_find_slab(const struct page_runs *p, uint32_t page);
/* The run that contains the page, 0 if none. Reads only: usable in a signal handler. */
uint32_t page_runs_find(const struct page_runs *p, uint32_t page);

#endif
