/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The committed host state: the arena's memfd, how far each region is used, and what is needed to go back over the last
 * ARENA_UNDO_CELLS commits. Workers map the memfd; only kernel/supervisor/commit.c and snapshot_undo() write below the tops.
 */
#ifndef CGPU_KERNEL_SUPERVISOR_SNAPSHOT_H
#define CGPU_KERNEL_SUPERVISOR_SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>

#include "common/arena-layout.h"
#include "kernel/supervisor/journal.h"

struct error;

struct snapshot {
	int memfd;
	uint64_t top[ARENA_REGIONS];  /* committed */
	uint64_t undo_bytes_max;      /* a commit that overwrites more cannot be undone */
	struct preimage undo[ARENA_UNDO_CELLS]; /* oldest first */
	uint64_t undo_top[ARENA_UNDO_CELLS][ARENA_REGIONS];
	unsigned n_undo;
};

/* A sealed, sparse memfd of ARENA_SIZE. */
int snapshot_init(struct snapshot *s, struct error *err);
void snapshot_release(struct snapshot *s);

/* A commit has happened: the next state's tops, and the pre-image of this one, which is taken over. */
void snapshot_advance(struct snapshot *s, const uint64_t top[ARENA_REGIONS], struct preimage preimage);

/* Committed bytes; -1 when [address, address + len) is not committed session memory. */
int snapshot_read(const struct snapshot *s, uint64_t address, void *out, size_t len);

/* No worker may have the arena mapped during these two. ERROR_STATE when there is nothing to go back to. */
int snapshot_undo(struct snapshot *s, struct error *err);
/* Back to before the first cell. */
int snapshot_reset(struct snapshot *s, struct error *err);

#endif
