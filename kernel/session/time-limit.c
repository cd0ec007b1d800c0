/* SPDX-License-Identifier: Apache-2.0 */
/* The timer is that of the cell at work; the cell itself notes that it is over the limit. */
#include "kernel/session/time-limit.h"

#include "kernel/base/loop.h"
#include "kernel/session/cell.h"
#include "kernel/session/session.h"

#define AGAIN_MS 1000 /* a command gets a second interrupt, which it cannot ignore */

static void on_late(void *data)
{
	struct session *s = data;
	struct cell *c = s->executor.current;

	s->time_limit.timer = loop_add_timer(s->loop, AGAIN_MS, on_late, s);
	if (!c->over_ms)
		c->over_ms = s->time_limit.ms;
	s->hooks->interrupt(s);
}

void time_limit_set(struct session *s, uint64_t ms)
{
	time_limit_end(s);
	s->time_limit.ms = ms;
	if (s->executor.current)
		time_limit_begin(s);
}

void time_limit_begin(struct session *s)
{
	if (s->time_limit.ms)
		s->time_limit.timer = loop_add_timer(s->loop, s->time_limit.ms, on_late, s);
}

void time_limit_end(struct session *s)
{
	loop_remove(s->loop, s->time_limit.timer);
	s->time_limit.timer = NULL;
}
