/* SPDX-License-Identifier: Apache-2.0 */
/* Who looks on is a short list of each worker: those of the launch, and the machine's own. */
#include "emulator/warp/observer.h"

#include <string.h>

#include "common/base/bug.h"

static void refresh_wishes(struct machine_worker *k)
{
	k->steps_wanted = k->accesses_wanted = false;
	for (uint32_t i = 0; i < k->observer_count; i++) {
		k->steps_wanted |= k->observers[i]->class->step != NULL;
		k->accesses_wanted |= k->observers[i]->class->access != NULL;
	}
}

void observer_add(struct machine_worker *k, struct observer *x)
{
	if (k->observer_count == WORKER_OBSERVERS)
		BUG("more than %d observers of a worker", WORKER_OBSERVERS);
	k->observers[k->observer_count++] = x;
	refresh_wishes(k);
}

void observer_drop(struct machine_worker *k, struct observer *x)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < k->observer_count; i++)
		if (k->observers[i] != x)
			k->observers[kept++] = k->observers[i];
	k->observer_count = kept;
	refresh_wishes(k);
}

void observer_start(struct machine_worker *k)
{
	const struct machine_launch *l = k->launch->spec;

	if (l->observer_count > MACHINE_OBSERVERS)
		BUG("%u observers of a launch", l->observer_count);
	for (uint32_t i = 0; i < l->observer_count; i++)
		observer_add(k, l->observers[i]);
}

void observer_refresh(struct machine_worker *k)
{
	for (uint32_t i = k->observer_count; i-- > 0;)
		if (atomic_load_explicit(&k->observers[i]->over, memory_order_relaxed) ||
		    (k->observers[i]->budget && k->instructions > k->observers[i]->budget))
			observer_drop(k, k->observers[i]);
}

void observer_barrier(struct block *c, uint32_t id)
{
	struct machine_worker *k = c->warps[0].worker;

	for (uint32_t i = 0; i < k->observer_count; i++)
		if (k->observers[i]->class->barrier)
			k->observers[i]->class->barrier(k->observers[i], c, id);
}

void observer_placed(struct warp *w, const struct op *o)
{
	struct machine_worker *k = w->worker;

	for (uint32_t i = 0; i < k->observer_count; i++)
		if (k->observers[i]->class->placed)
			k->observers[i]->class->placed(k->observers[i], w, o);
}

void observer_warp_sync(struct warp *w, uint32_t lanes)
{
	struct machine_worker *k = w->worker;

	for (uint32_t i = 0; i < k->observer_count; i++)
		if (k->observers[i]->class->warp_sync)
			k->observers[i]->class->warp_sync(k->observers[i], w, lanes);
}

void observer_block_begin(struct block *c)
{
	struct machine_worker *k = c->warps[0].worker;

	memset(c->observed, 0, sizeof(c->observed));
	c->observed_by = 0;
	observer_refresh(k);
	for (uint32_t i = 0; i < k->observer_count; i++) {
		struct observer *x = k->observers[i];

		if (x->class->block_begin) {
			c->observed_by |= 1u << x->slot;
			x->class->block_begin(x, c);
		}
	}
}

void observer_block_end(struct block *c)
{
	const struct machine_launch *l = c->warps[0].worker->launch->spec;

	for (uint32_t i = 0; i < l->observer_count; i++)
		if (c->observed_by >> i & 1 && l->observers[i]->class->block_end)
			l->observers[i]->class->block_end(l->observers[i], c);
}
