/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers come from memory that the active worker shares with this process, by atomic loads: no
 * message is sent, so the answer is there while a cell runs or the worker hangs. The first call
 * sets `watch->wanted`, and only then does the worker renew its table during a cell. Each number is
 * read by itself, so used, limit and busy time may differ by a moment.
 */
#include "kernel/device/device-glance.h"

#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/device/device-share.h"
#include "kernel/workers/worker-pool.h"

bool device_glance_take(struct supervisor *s, struct device_glance *ret)
{
	struct worker *w = s->pool->active;
	struct device_watch *watch;

	if (!w || !w->control)
		return false;
	watch = &w->control->watch;
	atomic_store(&watch->wanted, 1);
	snprintf(ret->name, sizeof(ret->name), "%s", w->hello.device);
	ret->emulated = w->hello.emulated;
	memcpy(ret->uuid, w->hello.uuids[0], sizeof(ret->uuid));
	ret->worker = w->id;
	ret->used = atomic_load(&watch->used);
	ret->limit = atomic_load(&watch->limit);
	ret->at_ns = clock_now_ns();
	ret->busy_ns = device_busy_ns(&watch->busy, ret->at_ns);
	device_watch_get(watch, &ret->table);
	return true;
}

bool device_glance_is_emulated(const struct supervisor *s)
{
	return s->pool->said_hello && s->pool->hello.emulated;
}

int device_glance_share(struct supervisor *s, struct buffer *out, struct error *err)
{
	return device_share_glance(s, out, err);
}
