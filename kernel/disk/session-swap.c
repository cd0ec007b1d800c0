/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The old session is moved, not copied: its memfd, device memory and unit table go into the undo
 * entry, which owns them from then on, and the members of struct supervisor get the new ones. The
 * allocation of the entry is the only step that can fail, and it comes first. The serial number of
 * the state goes up, so that the old state and the new one are told apart.
 */
#include "kernel/disk/session-swap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/error.h"
#include "kernel/core/supervisor-state.h"

int session_swap(struct supervisor *s, const struct session_state *to, struct error *err)
{
	struct session_swap *old = calloc(1, sizeof(*old));
	struct undo_entry e = { .swap = old };

	if (!old)
		return error_set(err, ERROR_MEMORY, "out of memory for the old session");
	e.cell = s->run.cell;
	e.serial = s->snapshot.serial;
	e.heap_freed = s->snapshot.heap_freed;
	e.units = unit_table_committed(&s->units);
	e.preimage.valid = e.device.valid = true;
	memcpy(e.top, s->snapshot.top, sizeof(e.top));
	*old = (struct session_swap){ s->snapshot.memfd, s->device, s->units };
	undo_log_push(&s->snapshot.undo, &e);
	snapshot_touch(&s->snapshot);
	s->snapshot.memfd = to->memfd;
	s->snapshot.serial++;
	s->snapshot.heap_freed = to->heap_freed;
	memcpy(s->snapshot.top, to->top, sizeof(e.top));
	s->device = (struct device_memory){ 0 };
	s->units = to->units;
	return 0;
}

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
