/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arena of this process: the mapping side of common/memory/arena-layout.h, whose invariants it
 * keeps. There is one arena a process and it lies at a fixed address, so the functions take no
 * object.
 *
 * Not thread-safe: growth is called under the allocator's or the loader's lock, the rest while no
 * cell runs.
 */
#ifndef CGPU_RUNTIME_ARENA_ARENA_H
#define CGPU_RUNTIME_ARENA_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/memory/arena-layout.h"

struct error;

/* Take the address range of the whole map, so that nothing else is ever mapped there. Once, in the
 * zygote. */
int arena_reserve(struct error *err);

/* Map the committed state of the arena memfd, and what is beyond it from the live memfd; format the
 * header of a session that has none. The descriptors stay the caller's. */
int arena_attach(int committed, int live, struct error *err);
bool arena_attached(void);

static inline struct arena_header *arena_header(void)
{
	return (struct arena_header *)ARENA_BASE;
}

static inline uint64_t arena_start(enum arena_region r)
{
	return ARENA_BASE + arena_region_offset(r);
}

/* Move the region's top up by `size` bytes (multiple of ARENA_PAGE); the new bytes are zero. NULL:
 * the region is full or linux refused the mapping. For CODE the bytes are not writable: see
 * arena_write_code(). */
void *arena_grow(enum arena_region r, size_t size);

/* Write machine code or constants, committed ones too. */
int arena_write_code(uint64_t address, const void *data, size_t len, struct error *err);

/* The content of these whole pages does not matter any more: give back the memory that can be given
 * back now. */
void arena_discard(uint64_t address, size_t size);

/* The kernel has copied what was private and counts what was fresh as committed. */
void arena_committed(void);

/*
 * After arena_committed(), for heap pages that are free in every state that can be returned to and
 * that the kernel has given back. First which of the ranges that were made fresh before stay so;
 * the others are private from here on. Then more of them: the next cell may write them in place;
 * false when there are too many ranges.
 */
void arena_keep_fresh(bool (*keep)(uint64_t address, size_t size));
bool arena_make_fresh(uint64_t address, size_t size);
/* Heap pages in use, until arena_committed(): the next cell writes them where they lie in the file
 * `writable`, the arena memfd. False when there are too many ranges. */
bool arena_write_committed(int writable, uint64_t address, size_t size);
/*
 * Committed pages that the kernel has copied into the live memfd are written there, also over the
 * commits that follow; for the rest they are committed memory as any other. False when that is not
 * possible: the range is not committed, it is in place already, it was written since the last
 * commit.
 */
bool arena_begin_in_place(uint64_t address, uint64_t size);
/* After arena_committed(): fresh memory that the commit has left in the live memfd, which alone has
 * it. */
bool arena_stay_in_place(uint64_t address, uint64_t size);
/* Between cells, the kernel has the committed content: the range as it was in place, or all of
 * them, map it. */
void arena_end_in_place(uint64_t address, uint64_t size);
void arena_end_all_in_place(void);
/* In a cell: nobody but this process sees what it writes to these ranges from here on.
 * arena_take_left() will name them, which must be told before the end of the cell. */
void arena_leave_in_place(uint64_t address, uint64_t size);
void arena_leave_all_in_place(void);
/* Tells whether there is a range in place. */
bool arena_has_in_place(void);
/* A range that is not in place any more for a reason that the kernel does not know; false: no more
 * of them. */
bool arena_take_left(uint64_t *ret_address, uint64_t *ret_size);

/* The next bytes of [address, end) that a file holds memory for; false when all that follows is
 * empty. */
bool arena_next_data(uint64_t address, uint64_t end, uint64_t *ret_start, uint64_t *ret_end);

/* Writing these heap pages costs no copy: they are all mapped shared. */
bool arena_in_place(uint64_t address, size_t size);

/* Before fork(): a process that lives on will have what is fresh from the live memfd. */
void arena_will_fork(void);
/* Tells whether arena_will_fork() was called since the live memfd was new. */
bool arena_has_forked(void);
/* The live memfd's descriptor is that of a new, empty file: map it in place of the old one, after
 * arena_committed() and arena_keep_fresh(). Nothing is in place. */
void arena_live_renewed(void);
/* In a forked child of a cell: what it writes must not reach the session. */
void arena_leave(void);

#endif
