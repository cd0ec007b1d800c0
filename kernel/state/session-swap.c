/* SPDX-License-Identifier: Apache-2.0 */
/* A member that has been moved away is set to zero, or to ARENA_FILE_INIT. */
#include "kernel/state/session-swap.h"

#include <stdlib.h>

uint64_t session_swap_bytes(const struct session_swap *w)
{
	uint64_t bytes = arena_file_bytes(w->arena.fd);

	for (size_t i = 0; i < w->device.chunks.n; i++)
		bytes += w->device.chunks.at[i].size;
	return bytes;
}

void session_swap_free(struct session_swap *w)
{
	if (!w)
		return;
	arena_file_release(&w->arena);
	device_memory_release(&w->device);
	unit_table_release(&w->units);
	free(w);
}
