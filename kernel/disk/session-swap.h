/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole session put aside: what a loaded snapshot has replaced. Going back to it is exchanging
 * three members of struct supervisor.
 */
#ifndef CGPU_KERNEL_DISK_SESSION_SWAP_H
#define CGPU_KERNEL_DISK_SESSION_SWAP_H

#include <stdint.h>

#include "common/arena-layout.h"

#include "kernel/state/device-memory.h"
#include "kernel/units/unit-table.h"

struct session_swap {
	int memfd;
	struct device_memory device;
	struct unit_table units;
};

struct error;
struct supervisor;

/* What takes the place of a session; all zero but memfd: an empty one. */
struct session_state {
	int memfd;
	struct unit_table units;
	uint64_t heap_freed;
	uint64_t top[ARENA_REGIONS];
};

/*
 * The session is `to` from here on, without device memory, and the old one the newest entry of the
 * undo log. No worker may have the arena mapped. On error nothing has changed; otherwise `to` is
 * taken over.
 */
int session_swap(struct supervisor *s, const struct session_state *to, struct error *err);

/* Memory that it keeps, on host and device. */
uint64_t session_swap_bytes(const struct session_swap *w);
void session_swap_free(struct session_swap *w);

#endif
