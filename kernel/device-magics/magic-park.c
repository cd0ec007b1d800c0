/* SPDX-License-Identifier: Apache-2.0 */
/* %park: gives the device back until the next cell, and sets when that happens automatically. */
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "kernel/device/eviction.h"
#include "kernel/session/cell.h"
#include "kernel/session/magic.h"
#include "kernel/session/output.h"
#include "kernel/session/session.h"
#include "kernel/settings/size-text.h"
#include "kernel/settings/time-text.h"
#include "kernel/workers/worker-pool.h"

static void cancel(void *data)
{
	eviction_cancel(((struct session *)data)->supervisor);
}

static void put_parked(struct session *s, const struct eviction_state *p)
{
	char size[SIZE_TEXT_MAX];

	output_printf(&s->output, STREAM_STDOUT,
		      "Parked: %s of device memory are %s. The next cell brings them back.\n",
		      size_text(p->bytes, size), p->on_disk ? "on disk" : "in host memory");
}

static void on_evicted(void *data, const char *problem)
{
	struct session *s = data;
	struct eviction_state p;
	struct error err = ERROR_INIT;

	if (*problem) {
		error_set(&err, ERROR_STATE, "%%park: %s", problem);
		s->hooks->magic_done(s, &err);
		return;
	}
	eviction_holds_session(s->supervisor, &p);
	put_parked(s, &p);
	s->hooks->magic_done(s, NULL);
}

static int park(struct session *s, struct cell *c, struct error *err)
{
	cleanup_buffer struct buffer lost = BUFFER_INIT;
	struct eviction_state p;

	if (eviction_holds_session(s->supervisor, &p)) {
		put_parked(s, &p);
		return 0;
	}
	worker_pool_describe_losses(s->supervisor, &lost);
	if (eviction_start(s->supervisor, on_evicted, s, err))
		return -1;
	if (lost.len)
		output_printf(&s->output, STREAM_STDERR,
			      "This ends with the process and will not come back: %s\n",
			      buffer_text(&lost));
	c->cancel = cancel;
	c->cancel_data = s;
	return 1;
}

static void show(struct session *s, const struct eviction_state *p, bool parked)
{
	cleanup_buffer struct buffer lost = BUFFER_INIT;
	char text[TIME_TEXT_MAX];

	output_printf(&s->output, STREAM_STDOUT, "idle    %s\nwanted  %s\n",
		      time_text(p->rules.idle_ms, text), p->rules.when_wanted ? "on" : "off");
	if (!parked)
		worker_pool_describe_losses(s->supervisor, &lost);
	if (lost.len)
		output_printf(&s->output, STREAM_STDOUT,
			      "not by itself now, since this would be lost: %s\n",
			      buffer_text(&lost));
	if (parked)
		put_parked(s, p);
}

static int set_rule(struct eviction_rules *r, const char *what, const char *value,
		    struct error *err)
{
	bool on = !strcmp(value, "on");

	if (!strcmp(what, "idle"))
		return time_text_parse(value, &r->idle_ms, err);
	if (strcmp(what, "wanted"))
		return error_set(err, ERROR_INPUT, "\"%s\" is not one of idle, wanted", what);
	if (!on && strcmp(value, "off"))
		return error_set(err, ERROR_INPUT, "wanted is on or off, not \"%s\"", value);
	r->when_wanted = on;
	return 0;
}

static int run(struct session *s, struct cell *c, const struct magic_call *call, struct error *err)
{
	char *value = call->args, *what = magic_next_word(&value);
	struct eviction_state p;
	bool parked;

	value += strspn(value, " \t");
	if (!*what) {
		int rc = park(s, c, err);

		return rc < 0 ? error_wrap(err, "%%park") : rc;
	}
	parked = eviction_holds_session(s->supervisor, &p);
	if (strcmp(what, "status")) {
		if (set_rule(&p.rules, what, value, err))
			return error_wrap(err, "%%park");
		eviction_set_rules(s->supervisor, &p.rules);
	}
	show(s, &p, parked);
	return 0;
}

static enum magic_word complete(struct session *s, const char *before, magic_candidate *fn,
				void *data)
{
	(void)s;
	if (!*before)
		magic_offer("idle wanted status", fn, data);
	else if (!strcmp(before, "wanted "))
		magic_offer("on off", fn, data);
	return MAGIC_WORD_NONE;
}

const struct magic magic_park = {
	.name = "park",
	.alias = "",
	.forms = MAGIC_LINE | MAGIC_PARKED,
	.usage = "%park [idle|wanted VALUE]|[status]",
	.help = "Gives the device back until the next cell; its memory comes back at "
		"the same addresses.\n\n"
		"Meanwhile it is host memory, or on disk.\n\n"
		"- `%park idle 10min`: it is done after so long without a cell.\n"
		"- `%park wanted off`: it is not done when another notebook waits for "
		"memory.",
	.run = run,
	.complete = complete,
};
