/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What takes the last commits back, the newest first: old content of pages and device buffers,
 * tops, a mark of the units. The log is bounded by bytes and by commits; the oldest entries go
 * first. A commit whose old content was too much to keep ends the log: nothing before it can be
 * reached.
 */
#ifndef CGPU_KERNEL_STATE_UNDO_LOG_H
#define CGPU_KERNEL_STATE_UNDO_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "common/memory/arena-layout.h"
#include "kernel/state/device-memory.h"
#include "kernel/state/journal.h"
#include "kernel/state/session-swap.h"

struct error;

#define UNDO_COMMITS_MAX 64

struct undo_entry {
	uint32_t cell;   /* whose commit this takes back */
	uint64_t serial; /* of the state that it leads to */
	struct preimage preimage;
	uint64_t top[ARENA_REGIONS]; /* of that state */
	uint64_t heap_freed;         /* header's count in that state */
	uint64_t kept_heap; /* bytes that the worker must not reuse as long as the entry lives */
	struct device_undo device;
	uint64_t units;            /* mark of the unit table in that state */
	struct session_swap *swap; /* not a commit: the whole session was replaced, and this is the
				      old one; owned */
};

struct undo_log {
	struct undo_entry at[UNDO_COMMITS_MAX]; /* oldest first */
	unsigned n;
	uint64_t bytes_max;
};

void undo_log_clear(struct undo_log *l);
/* Takes the entry over; the oldest one goes when there is no room. */
void undo_log_push(struct undo_log *l, const struct undo_entry *e);
static inline struct undo_entry *undo_log_newest(struct undo_log *l)
{
	return &l->at[l->n - 1];
}
/* Will undo_log_trim() keep the newest entry? */
bool undo_log_keeps_newest(const struct undo_log *l);
/* The newest entry is complete: drop what is too old or too much. A replaced session is kept up to
 * the next commit. */
void undo_log_trim(struct undo_log *l);
/* The newest n are done with. */
void undo_log_pop(struct undo_log *l, unsigned n);

/* The device memory that the log keeps: of dropped chunks, and of replaced sessions. */
typedef void undo_chunks_fn(void *data, struct device_chunks *c);
void undo_log_each_chunks(struct undo_log *l, undo_chunks_fn *fn, void *data);

uint64_t undo_log_bytes(const struct undo_log *l);
/* How many of the newest entries lead to state `serial`; 0: none does. */
unsigned undo_log_depth(const struct undo_log *l, uint64_t serial);

#endif
