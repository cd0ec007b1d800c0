/* SPDX-License-Identifier: Apache-2.0 */
/* The thread of kernel/closer.c makes a descriptor readable when it has nothing left to do. */
#include "kernel/supervisor/closings.h"

#include "common/log.h"
#include "kernel/closer.h"
#include "kernel/loop.h"
#include "kernel/supervisor/cell-run.h"
#include "kernel/supervisor/supervisor-state.h"

#define PATIENCE_MS 5000

static void go_on(struct supervisor *s)
{
	if (s->closings.says_later)
		device_share_settle(s);
	if (s->run.phase == RUN_WAITING)
		cell_run_go_on(s);
}

static void on_idle(void *data)
{
	struct supervisor *s = data;

	closer_drain();
	/* More may have come since. */
	if (!closer_is_idle())
		return;
	loop_remove(s->loop, s->closings.deadline);
	s->closings.deadline = NULL;
	s->closings.late = false;
	go_on(s);
}

static void on_deadline(void *data)
{
	struct supervisor *s = data;

	s->closings.deadline = NULL;
	s->closings.late = true;
	log_warning("device memory that is not needed any more takes long to be given back");
	go_on(s);
}

bool closings_are_done(struct supervisor *s)
{
	struct closings *c = &s->closings;

	if (c->late || closer_is_idle() || !s->loop)
		return true;
	if (!c->watch)
		c->watch = loop_add_fd(s->loop, closer_idle_fd(), on_idle, s);
	if (!c->deadline)
		c->deadline = loop_add_timer(s->loop, PATIENCE_MS, on_deadline, s);
	return false;
}

bool closings_let_say(struct supervisor *s)
{
	s->closings.says_later = !closings_are_done(s);
	return !s->closings.says_later;
}

void closings_release(struct supervisor *s)
{
	if (!s->loop)
		return;
	loop_remove(s->loop, s->closings.watch);
	loop_remove(s->loop, s->closings.deadline);
	s->closings = (struct closings){ 0 };
}
