/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The header page of the arena and the rules by which worker and kernel share its two files.
 * Addresses and region sizes are in common/memory/address-map.h; in both files offset = address -
 * ARENA_BASE.
 *
 *   arena memfd   the committed state. The kernel alone writes it; a worker gets a descriptor for
 *                 reading.
 *   live memfd    what one worker writes in place: memory that no committed state has. Kernel and
 *                 worker write it, and it ends with the worker.
 *
 * A region is used from its start to `top`. The kernel makes the files and never formats them: an
 * arena memfd that is all zero is a session before its first cell.
 *
 * Invariants:
 *  1. The committed state is exactly [0, top) of each region of the arena memfd, with the tops of
 *     the header *in that file*. A header whose magic is 0 has tops of 0: the worker formats its
 *     private copy, the first commit writes it. Beyond the committed tops the file is empty
 *     whenever a worker attaches.
 *  2. In a worker, [0, committed top) maps the arena memfd MAP_PRIVATE: what a cell overwrites
 *     there is a private (anonymous) page, which only a commit copies into the file.
 *  3. Beyond the committed top the worker maps fresh extents of the live memfd MAP_SHARED and
 *     writes them in place. Nothing committed points there, so a rollback only has to forget them.
 *     A commit moves their pages into the arena memfd.
 *  4. CODE is mapped MAP_PRIVATE, readable and executable, never writable: the arena memfd below
 *     the committed top, the live memfd above, into which units are written with pwrite(). A
 *     constant of a committed unit that is given a new value becomes a private page like any other.
 *  5. The pages that a commit must copy are therefore: every private page (present or swapped, not
 *     PAGE_IS_FILE) of [0, top) of META, CODE, DATA and HEAP, with the tops of the header *in the
 *     worker's memory*, and every page of the live memfd below these tops that is in no in-place
 *     range.
 *  6. Tops are multiples of ARENA_PAGE, never shrink, and change only in the worker. Only while it
 *     is between WORKER_CELL_END and WORKER_COMMITTED, or stopped with allocator_busy == 0, may the
 *     kernel read header and pages.
 *  7. After WORKER_COMMITTED the worker drops its private pages and maps what was fresh
 *     MAP_PRIVATE from the arena memfd. Heap runs that were already free before the oldest cell
 *     that can be undone (the last WORKER_COMMITTED has named it, or an older one whose state is
 *     being saved) are free in every state that can still be returned to: WORKER_CELL_END names
 *     them, the commit punches them out of the arena memfd, and the worker may map the live memfd
 *     there, as fresh memory.
 *  8. A range of committed pages of DATA and HEAP whose content the kernel has copied into the live
 *     memfd (kernel/state/shadow-copy.h) may be an in-place range: from WORKER_IN_PLACE_BEGIN on
 *     the worker maps the live memfd MAP_SHARED there. WORKER_IN_PLACE_END and a checkpoint make it
 *     MAP_PRIVATE of the arena memfd again. A worker that cannot keep it (fork() in a cell, threads
 *     that live on past a cell's end) maps the live memfd MAP_PRIVATE and says so before
 *     WORKER_CELL_END; with WORKER_COMMITTED the arena memfd has the range's content.
 *  9. A process that fork() has made maps the live memfd MAP_PRIVATE where its parent had fresh
 *     memory, and may live on. So a commit after a fork() copies what it would have moved, no range
 *     stays in place, and the worker gets a new live memfd with WORKER_COMMITTED; the old one ends
 *     with the last process that has it.
 * 10. A cell that asked not to be journalled (%%nosnapshot) gets the arena memfd for writing with
 *     its WORKER_RUN, and maps its large blocks MAP_SHARED from it until WORKER_COMMITTED.
 */
#ifndef CGPU_COMMON_MEMORY_ARENA_LAYOUT_H
#define CGPU_COMMON_MEMORY_ARENA_LAYOUT_H

#include <stdint.h>

#include "common/memory/address-map.h"

#define ARENA_MAGIC 0x616e657261757067ull /* "gpuarena" */
#define ARENA_VERSION 1
#define ARENA_HEADER_SIZE ARENA_PAGE

enum arena_region { ARENA_META, ARENA_CODE, ARENA_DATA, ARENA_HEAP, ARENA_REGIONS };

/* Root pointers, by which the parts of a worker find their session state again. */
enum arena_root {
	ARENA_ROOT_ALLOCATOR,
	ARENA_ROOT_LOADER,
	ARENA_ROOT_UNITS,
	ARENA_ROOT_DEVICE,
	ARENA_ROOT_TRACKED,
	ARENA_ROOT_CELLS, /* struct arena_cells */
	ARENA_ROOT_AT_EXIT,
	ARENA_ROOT_COMMS, /* struct comm_table */
	ARENA_ROOTS = 16
};

/* The header page, at ARENA_BASE. */
struct arena_header {
	uint64_t magic;
	uint32_t version;
	uint32_t cell; /* execution count of the last cell that began */
	/* Bytes in use from the start of each region; META includes the header itself. */
	uint64_t top[ARENA_REGIONS];
	uint64_t root[ARENA_ROOTS];
	uint64_t heap_live;   /* bytes of live heap blocks, counted against the host limit */
	uint64_t heap_blocks; /* live heap blocks */
	/* Bytes of committed pages that were ever given back; they are kept for undo. */
	uint64_t heap_freed;
};

/* Objects that end with their process and are named then. ARENA_ROOT_TRACKED points to a list of
 * them, the newest first. */
enum tracked_kind { TRACKED_FILE, TRACKED_PROCESS, TRACKED_THREAD, TRACKED_LIBRARY };

struct arena_tracked {
	struct arena_tracked *next;
	const void *handle;
	uint32_t kind; /* enum tracked_kind */
	uint32_t cell;
	char name[80];
};

/* Memory that one cell has taken since the session began, in bytes and blocks, and how much of it
 * is free again. */
struct arena_cell {
	uint64_t heap_made;
	uint64_t heap_freed;
	uint64_t blocks_made;
	uint64_t blocks_freed;
	uint64_t device_made;
	uint64_t device_freed;
};

/* The table of cells by number; cells from `n` on have taken nothing. */
struct arena_cells {
	uint32_t n;
	uint32_t pad;
	struct arena_cell at[];
};

static inline uint64_t arena_region_offset(enum arena_region r)
{
	static const uint64_t offsets[ARENA_REGIONS] = {
		ARENA_META_OFFSET,
		ARENA_CODE_OFFSET,
		ARENA_DATA_OFFSET,
		ARENA_HEAP_OFFSET,
	};
	return offsets[r];
}

static inline uint64_t arena_region_size(enum arena_region r)
{
	static const uint64_t sizes[ARENA_REGIONS] = {
		ARENA_META_SIZE,
		ARENA_CODE_SIZE,
		ARENA_DATA_SIZE,
		ARENA_HEAP_SIZE,
	};
	return sizes[r];
}

#endif
