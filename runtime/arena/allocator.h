/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heap of cells: malloc() of cell code gives its blocks. Small blocks are slots of slabs, large
 * ones runs of pages; all that is known about a block (size asked for, cell that made it, cell that
 * freed it) stands in META, out of reach of an overrun. The state rolls back with the session;
 * nothing of it is in the worker's own memory but the lock, the limit and the hooks.
 *
 * Thread-safe. Misuse (double free, free of what malloc never gave) and running over the limit are
 * told through the hooks, which end the cell and do not return.
 */
#ifndef CGPU_RUNTIME_ARENA_ALLOCATOR_H
#define CGPU_RUNTIME_ARENA_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct address_description;
struct error;

struct allocator_hooks {
	/* Text for the user: what is wrong with this free() or realloc(); allocator_describe()
	 * tells more about p. */
	void (*misuse)(const char *text, const void *p);
	/* `asked` bytes would pass the limit (or, limit 0, there is no memory). If it returns,
	 * malloc() gives NULL. */
	void (*out_of_memory)(uint64_t asked, uint64_t used, uint64_t limit);
	/* The place at which the cell called malloc() or free(), which is kept with the block:
	 * offset in CODE of the return address, 0: not known. */
	uint32_t (*caller)(void);
};

/* After arena_attach(): make or take over the heap. hooks are kept; NULL members are not called. */
int allocator_attach(const struct allocator_hooks *hooks, struct error *err);
void allocator_set_limit(uint64_t bytes); /* 0: none */
/* Would so many bytes more be within the limit? */
bool allocator_fits(uint64_t bytes);
/* Tag of blocks from here on; >= 1. */
void allocator_set_cell(uint32_t cell);
/* The running cell has taken so many bytes of device memory; what an earlier one took is free
 * again. */
void allocator_device_made(uint64_t bytes);
void allocator_device_freed(uint32_t cell, uint64_t bytes);
/* At the end of a cell: names the runs that are free for good, as far as the last commit has told,
 * for the commit to take them out of the committed file. fn returns whether it has taken the
 * range. */
typedef bool allocator_range(void *data, uint64_t address, uint64_t size);
void allocator_give_back(allocator_range *fn, void *data);
/* After arena_committed(): large runs that were given back may be written without a copy. Cells
 * from `oldest` on can be undone. */
void allocator_committed(uint32_t oldest);

/* For a cell that is checked, once and for all: blocks are followed by at least so many bytes of
 * nobody's, and what is freed is not given to anybody again, up to so many bytes. */
void allocator_keep_freed(size_t red_zone, uint64_t max);
/* Bytes from the start of a live block to the next one. */
size_t allocator_room(const void *p);

enum allocator_block { ALLOCATOR_LIVE, ALLOCATOR_FREED, ALLOCATOR_NEVER };
/* Each piece of the heap: bytes in use, bytes to the next piece. Takes no lock. */
void allocator_each(void (*fn)(uint64_t base, uint64_t size, uint64_t room,
			       enum allocator_block block));

/* Before a cell that is not journalled: large live blocks are mapped from `writable`, the committed
 * file, so that they are written without a copy; fn is told of each. At most some 60 of them. */
typedef void allocator_block(void *data, uint64_t address, uint64_t size, uint32_t cell);
void allocator_write_committed(int writable, allocator_block *fn, void *data);

/* A block that a cell has written without a right to, see runtime/arena/heap-guard.h. */
struct heap_damage {
	uint64_t base, size;
	uint64_t offset;     /* of the first byte that was written, from the base */
	uint32_t cell, site; /* that has allocated it, see allocator_hooks.caller */
	uint32_t freed;      /* the cell that has freed it; 0: it was live, and was overrun */
};
typedef void allocator_damaged(void *data, const struct heap_damage *d);
/*
 * At the end of a cell: calls fn for each such block, once. Looked at are blocks that the cell has
 * freed or taken again, all slabs in which it has allocated or freed, its large blocks, and, as
 * far as Linux can tell, the pages that it has written.
 */
void allocator_each_damaged(allocator_damaged *fn, void *data);

/* align: power of 2, at least 16 is always given. NULL when out of memory. */
void *allocator_alloc(size_t size, size_t align);
void *allocator_zalloc(size_t size);
void allocator_free(void *p);
/* As realloc() for a block of ours that is not NULL, size > 0. */
void *allocator_realloc(void *p, size_t size);
size_t allocator_usable_size(const void *p);

/* Fill *ret when the address is in the heap region (owner UNKNOWN: in no block); of `allocated` and
 * `freed` only the offset, as allocator_hooks.caller gave it. Takes no lock: for signal handlers.
 */
bool allocator_describe(uint64_t address, struct address_description *ret);

/* Live blocks by holder. */
struct allocator_holder {
	uint32_t cell;
	uint64_t bytes;
	uint64_t blocks;
	uint64_t largest; /* address of its largest block */
	uint64_t largest_size;
};
/* The n cells that hold most, largest first; how many were filled in. Takes no lock. */
unsigned allocator_holders(struct allocator_holder *ret, unsigned n);
/* The heap as a whole. Fragmentation is what of `free` cannot be had in one piece without growing:
 * free - largest. */
struct allocator_totals {
	uint64_t top;  /* bytes of addresses in use, free runs included */
	uint64_t live; /* of blocks, as counted against the limit */
	uint64_t blocks;
	uint64_t free;    /* in free runs */
	uint64_t largest; /* free run */
	uint64_t slots;   /* free slots of slabs: for blocks of their size only */
};
void allocator_totals(struct allocator_totals *ret);
/* Walk everything and compare; -1 names the first contradiction. For tests. */
int allocator_check(struct error *err);

/* Around fork(): nobody is inside the allocator while the process is copied. */
void allocator_fork_begin(void);
void allocator_fork_end(void);

#endif
