/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fresh pages: what a cell has written into the live memfd outside of in-place ranges
 * (common/memory/arena-layout.h, 3 and 5). The arena memfd has no pages there, so a commit moves
 * them and keeps nothing for undo. Where a worker has put pages over committed ones, they are
 * copied like private pages.
 *
 * Used by kernel/state/commit.c alone. fresh_pages_move() may run on another thread.
 */
#ifndef CGPU_KERNEL_STATE_FRESH_PAGES_H
#define CGPU_KERNEL_STATE_FRESH_PAGES_H

#include <stdbool.h>

#include "common/memory/arena-layout.h"
#include "kernel/state/dirty-pages.h"

struct error;
struct snapshot;

struct fresh_pages {
	struct dirty_ranges moved; /* no pages of the arena memfd */
	struct dirty_ranges over;  /* pages of the arena memfd */
};

void fresh_pages_release(struct fresh_pages *f);

/* Finds the pages below these tops; replaces what *ret held. */
int fresh_pages_find(const struct snapshot *s, const uint64_t top[ARENA_REGIONS],
		     struct fresh_pages *ret, struct error *err);
/* Moves `moved` into the arena memfd, or copies it. On error the arena memfd is as it was, and the
 * pages may be lost. */
int fresh_pages_move(const struct fresh_pages *f, const struct snapshot *s, bool copy,
		     struct error *err);
/* Undoes fresh_pages_move(), but for the live memfd. */
void fresh_pages_forget(const struct fresh_pages *f, const struct snapshot *s);
/* The pages of `over` are committed: the live memfd has none any more. */
void fresh_pages_committed(const struct fresh_pages *f, const struct snapshot *s);

#endif
