/* SPDX-License-Identifier: Apache-2.0 */
/* The size of a context is not known before there is one, so every spare has one until memory has
 * been short. */
#include "kernel/device/spare-context.h"

#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/protocol/memory-permit.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/base/loop.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/device/closings.h"
#include "kernel/state/device-memory.h"
#include "kernel/workers/worker-pool.h"

/* A process that hangs in its driver keeps its memory for ever. */
#define DEATH_MS 5000

static uint64_t held_now(const struct supervisor *s)
{
	uint64_t bytes[CHUNK_DEVICES_MAX] = { 0 }, sum = 0;

	device_chunks_sum(&s->device.chunks, bytes);
	for (int i = 0; i < CHUNK_DEVICES_MAX; i++)
		sum += bytes[i];
	return sum;
}

bool spare_context_waits(const struct supervisor *s)
{
	const struct spare_context *c = s->spare_context;
	bool same_cell = s->run.phase != RUN_NONE && s->run.cell == c->cell;

	return c->short_at && (same_cell || held_now(s) > c->short_at - c->short_at / 4);
}

static void answer(struct supervisor *s, bool granted)
{
	struct spare_context *c = s->spare_context;

	spare_context_release(s);
	/* Another worker has questions of its own, with the same numbers. */
	if (s->pool->active && s->pool->active->pid == c->asker)
		memory_permit_answer(&s->pool->active->control->permit, c->number, granted, "");
}

static void on_deadline(void *data)
{
	struct supervisor *s = data;

	s->spare_context->deadline = NULL;
	answer(s, false);
}

static bool has_context(const struct worker *spare)
{
	return spare && !spare->waits;
}

int spare_context_on_short(struct supervisor *s, struct worker *w, struct record *r,
			   struct error *err)
{
	struct spare_context *c = s->spare_context;
	uint64_t bytes;

	c->number = record_u32(r);
	bytes = record_u64(r);
	if (record_check(r, "WORKER_DEVICE_SHORT", err))
		return -1;
	if (w != s->pool->active || !s->loop ||
	    (!has_context(s->pool->spare) && closings_are_done(s))) {
		memory_permit_answer(&w->control->permit, c->number, false, "");
		return 0;
	}
	c->asker = w->pid;
	spare_context_release(s);
	c->deadline = loop_add_timer(s->loop, DEATH_MS, on_deadline, s);
	if (has_context(s->pool->spare)) {
		log_info("device memory is short: worker %d, which waits for the next fault, is "
			 "ended",
			 (int)s->pool->spare->pid);
		c->short_at = held_now(s) + bytes;
		c->cell = s->run.cell;
		worker_pool_renew_spare(s);
	}
	spare_context_look(s);
	return 0;
}

void spare_context_look(struct supervisor *s)
{
	bool spare_dies = false;

	for (const struct worker *w = s->pool->dying; w; w = w->next)
		spare_dies |= !w->attached;
	if (s->spare_context->deadline && !spare_dies && closings_are_done(s))
		answer(s, true);
}

void spare_context_release(struct supervisor *s)
{
	if (s->loop)
		loop_remove(s->loop, s->spare_context->deadline);
	s->spare_context->deadline = NULL;
}
