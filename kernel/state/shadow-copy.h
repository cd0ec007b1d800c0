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
/* A smaller range is copied faster than a shadow copy of it is kept. */
#define SHADOW_COPY_MIN (4ull * 1024 * 1024)

struct shadow_copy {
	uint64_t address;
	uint64_t size;   /* whole pages */
	char *data;      /* of kernel/state/kept-memory.h */
	bool equal;      /* data is the committed content */
	bool shared;     /* the worker maps the range shared, or may do so */
	bool unwanted;   /* to be dropped when that is possible */
	bool changed;    /* by the last commit, as shadow_copies_refresh() has found */
	unsigned unused; /* refreshes in a row that found nothing changed */
};

struct shadow_copies {
	struct shadow_copy at[SHADOW_COPIES_MAX];
	unsigned n;
	bool written;       /* a cell has run with shared ranges since they were all equal */
	uint64_t bytes_max; /* new ones only up to here */
};

/* Take `data` over as the shadow copy of a range whose memfd content it is. False, and it stays the
 * caller's: no room, or no use. */
bool shadow_copies_adopt(struct shadow_copies *t, uint64_t address, uint64_t size, char *data);
/* These pages of the memfd were changed by a commit. */
void shadow_copies_overwritten(struct shadow_copies *t, const struct dirty_ranges *ranges);
/* A cell was committed: what it wrote in shared ranges is the committed content. */
void shadow_copies_committed(struct shadow_copies *t);

/* Something is to be done by shadow_copies_refresh(). */
bool shadow_copies_are_stale(const struct shadow_copies *t);
/* Something is to be done by shadow_copies_restore(). */
bool shadow_copies_are_written(const struct shadow_copies *t);
bool shadow_copies_are_shared(const struct shadow_copies *t);
/* The lowest one that is shared and begins at address or above; NULL: there is none. */
const struct shadow_copy *shadow_copies_shared_from(const struct shadow_copies *t,
						    uint64_t address);

/*
 * Bring all shadow copies up to date from the memfd. The pages that differ are what the last commit
 * overwrote without a copy: their old content is put into *ret, an owned list. *ret_lost: it is
 * more than keep_bytes, and not kept. -1: some shadow copies could not be brought up to date and
 * are still stale; the old content is lost.
 */
int shadow_copies_refresh(struct shadow_copies *t, int memfd, uint64_t base, uint64_t keep_bytes,
			  struct preimage **ret, bool *ret_lost, struct error *err);
/*
 * The cell is rolled back and its worker dead: write all shared shadow copies to the memfd, whose
 * pages are then M. Nothing is shared afterwards. -1: no memory; it can be called again.
 */
int shadow_copies_restore(struct shadow_copies *t, int memfd, uint64_t base, struct error *err);
/* No worker has the memfd mapped any more, and no cell has run since all shared shadow copies were
 * equal.
 */
void shadow_copies_unshare(struct shadow_copies *t);

/* Copy committed bytes over those of `out` that come from ranges which a cell may be writing. */
void shadow_copies_read(const struct shadow_copies *t, uint64_t address, void *out, size_t len);

/* Remove one whose range the worker does not map shared. The others keep their order. */
void shadow_copies_drop(struct shadow_copies *t, unsigned i);
void shadow_copies_release(struct shadow_copies *t);
uint64_t shadow_copies_bytes(const struct shadow_copies *t);

#endif
