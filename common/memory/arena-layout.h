/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The header page of the arena and the rules by which worker and kernel share the arena's memfd.
 * Addresses and region sizes are in common/memory/address-map.h; file offset = address -
 * ARENA_BASE.
 *
 * A region is used from its start to `top`. The kernel makes the memfd (ftruncate to ARENA_SIZE, no
 * seals, executable) and never formats it: a memfd that is all zero is a session before its first
 * cell.
 *
 * Invariants:
 *  1. The committed state is exactly [0, top) of each region of the memfd, with the tops of the
 *     header *in the memfd*. A header whose magic is 0 has tops of 0: the worker formats its
 *     private copy, the first commit writes it.
 *  2. In a worker, [0, committed top) is mapped MAP_PRIVATE: what a cell overwrites there is a
 *     private (anonymous) page, which only a commit copies into the memfd.
 *  3. Beyond the committed top the worker maps fresh extents MAP_SHARED and writes the memfd in
 *     place. Nothing committed points there, so a rollback only has to forget them: the next worker
 *     punches [top, end) of every region when it attaches. So beyond the committed tops the memfd
 *     is zero after an attach.
 *  4. CODE is mapped MAP_PRIVATE, readable and executable, never writable. Units are written with
 *     pwrite() beyond the committed top; a constant of a committed unit that is given a new value
 *     becomes a private page like any other.
 *  5. The pages that a commit must copy are therefore: every private page (present or swapped, not
 *     PAGE_IS_FILE) of [0, top) of META, CODE, DATA and HEAP, with the tops of the header *in the
 *     worker's memory*. Shared pages are in place already, wherever they lie: also below the
 *     committed top there may be some (7).
 *  6. Tops are multiples of ARENA_PAGE, never shrink, and change only in the worker. Only while it
 *     is between WORKER_CELL_END and WORKER_COMMITTED, or stopped with allocator_busy == 0, may the
 *     kernel read header and pages.
 *  7. After WORKER_COMMITTED the worker drops its private pages and maps what was fresh
 *     MAP_PRIVATE. Heap runs that were already free before the oldest cell that can be undone
 *     (WORKER_COMMITTED names it, or an older one whose state is being saved) are free in every
 *     state that can still be returned to: the worker punches them out of the memfd and may map
 *     them MAP_SHARED as fresh memory.
 *  8. A range of committed pages of DATA and HEAP of which the kernel has a copy
 *     (kernel/state/shadow-copy.h) may be an in-place range: from WORKER_IN_PLACE_BEGIN on the
 * worker maps it MAP_SHARED and writes the memfd in place. A rollback copies it back when the
 * worker is dead. WORKER_IN_PLACE_END, a checkpoint, fork() in a cell, and threads that live on
 * past a cell's end make it MAP_PRIVATE again. For everything else it is committed memory as any
 * other.
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
