/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A consistent view of the committed memory at one moment, for a thread that reads while cells go
 * on being committed: a commit first saves the pages that it overwrites and that the reader has not
 * read yet (copy-on-write). The reader goes upwards through the memfd, once. There is one reader at
 * a time.
 *
 * Only commits are followed. Any other change of the memfd breaks the view, and so does a commit
 * that overwrites more than VIEW_BYTES_MAX meanwhile. As long as the view is open, workers may
 * punch holes only where memory was free already when it was opened: `cell` is for
 * WORKER_COMMITTED.
 */
#ifndef CGPU_KERNEL_STATE_SNAPSHOT_VIEW_H
#define CGPU_KERNEL_STATE_SNAPSHOT_VIEW_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/memory/arena-layout.h"

struct dirty_ranges;
struct error;

#define VIEW_BYTES_MAX (256ull * 1024 * 1024)

struct view_page {
	uint64_t at; /* offset in the memfd */
	char *data;  /* NULL: slot is empty */
};

struct snapshot_view {
	pthread_mutex_t lock;
	bool open, broken;
	uint32_t cell; /* the first cell that may have freed memory that the view still shows */
	uint64_t top[ARENA_REGIONS];
	uint64_t done;           /* nothing below it will be read */
	struct view_page *pages; /* open addressing */
	size_t n, cap;
};

#define SNAPSHOT_VIEW_INIT { .lock = PTHREAD_MUTEX_INITIALIZER }

/* Opens the view. It is called from the thread that commits, between two commits. -1, without a
 * change, when a view is open already. */
int snapshot_view_open(struct snapshot_view *v, const uint64_t top[ARENA_REGIONS], uint32_t cell,
		       struct error *err);
/* Closes the view, which need not be open. */
void snapshot_view_close(struct snapshot_view *v);
/* Marks the view as broken: memory is about to change without the old content being saved. */
void snapshot_view_break(struct snapshot_view *v);
bool snapshot_view_is_broken(struct snapshot_view *v);

/* Saves the old content of these ranges, which a commit is about to overwrite; `base` is the
 * address of the memfd's first byte. */
void snapshot_view_keep(struct snapshot_view *v, int memfd, uint64_t base,
			const struct dirty_ranges *ranges);
/* Reads bytes as they were when the view was opened; `at` must grow from call to call. ERROR_STATE:
 * the view is broken. */
int snapshot_view_read(struct snapshot_view *v, int memfd, void *out, size_t len, uint64_t at,
		       struct error *err);

#endif
