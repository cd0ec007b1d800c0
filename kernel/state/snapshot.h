/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The committed host state: the arena's memfd, the used size of each region, and the undo log, with
 * the live memfd of the worker that has the session. Workers map the first for reading; only
 * kernel/state/ writes it.
 */
#ifndef CGPU_KERNEL_STATE_SNAPSHOT_H
#define CGPU_KERNEL_STATE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/memory/arena-layout.h"
#include "kernel/state/arena-file.h"
#include "kernel/state/journal.h"
#include "kernel/state/shadow-copy.h"
#include "kernel/state/snapshot-view.h"
#include "kernel/state/undo-log.h"

struct error;

struct snapshot {
	struct arena_file arena;
	int live;                    /* -1: no worker has had the session yet */
	uint64_t top[ARENA_REGIONS]; /* committed */
	uint64_t heap_freed;         /* arena_header.heap_freed of the committed state */
	uint64_t changes;          /* counts certain and possible changes of the committed state */
	struct snapshot_view view; /* read by an automatic save while cells are committed */
	/* Number of the committed state: each commit counts up, an undo goes back. */
	uint64_t serial;
	struct undo_log undo;
	struct shadow_copies shadow_copies; /* of ranges of the memfd */
};

/* Creates an empty state. undo_limit is the number of bytes to keep for undo; a commit that
 * overwrites more cannot be undone. mount: see arena_file_init(). */
int snapshot_init(struct snapshot *s, const struct read_only_mount *mount, uint64_t undo_limit,
		  struct error *err);
void snapshot_release(struct snapshot *s);

/* Prepares the state for a worker that is to map it, with this live memfd, which stays the
 * caller's. What the worker before has not committed is forgotten. */
int snapshot_attach(struct snapshot *s, int live, struct error *err);

/* The worker that has the session gets this live memfd in place of its own, of which nothing is
 * needed any more. */
int snapshot_renew_live(struct snapshot *s, int live, struct error *err);

/* Returns the files that hold a shadow copy's range. */
static inline struct shadow_files snapshot_files(const struct snapshot *s)
{
	return (struct shadow_files){ s->arena.fd, s->live, ARENA_BASE };
}

/* Notes that the committed memory is about to change in another way than by a commit. */
static inline void snapshot_touch(struct snapshot *s)
{
	s->changes++;
	snapshot_view_break(&s->view);
}

/*
 * Records a commit: h is the header of the new state, and preimage, which is taken over, leads back
 * to the old one. The caller completes the newest entry of the log and trims it.
 */
void snapshot_advance(struct snapshot *s, const struct arena_header *h, struct preimage preimage);

/* Reads committed bytes; -1 when [address, address + len) is not committed session memory. */
int snapshot_read(const struct snapshot *s, uint64_t address, void *out, size_t len);

/*
 * Goes back over the newest n commits of the log, whose entries stay until undo_log_pop(). No
 * worker may have the arena mapped during this and the next function. On error the call can be
 * repeated.
 */
int snapshot_undo(struct snapshot *s, unsigned n, struct error *err);
/* Keeps what snapshot_undo() over the newest n entries will take away, in a redo image without
 * device memory and units. -1: it is more than the log's limit, or memory is out. */
int snapshot_keep_redo(const struct snapshot *s, unsigned n, struct redo *ret, struct error *err);
/* Commits a redo image's arena, by the journal. The image is not valid any more; on error nothing
 * has changed, and it can be repeated. */
int snapshot_redo(struct snapshot *s, struct journal *j, struct redo *r, struct error *err);
/* Tells whether the redo image of the undo log has other bytes in [address, address + len). It
 * reads what the image holds of that range, however large the range is. */
bool snapshot_redo_changes(const struct snapshot *s, uint64_t address, uint64_t len);
/* Goes back to the state before the first cell. */
int snapshot_reset(struct snapshot *s, struct error *err);

#endif
