/* SPDX-License-Identifier: Apache-2.0 */
/* A thread of the worker may use waiting memory between cells, so nothing that waits is closed
 * before the worker says so. */
#include "kernel/device/scratch.h"

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/device/device-share.h"
#include "kernel/share/share.h"
#include "kernel/state/device-memory.h"
#include "kernel/state/undo-log.h"
#include "kernel/workers/worker-pool.h"

static bool is_alone(struct supervisor *s)
{
	for (uint32_t i = 0; s->share->open && i < s->pool->hello.n_devices; i++) {
		cleanup_buffer struct buffer table = BUFFER_INIT;
		unsigned others = 0;

		if (share_glance(&s->share->share, s->pool->hello.uuids[i], &table, &others,
				 NULL) ||
		    others)
			return false;
	}
	return true;
}

void scratch_on_commit(struct supervisor *s, struct undo_entry *entry)
{
	if (!undo_log_keeps_newest(&s->snapshot.undo) && is_alone(s))
		device_memory_recycle(&s->device, &entry->device);
}
