/* SPDX-License-Identifier: Apache-2.0 */
/* The answer is the hello of the next spare, so a spare that was forked for the previous choice is
 * ended first. */
#include "kernel/device/device-choice.h"

#include <stdio.h>

#include "common/base/error.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/state/snapshot.h"
#include "kernel/state/undo-log.h"
#include "kernel/workers/worker-pool.h"

static void answer(struct supervisor *s, const char *problem, const char *device)
{
	struct device_choosing c = *s->choosing;

	s->choosing->fn = NULL;
	c.fn(c.data, problem, device);
}

/* Goes back to the previous choice; its device was left unchanged. */
static void give_up(struct supervisor *s, const char *problem)
{
	char text[sizeof(((struct worker_hello *)NULL)->problem)];

	snprintf(text, sizeof(text), "%s", problem);
	s->pool->driver = s->choosing->before;
	s->pool->device_hangs = s->choosing->hung_before;
	worker_pool_renew_spare(s);
	answer(s, text, "");
}

int device_choice_start(struct supervisor *s, enum worker_driver choice, device_choice_done *fn,
			void *data, struct error *err)
{
	if (!worker_pool_is_ready(s) || s->choosing->fn)
		return error_set(err, ERROR_STATE, "no worker has the session");
	if (s->device.chunks.n)
		return error_set(err, ERROR_STATE, "the session has device memory");
	*s->choosing = (struct device_choosing){ .fn = fn,
						 .data = data,
						 .before = s->pool->driver,
						 .hung_before = s->pool->device_hangs };
	s->pool->driver = choice;
	s->pool->device_hangs = false;
	worker_pool_renew_spare(s);
	return 0;
}

void device_choice_cancel(struct supervisor *s)
{
	if (s->choosing->fn)
		give_up(s, "interrupted; cells use the device that they did before");
}

enum worker_driver device_choice_now(const struct supervisor *s)
{
	return s->pool->driver;
}

bool device_choice_on_hello(struct supervisor *s, const struct worker *w)
{
	if (!s->choosing->fn || w != s->pool->spare)
		return true;
	if (*w->hello.problem) {
		give_up(s, w->hello.problem);
		return false;
	}
	/* The device memory in the undo log is the other driver's. */
	undo_log_clear(&s->snapshot.undo);
	snapshot_touch(&s->snapshot);
	s->device.home.known = false;
	s->pool->hello = w->hello;
	worker_pool_retire(s);
	answer(s, "", s->pool->hello.device);
	return true;
}

bool device_choice_on_hang(struct supervisor *s)
{
	if (!s->choosing->fn)
		return false;
	give_up(s, "the process that tried it hangs in the driver");
	return true;
}

void device_choice_on_no_worker(struct supervisor *s)
{
	if (s->choosing->fn)
		give_up(s, "the processes that tried it have died; see the log of the kernel");
}
