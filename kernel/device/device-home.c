/* SPDX-License-Identifier: Apache-2.0 */
/* The home is a member of the session's device memory, so %undo restores it with a replaced
 * session. */
#include "kernel/device/device-home.h"

#include <string.h>

#include "common/base/buffer.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/device/device-choice.h"
#include "kernel/device/spare-context.h"
#include "kernel/state/undo-log.h"
#include "kernel/workers/worker-pool.h"

/* Tells whether the session is bound to its home, which it is not while `%gpu use` tries a
 * driver. */
static bool is_bound(const struct supervisor *s)
{
	return s->device.home.known && !s->choosing->fn;
}

void device_home_ask(const struct supervisor *s, struct worker_device *ret)
{
	const struct device_home *h = &s->device.home;

	*ret = (struct worker_device){ .driver = s->pool->device_hangs ? DRIVER_NONE
								       : s->pool->driver,
				       .waits = spare_context_waits(s) };
	if (s->pool->device_hangs || !is_bound(s))
		return;
	ret->driver = h->emulated ? DRIVER_EMULATED : DRIVER_NATIVE;
	ret->window = h->window;
	memcpy(ret->passed_over, h->passed_over, sizeof(ret->passed_over));
}

bool device_home_has(const struct supervisor *s, const struct worker *w)
{
	const struct device_home *h = &s->device.home;

	return !is_bound(s) || *w->hello.problem ||
	       (w->hello.emulated == h->emulated && w->hello.window == h->window);
}

/* Returns the devices that the session needs, a bit for each. Parked memory does not count: it is
 * made anew, on any device. */
static uint32_t needed(const struct device_memory *d)
{
	uint32_t bits = 0;

	for (size_t i = 0; d->home.known && i < d->chunks.n; i++)
		if (d->chunks.at[i].fd >= 0)
			bits |= 1u << CHUNK_DEVICE(d->chunks.at[i].id);
	return bits;
}

void device_home_encode(const struct supervisor *s, bool checks, struct buffer *out)
{
	uint32_t bits = checks ? 0 : needed(&s->device);

	record_put_u32(out, (uint32_t)__builtin_popcount(bits));
	for (uint32_t i = 0; i < CHUNK_DEVICES_MAX; i++) {
		if (!(bits >> i & 1))
			continue;
		record_put_u32(out, i);
		record_put_bytes(out, s->device.home.uuids[i], DEVICE_UUID_SIZE);
	}
}

bool device_home_gives_up(const struct supervisor *s)
{
	return s->device.gives_up && s->device.tried;
}

/* Tells whether another worker should be tried. A worker that leaves the device alone because
 * others have hung in the driver must not be replaced. */
static bool is_worth_another(const struct supervisor *s)
{
	const struct device_memory *d = &s->device;

	return (d->home.known || s->pool->device_has_worked) && !d->tried && !d->out_of_reach &&
	       !s->pool->device_hangs;
}

bool device_home_on_attached(struct supervisor *s, const struct worker *w, bool has_device)
{
	struct device_memory *d = &s->device;

	if (!has_device && is_worth_another(s)) {
		log_warning(
			"worker %d comes without the device of the session; another one is tried",
			(int)w->pid);
		d->tried = true;
		return false;
	}
	d->out_of_reach = !has_device;
	d->tried = false;
	d->gives_up = false;
	s->pool->device_has_worked |= has_device;
	if (!has_device || d->home.known)
		return true;
	d->home = (struct device_home){ .known = true,
					.emulated = w->hello.emulated,
					.window = w->hello.window };
	memcpy(d->home.passed_over, w->hello.passed_over, sizeof(d->home.passed_over));
	memcpy(d->home.uuids, w->hello.uuids, sizeof(d->home.uuids));
	return true;
}

void device_home_retry(struct supervisor *s)
{
	s->device.out_of_reach = false;
	s->device.tried = false;
	s->device.gives_up = true;
}

static void count_chunks(void *data, struct device_chunks *c)
{
	size_t *n = data;

	*n += c->n;
}

bool device_home_is_missed(struct supervisor *s)
{
	size_t n = s->device.chunks.n + s->device.preimages.n;

	undo_log_each_chunks(&s->snapshot.undo, count_chunks, &n);
	return s->device.out_of_reach && n;
}
