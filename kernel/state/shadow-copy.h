/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shadow copies: second copies of ranges of the arena that cells overwrite whole. A cell that
 * writes such a range pays for a page fault and two copies of each page when it is tracked. With a
 * shadow copy that holds the committed content, in memory of the kernel process that no cell can
 * reach, the worker may write the range where it lies: nothing is copied in the cell or in the
 * commit, and a rollback copies the shadow copy back. The shadow copy is brought up to date after
 * the commit.
 *
 * Invariants, with M the committed content of a shadow copy's range:
 *
 *   1. While a cell runs, each shadow copy whose range its worker maps shared (`shared`) is equal:
 * its data is M (`equal`). So M can be made again whatever the worker writes and wherever it dies.
 *   2. A range that no worker maps shared holds M in the memfd.
 *   3. A shadow copy that is not equal belongs to a range whose memfd content is M, and that nobody
 * writes until it is equal, or no longer shared.
 *
 *	           a range was overwritten whole: its journal becomes the copy
 *	 (no copy) -----------------------------------------------------> EQUAL
 *	                                                                  ^  | the worker maps it
 *	                      shadow_copies_refresh(), memfd to copy      |  v shared
 *	     STALE <----- shadow_copies_committed(): the memfd is C ----- WRITTEN
 *	       |                                                          ^  |
 *	       +-------- shadow_copies_refresh(), still shared -----------+  |
 *	                                                                     v
 *	     EQUAL <--- shadow_copies_restore(): copy to memfd, the worker is dead
 *
 * Used by snapshot.c, commit.c and kernel/cell-run/in-place.c. Not thread-safe, but
 * shadow_copies_refresh() and shadow_copies_restore() may run on another thread as long as nobody
 * calls anything else here but shadow_copies_read().
 */
#ifndef CGPU_KERNEL_STATE_SHADOW_COPY_H
#define CGPU_KERNEL_STATE_SHADOW_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dirty_ranges;
struct error;
struct preimage;

#define SHADOW_COPIES_MAX 32
/* Below this size, copying a range is faster than keeping a shadow copy of it. */
#define SHADOW_COPY_MIN (4ull * 1024 * 1024)

struct shadow_copy {
	uint64_t address;
	uint64_t size;   /* whole pages */
	char *data;      /* a block of kernel/state/kept-memory.h */
	bool equal;      /* data is the committed content */
	bool shared;     /* the worker maps the range shared, or may do so */
	bool unwanted;   /* to be dropped as soon as possible */
	bool changed;    /* by the last commit, found by shadow_copies_refresh() */
	unsigned unused; /* refreshes in a row that found nothing changed */
};

struct shadow_copies {
	struct shadow_copy at[SHADOW_COPIES_MAX];
	unsigned n;
	bool written;       /* a cell has run with shared ranges since they were all equal */
	uint64_t bytes_max; /* limit for new shadow copies */
};

/* Takes over `data` as the shadow copy of a range whose memfd content it equals. False: there is no
 * room or no use for it, and it stays the caller's. */
bool shadow_copies_adopt(struct shadow_copies *t, uint64_t address, uint64_t size, char *data);
/* Notes that a commit has changed these pages of the memfd. */
void shadow_copies_overwritten(struct shadow_copies *t, const struct dirty_ranges *ranges);
/* Notes that a cell was committed: its writes to shared ranges are part of the committed
 * content. */
void shadow_copies_committed(struct shadow_copies *t);

/* Tells whether shadow_copies_refresh() has something to do. */
bool shadow_copies_are_stale(const struct shadow_copies *t);
/* Tells whether shadow_copies_restore() has something to do. */
bool shadow_copies_are_written(const struct shadow_copies *t);
bool shadow_copies_are_shared(const struct shadow_copies *t);
/* Returns the lowest shared shadow copy that begins at address or above; NULL: there is none. */
const struct shadow_copy *shadow_copies_shared_from(const struct shadow_copies *t,
						    uint64_t address);

/*
 * Brings all shadow copies up to date from the memfd. The pages that differ are those that the last
 * commit overwrote without a copy: their old content is put into *ret, an owned list. *ret_lost:
 * the old content is larger than keep_bytes, and not kept. -1: some shadow copies could not be
 * brought up to date and are still stale; the old content is lost.
 */
int shadow_copies_refresh(struct shadow_copies *t, int memfd, uint64_t base, uint64_t keep_bytes,
			  struct preimage **ret, bool *ret_lost, struct error *err);
/*
 * Rolls back: writes all shared shadow copies to the memfd, whose pages are then M. The worker must
 * be dead; nothing is shared afterwards. -1: no memory; the call can be repeated.
 */
int shadow_copies_restore(struct shadow_copies *t, int memfd, uint64_t base, struct error *err);
/* Marks all ranges as not shared. No worker may have the memfd mapped any more, and no cell may
 * have run since all shared shadow copies were equal. */
void shadow_copies_unshare(struct shadow_copies *t);

/* Replaces those bytes of `out` that come from ranges which a cell may be writing by committed
 * bytes. */
void shadow_copies_read(const struct shadow_copies *t, uint64_t address, void *out, size_t len);

/* Removes a shadow copy whose range the worker does not map shared. The others keep their order. */
void shadow_copies_drop(struct shadow_copies *t, unsigned i);
void shadow_copies_release(struct shadow_copies *t);
uint64_t shadow_copies_bytes(const struct shadow_copies *t);

#endif
