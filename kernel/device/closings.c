/* SPDX-License-Identifier: Apache-2.0 */
/* The thread of kernel/base/closer.c makes a descriptor readable when it has nothing left to do. */
#include "kernel/device/closings.h"

#include <poll.h>

#include "common/base/log.h"
#include "kernel/base/closer.h"
#include "kernel/base/loop.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/workers/worker-pool.h"

#define WAIT_MS 5000

static void on_idle(void *data)
{
	struct supervisor *s = data;

	closer_drain();
	/* More descriptors may have come since. */
	if (!closer_is_idle())
		return;
	loop_remove(s->loop, s->closings->deadline);
	s->closings->deadline = NULL;
	s->hooks->on_closed(s);
}

static void on_deadline(void *data)
{
	struct supervisor *s = data;

	s->closings->deadline = NULL;
	s->closings->late = !closer_is_idle();
	if (s->closings->late)
		log_warning(
			"device memory that is not needed any more takes long to be given back");
	s->hooks->on_closed(s);
}

bool closings_are_done(struct supervisor *s)
{
	struct closings *c = s->closings;

	if (closer_is_idle())
		c->late = false;
	if (c->late || closer_is_idle() || !s->loop)
		return true;
	if (!c->watch)
		c->watch = loop_add_fd(s->loop, closer_idle_fd(), on_idle, s);
	if (!c->deadline)
		c->deadline = loop_add_timer(s->loop, WAIT_MS, on_deadline, s);
	return false;
}

void closings_await(struct supervisor *s)
{
	uint64_t deadline = loop_now_ms() + WAIT_MS, now;

	while (!closer_is_idle() && !s->closings->late && (now = loop_now_ms()) < deadline) {
		struct pollfd idle = { closer_idle_fd(), POLLIN, 0 };

		if (poll(&idle, 1, (int)(deadline - now)) > 0)
			closer_drain();
	}
}

void closings_release(struct supervisor *s)
{
	if (!s->loop)
		return;
	loop_remove(s->loop, s->closings->watch);
	loop_remove(s->loop, s->closings->deadline);
	*s->closings = (struct closings){ 0 };
}
