/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The redo image: what an undo, or the rollback of an interrupted cell, has taken away. It holds
 * all bytes in which the state that was left differs from the state that is committed, so that it
 * needs no other memory. It can be applied as long as no other cell has run: device memory that is
 * free in the committed state is not part of it.
 *
 * The undo log owns it (kernel/state/undo-log.h), and it counts for the log's limit.
 */
#ifndef CGPU_KERNEL_STATE_REDO_H
#define CGPU_KERNEL_STATE_REDO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/memory/arena-layout.h"
#include "kernel/state/device-memory.h"
#include "kernel/state/dirty-pages.h"

struct unit_record;

struct redo {
	bool valid;
	uint32_t cell;              /* the newest one that it brings back */
	struct dirty_ranges ranges; /* of the arena */
	/* ranges.bytes of content, one range after the other; a block of `mapped` bytes of
	 * kernel/state/kept-memory.h. */
	char *data;
	size_t mapped;
	uint64_t top[ARENA_REGIONS];
	uint64_t heap_freed; /* the header's count */
	/* `before` and `dropped` are the chunks of the state that is brought back, pre-images what
	 * the next worker has kept of it. */
	struct device_undo device;
	struct unit_record *units; /* owned */
	size_t n_units;
};

/* Releases the image. A zeroed struct is accepted. */
void redo_release(struct redo *r);
/* Returns the bytes of host and device memory that it takes. */
uint64_t redo_bytes(const struct redo *r);
#endif
