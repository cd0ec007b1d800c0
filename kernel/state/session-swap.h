/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole session that was put aside because a loaded snapshot has replaced it. Going back to it
 * exchanges three members of struct supervisor (kernel/disk/session-undo.h).
 */
#ifndef CGPU_KERNEL_STATE_SESSION_SWAP_H
#define CGPU_KERNEL_STATE_SESSION_SWAP_H

#include <stdint.h>

#include "kernel/state/arena-file.h"
#include "kernel/state/device-memory.h"
#include "kernel/units/unit-table.h"

struct session_swap {
	struct arena_file arena;
	struct device_memory device;
	struct unit_table units;
};

/* Returns the bytes that the session holds, on host and device. */
uint64_t session_swap_bytes(const struct session_swap *w);
void session_swap_free(struct session_swap *w);

#endif
