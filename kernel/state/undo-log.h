/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The undo log: for each of the last commits, the old content of pages and device buffers, the old
 * tops, and a mark of the unit table. The log is bounded by bytes and by commits; the oldest
 * entries go first. A commit whose old content was too large to keep ends the log: no state before
 * it can be reached.
 *
 * Behind the newest entry there may be a redo image, which leads away from the committed state in
 * the other direction. A new entry ends it.
 */
#ifndef CGPU_KERNEL_STATE_UNDO_LOG_H
#define CGPU_KERNEL_STATE_UNDO_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "common/memory/arena-layout.h"
#include "kernel/state/device-memory.h"
#include "kernel/state/journal.h"
#include "kernel/state/redo.h"
#include "kernel/state/session-swap.h"

struct error;

#define UNDO_COMMITS_MAX 64

struct undo_entry {
	uint32_t cell;   /* whose commit is taken back */
	uint64_t serial; /* number of the older state */
	struct preimage preimage;
	uint64_t top[ARENA_REGIONS]; /* of the older state */
	uint64_t heap_freed;         /* header's count in the older state */
	uint64_t kept_heap; /* bytes that the worker must not reuse while the entry lives */
	struct device_undo device;
	uint64_t units; /* mark of the unit table in the older state */
	/* For an entry that is not a commit: the old session, which was replaced as a whole;
	 * owned. */
	struct session_swap *swap;
};

struct undo_log {
	struct undo_entry at[UNDO_COMMITS_MAX]; /* oldest first */
	unsigned n;
	struct redo redo; /* see redo.valid */
	uint64_t bytes_max;
};

void undo_log_clear(struct undo_log *l);
/* Adds an entry and takes it over; a full log drops its oldest one. The redo image is released. */
void undo_log_push(struct undo_log *l, const struct undo_entry *e);
static inline struct undo_entry *undo_log_newest(struct undo_log *l)
{
	return &l->at[l->n - 1];
}
/* Tells whether undo_log_trim() will keep the newest entry. */
bool undo_log_keeps_newest(const struct undo_log *l);
/* Drops entries that are too old or too large, once the newest entry is complete. A replaced
 * session is kept until the next commit. */
void undo_log_trim(struct undo_log *l);
/* Removes the newest n entries. */
void undo_log_pop(struct undo_log *l, unsigned n);
/* Takes over a redo image of `d` in place of the one before; the oldest entries make room for it.
 * False: it is not complete or larger than the log's limit. It is released then, and the next
 * worker is not asked to keep device memory. */
bool undo_log_set_redo(struct undo_log *l, const struct redo *r, struct device_memory *d);
void undo_log_drop_redo(struct undo_log *l);

/* Calls fn for the device memory that the log keeps: dropped chunks, chunks of replaced sessions,
 * and those of the redo image. */
typedef void undo_chunks_fn(void *data, struct device_chunks *c);
void undo_log_each_chunks(struct undo_log *l, undo_chunks_fn *fn, void *data);

uint64_t undo_log_bytes(const struct undo_log *l);
/* Returns how many of the newest entries lead back to state `serial`; 0: it is not in the log. */
unsigned undo_log_depth(const struct undo_log *l, uint64_t serial);

#endif
