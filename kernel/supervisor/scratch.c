/* SPDX-License-Identifier: Apache-2.0 */
/* The worker may just be using one, in a thread between cells: so nothing that waits is closed before the worker says so. */
#include "kernel/supervisor/scratch.h"

#include "common/buffer.h"
#include "common/cleanup.h"
#include "common/error.h"
#include "common/log.h"
#include "common/worker-protocol.h"
#include "kernel/loop.h"
#include "kernel/supervisor/supervisor-state.h"
#include "kernel/supervisor/worker-pool.h"

static bool is_alone(struct supervisor *s)
{
	for (uint32_t i = 0; s->share.open && i < s->pool.hello.n_devices; i++) {
		cleanup_buffer struct buffer table = BUFFER_INIT;
		unsigned others = 0;

		if (share_glance(&s->share.share, s->pool.hello.uuids[i], &table, &others, NULL) || others)
			return false;
	}
	return true;
}

void scratch_on_commit(struct supervisor *s, struct undo_entry *entry)
{
	if (!undo_log_keeps_newest(&s->snapshot.undo) && is_alone(s))
		device_memory_recycle(&s->device, &entry->device);
}

static void on_rest(void *data)
{
	struct supervisor *s = data;
	struct error err = ERROR_INIT;

	s->scratch.rest = NULL;
	if (s->compiling) {
		scratch_on_rest(s);
		return;
	}
	if (s->run.phase == RUN_NONE && worker_pool_is_ready(s) &&
	    worker_send(s->pool.active, WORKER_SCRATCH_UNWANTED, NULL, 0, NULL, &err))
		log_info("%s", err.text);
}

void scratch_on_rest(struct supervisor *s)
{
	if (!s->loop)
		return;
	loop_remove(s->loop, s->scratch.rest);
	s->scratch.rest = s->device.waiting.n ? loop_add_timer(s->loop, SCRATCH_REST_MS, on_rest, s) : NULL;
}

void scratch_release(struct supervisor *s)
{
	if (s->loop)
		loop_remove(s->loop, s->scratch.rest);
	s->scratch.rest = NULL;
}
