/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Twins: second copies of ranges of the arena that cells overwrite whole. A cell that writes such a
 * range pays for a page fault and two copies of each page when it is tracked. With a twin that
 * holds the committed content, in memory of the kernel process that no cell can reach, the worker
 * may write the range where it lies: nothing is copied in the cell or in the commit, and a rollback
 * copies the twin back. The twin is brought up to date after the commit.
 *
 * Invariants, with M the committed content of a twin's range:
 *
 *   1. While a cell runs, each twin whose range its worker maps shared (`shared`) is equal: its
 *      data is M (`equal`). So M can be made again whatever the worker writes and wherever it dies.
 *   2. A range that no worker maps shared holds M in the memfd.
 *   3. A twin that is not equal belongs to a range whose memfd content is M, and that nobody writes
 *      until it is equal, or no longer shared.
 *
 *	           a range was overwritten whole: its journal becomes the twin
 *	 (no twin) ----------------------------------------------------> EQUAL
 *	                                                                 ^  | lent: the worker maps
 *	                               twins_refresh(), memfd to twin    |  v it shared
 *	     STALE <----- twins_committed(): the memfd is C, the new M -- LENT
 *	       |                                                         ^  |
 *	       +------------ twins_refresh(), still shared --------------+  |
 *	                                                                    v
 *	     EQUAL <--- twins_restore(): twin to memfd, the worker is dead -+
 *
 * Used by snapshot.c, commit.c and kernel/cell-run/lending.c. Not thread-safe, but
 * twins_refresh() and twins_restore() may run on another thread as long as nobody calls anything
 * else here but twins_read().
 */
#ifndef CGPU_KERNEL_STATE_TWIN_H
#define CGPU_KERNEL_STATE_TWIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dirty_ranges;
struct error;
struct preimage;

#define TWINS_MAX 32
/* A smaller range is copied faster than what is said here above about it. */
#define TWIN_MIN (4ull * 1024 * 1024)

struct twin {
	uint64_t address;
	uint64_t size;   /* whole pages */
	char *data;      /* of kernel/state/kept-memory.h */
	bool equal;      /* data is the committed content */
	bool shared;     /* the worker maps the range shared, or may do so */
	bool unwanted;   /* to be dropped when that is possible */
	bool changed;    /* by the last commit, as twins_refresh() has found */
	unsigned unused; /* refreshes in a row that found nothing changed */
};

struct twins {
	struct twin at[TWINS_MAX];
	unsigned n;
	bool written;       /* a cell has run with shared ranges since they were all equal */
	uint64_t bytes_max; /* new ones only up to here */
};

/* Take `data` over as the twin of a range whose memfd content it is. False, and it stays the
 * caller's: no room, or no use. */
bool twins_adopt(struct twins *t, uint64_t address, uint64_t size, char *data);
/* These pages of the memfd were changed by a commit. */
void twins_overwritten(struct twins *t, const struct dirty_ranges *ranges);
/* A cell was committed: what it wrote in shared ranges is the committed content. */
void twins_committed(struct twins *t);

/* Something is to be done by twins_refresh(). */
bool twins_are_stale(const struct twins *t);
/* Something is to be done by twins_restore(). */
bool twins_are_written(const struct twins *t);
bool twins_are_shared(const struct twins *t);
/* The lowest one that is shared and begins at address or above; NULL: there is none. */
const struct twin *twins_shared_from(const struct twins *t, uint64_t address);

/*
 * Bring all twins up to date from the memfd. The pages that differ are what the last commit
 * overwrote without a copy: their old content is put into *ret, an owned list. *ret_lost: it is
 * more than keep_bytes, and not kept. -1: some twins could not be brought up to date and are still
 * stale; the old content is lost.
 */
int twins_refresh(struct twins *t, int memfd, uint64_t base, uint64_t keep_bytes,
		  struct preimage **ret, bool *ret_lost, struct error *err);
/*
 * The cell is rolled back and its worker dead: write all shared twins to the memfd, whose pages are
 * then M. Nothing is shared afterwards. -1: no memory; it can be called again.
 */
int twins_restore(struct twins *t, int memfd, uint64_t base, struct error *err);
/* No worker has the memfd mapped any more, and no cell has run since all shared twins were equal.
 */
void twins_unshare(struct twins *t);

/* Copy committed bytes over those of `out` that come from ranges which a cell may be writing. */
void twins_read(const struct twins *t, uint64_t address, void *out, size_t len);

/* Remove one whose range the worker does not map shared. The others keep their order. */
void twins_drop(struct twins *t, unsigned i);
void twins_release(struct twins *t);
uint64_t twins_bytes(const struct twins *t);

#endif
