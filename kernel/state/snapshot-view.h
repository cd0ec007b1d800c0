/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The committed memory as it was at one moment, readable by a thread while cells go on being
 * committed: what a commit overwrites and the reader has not read yet is put aside first. The
 * reader goes upwards through the memfd, once. One reader at a time.
 *
 * Only commits are followed. Whatever else changes the memfd breaks the view, and so does a commit
 * that overwrites more than VIEW_BYTES_MAX meanwhile. As long as it is open, workers may punch out
 * only what was free already when it was opened: `cell` is for WORKER_COMMITTED.
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
	uint64_t at; /* in the memfd */
	char *data;  /* NULL: slot is empty */
};

struct snapshot_view {
	pthread_mutex_t lock;
	bool open, broken;
	uint32_t cell; /* the first that may have freed what the view still shows */
	uint64_t top[ARENA_REGIONS];
	uint64_t done;           /* nothing below it will be read */
	struct view_page *pages; /* open addressing */
	size_t n, cap;
};

#define SNAPSHOT_VIEW_INIT { .lock = PTHREAD_MUTEX_INITIALIZER }

/* From the thread that commits, between two commits. A view that is open already stays as it is:
 * -1. */
int snapshot_view_open(struct snapshot_view *v, const uint64_t top[ARENA_REGIONS], uint32_t cell,
		       struct error *err);
/* It need not be open. */
void snapshot_view_close(struct snapshot_view *v);
/* Memory is about to change that nobody keeps. */
void snapshot_view_break(struct snapshot_view *v);
bool snapshot_view_is_broken(struct snapshot_view *v);

/* A commit is about to overwrite these ranges; `base` is the address of the memfd's first byte. */
void snapshot_view_keep(struct snapshot_view *v, int memfd, uint64_t base,
			const struct dirty_ranges *ranges);
/* The bytes that were there when it was opened; `at` grows from call to call. ERROR_STATE: the view
 * is broken. */
int snapshot_view_read(struct snapshot_view *v, int memfd, void *out, size_t len, uint64_t at,
		       struct error *err);

#endif
