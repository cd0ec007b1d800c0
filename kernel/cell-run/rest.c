/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worker does it, since its device may be in use by a thread between cells. Such a thread
 * writes to device memory without anybody being told, so there are no digests while there is one.
 */
#include "kernel/cell-run/rest.h"

#include "common/base/error.h"
#include "common/base/log.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/base/loop.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/state/tracked-list.h"
#include "kernel/workers/worker-pool.h"
#include "kernel/workers/worker.h"

#define WITHOUT_CELL_MS 300

static bool has_scratch(const struct supervisor *s)
{
	return s->device.waiting.n;
}

/* Tells whether a suspend could lose device memory. Memory of the emulated device is host memory,
 * which survives it. */
static bool could_lose(const struct supervisor *s)
{
	return s->device.chunks.n && !s->pool->hello.emulated && !s->device.out_of_reach &&
	       !tracked_list_count(&s->snapshot, TRACKED_THREAD);
}

static void ask(struct supervisor *s, enum worker_message what)
{
	struct error err = ERROR_INIT;

	if (worker_send(s->pool->active, what, NULL, 0, NULL, &err))
		log_info("%s", err.text);
}

static void on_rest(void *data)
{
	struct supervisor *s = data;

	s->rest->timer = NULL;
	if (s->compiling) {
		rest_begin(s);
		return;
	}
	if (s->run.phase != RUN_NONE || !worker_pool_is_ready(s))
		return;
	if (has_scratch(s))
		ask(s, WORKER_SCRATCH_UNWANTED);
	if (could_lose(s))
		ask(s, WORKER_EXPECT_SUSPEND);
}

void rest_begin(struct supervisor *s)
{
	if (!s->loop)
		return;
	loop_remove(s->loop, s->rest->timer);
	s->rest->timer = has_scratch(s) || could_lose(s)
				 ? loop_add_timer(s->loop, WITHOUT_CELL_MS, on_rest, s)
				 : NULL;
}

void rest_release(struct supervisor *s)
{
	if (s->loop)
		loop_remove(s->loop, s->rest->timer);
	s->rest->timer = NULL;
}
