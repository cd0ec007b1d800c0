/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shadow copies: second copies of ranges of the arena that cells overwrite whole. A cell that
 * writes such a range pays for a page fault and two copies of each page when it is tracked. With a
 * shadow copy in the live memfd, the worker may write the range there: nothing is copied in the
 * cell or in the commit, and a rollback forgets the copy with its worker. The arena memfd, which no
 * cell can reach, follows after the commit.
 *
 * Invariants, with M the committed content of a range:
 *
 *   1. The arena memfd holds M, unless the range is `stale`. So M is there whatever the worker
 *      writes and wherever it dies.
 *   2. The live memfd holds M of a range that is `filled`, but while a cell runs that has it
 *      shared.
 *   3. A range that is stale is committed in the live memfd only, and no cell runs until
 *      shadow_copies_refresh() has brought the arena memfd up to date.
 *
 *	   fresh memory: shadow_copies_add_fresh() -----------------> STALE
 *	   a range was overwritten whole: shadow_copies_adopt()
 *	 (no copy) ------------> EMPTY <-------------------------------+
 *	                           | shadow_copies_refresh(),          |
 *	                           v arena to live                     |
 *	                         FILLED -----------------------------> + the arena has
 *	                           | the worker maps it shared         | changed otherwise,
 *	                           v                                   | or the worker
 *	     +-----------------> SHARED -----------------------------> + has ended
 *	     |                     | shadow_copies_committed(),        |
 *	     |                     v after a cell                      |
 *	     +------------------ STALE                                 |
 *	    shadow_copies_refresh(), live to arena --------------------+
 *
 * Used by snapshot.c, commit.c and kernel/cell-run/in-place.c. Not thread-safe, but
 * shadow_copies_refresh() may run on another thread as long as nobody calls anything else here but
 * shadow_copies_read().
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
	bool filled;     /* the live memfd has the content */
	bool stale;      /* the live memfd alone has it */
	bool fresh;      /* the arena memfd has had no content yet */
	bool shared;     /* the worker maps the live memfd, or may do so */
	bool unwanted;   /* to be dropped as soon as it is not stale */
	bool changed;    /* by the last commit, found by shadow_copies_refresh() */
	unsigned unused; /* refreshes in a row that found nothing changed */
};

/* What shadow_copies_refresh() does. */
enum shadow_work {
	SHADOW_ALL,      /* brings the arena memfd up to date and fills the live memfd */
	SHADOW_STALE,    /* brings the arena memfd up to date only */
	SHADOW_UNWANTED, /* the same for stale ranges that are unwanted */
};

/* The files that hold a range, at offset address - base. */
struct shadow_files {
	int arena, live;
	uint64_t base;
};

struct shadow_copies {
	struct shadow_copy at[SHADOW_COPIES_MAX];
	unsigned n;
	bool written;       /* a cell has run with shared ranges since they were all refreshed */
	uint64_t bytes_max; /* limit for new shadow copies */
};

/* Begins a shadow copy of a range. False: there is no room or no use for it. */
bool shadow_copies_adopt(struct shadow_copies *t, const struct shadow_files *f, uint64_t address,
			 uint64_t size);
/* Tells whether shadow_copies_add_fresh() may add ranges of so many bytes. */
bool shadow_copies_have_room(const struct shadow_copies *t, size_t n, uint64_t bytes);
/* Adds a range of fresh memory that a commit leaves in the live memfd: it is stale, the worker has
 * it shared, and it is unwanted, so it takes its memory twice for no longer than the copying. */
void shadow_copies_add_fresh(struct shadow_copies *t, uint64_t address, uint64_t size);
/*
 * Notes that a commit has changed these pages of the arena memfd: a range that is not shared has to
 * be filled again. The caller has written the pages of shared ranges to the live memfd too.
 */
void shadow_copies_overwritten(struct shadow_copies *t, const struct dirty_ranges *ranges);
/* Notes that a cell was committed: its writes to shared ranges are part of the committed
 * content. */
void shadow_copies_committed(struct shadow_copies *t);

/* Tells whether shadow_copies_refresh() has something to do. */
bool shadow_copies_need_work(const struct shadow_copies *t, enum shadow_work which);
/* Tells whether a range is committed in the live memfd only. */
bool shadow_copies_are_stale(const struct shadow_copies *t);
bool shadow_copies_are_shared(const struct shadow_copies *t);
/* Tells whether a shared range overlaps [address, address + size). */
bool shadow_copies_share(const struct shadow_copies *t, uint64_t address, uint64_t size);
/* Returns the lowest shadow copy that begins at address or above, the second one only of those that
 * are shared; NULL: there is none. */
const struct shadow_copy *shadow_copies_from(const struct shadow_copies *t, uint64_t address);
const struct shadow_copy *shadow_copies_shared_from(const struct shadow_copies *t,
						    uint64_t address);

/*
 * Brings the arena memfd up to date where a range is stale. The pages that differ are those that
 * the last commit overwrote without a copy: their old content is put into *ret, an owned list.
 * *ret_lost: the old content is larger than keep_bytes, or there is no memory to keep it; no cell
 * can run while a range is stale, so it is given up before that. SHADOW_ALL also fills the live
 * memfd where that is due. -1: some ranges are still stale, or not filled; the call can be
 * repeated.
 */
int shadow_copies_refresh(struct shadow_copies *t, const struct shadow_files *f,
			  enum shadow_work which, uint64_t keep_bytes, struct preimage **ret,
			  bool *ret_lost, struct error *err);
/* Marks ranges as not shared, all or those that are unwanted: no worker writes them in place any
 * more, and none is stale. */
void shadow_copies_unshare(struct shadow_copies *t, bool unwanted_only);

/* Replaces those bytes of `out` that are committed in the live memfd only. */
int shadow_copies_read(const struct shadow_copies *t, int live, uint64_t base, uint64_t address,
		       void *out, size_t len);

/* Removes a shadow copy that is not stale; the others keep their order. */
void shadow_copies_drop(struct shadow_copies *t, const struct shadow_files *f, unsigned i);
void shadow_copies_release(struct shadow_copies *t);
uint64_t shadow_copies_bytes(const struct shadow_copies *t);

#endif
