/* SPDX-License-Identifier: Apache-2.0 */
/* A member that has been moved away is set to zero, or to -1 for the memfd. */
#include "kernel/state/session-swap.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t session_swap_bytes(const struct session_swap *w)
{
	struct stat st;
	uint64_t bytes = fstat(w->memfd, &st) ? 0 : (uint64_t)st.st_blocks * 512;

	for (size_t i = 0; i < w->device.chunks.n; i++)
		bytes += w->device.chunks.at[i].size;
	return bytes;
}

void session_swap_free(struct session_swap *w)
{
	if (!w)
		return;
	if (w->memfd >= 0)
		close(w->memfd);
	device_memory_release(&w->device);
	unit_table_release(&w->units);
	free(w);
}
