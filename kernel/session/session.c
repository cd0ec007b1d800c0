/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and releases the parts of a session, in this order. */
#include "kernel/session/session.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "kernel/base/loop.h"
#include "kernel/protocol/wire.h"
#include "kernel/session/history.h"
#include "kernel/session/packages.h"
#include "kernel/settings/limits.h"
#include "kernel/settings/options.h"
#include "kernel/supervisor/supervisor.h"

#define LOCKED_TIME_MS (15 * 60 * 1000)

int session_init(struct session *s, const struct options *options,
		 const struct connection_file *connection, struct loop *loop,
		 struct supervisor *supervisor, struct channels *channels, struct history *history,
		 struct error *err)
{
	bool is_locked = supervisor_profile(supervisor) >= PROFILE_LOCKED;
	struct error problem = ERROR_INIT;

	memset(s, 0, sizeof(*s));
	if (wire_init(&s->wire, connection->scheme, connection->key, err))
		return -1;
	s->wire.loop = loop;
	s->options = options;
	s->connection = connection;
	s->loop = loop;
	s->supervisor = supervisor;
	s->channels = channels;
	s->publisher = (struct publisher){ &s->wire, channels, &s->replay };
	/* %cflags shows that there are none, so the session goes on without. */
	if (flags_set(&s->flags, FLAGS_C, options->cflags, &problem))
		log_error("the flags of --cflags are not used: %s", problem.text);
	output_init(&s->output, s, options->output_limit);
	comms_init(&s->comms, &s->publisher, supervisor, loop);
	s->time_limit.ms = limits_apply(supervisor_ceilings(supervisor), LIMIT_TIME,
					options->time_limit, is_locked ? LOCKED_TIME_MS : 0, 0);
	s->time_limit.most = is_locked ? s->time_limit.ms : 0;
	s->gpu_card.meter = (struct gpu_meter)GPU_METER_INIT;
	s->history = history;
	if (history)
		supervisor_keep(supervisor, history_process(history));
	return 0;
}

void session_release(struct session *s)
{
	output_release(&s->output);
	comms_release(&s->comms);
	replay_release(&s->replay);
	declarations_release(&s->declarations);
	undo_release(&s->undo);
	setup_release(&s->setup);
	supervisor_keep(s->supervisor, NULL);
	history_free(s->history);
	gpu_card_release(s);
	packages_release(s);
	flags_release(&s->flags);
	cuda_groups_release(&s->cuda_groups);
	wire_release(&s->wire);
}

void session_tell_declarations(struct session *s)
{
	struct declaration_change *list;
	struct error err = ERROR_INIT;
	size_t total, n;
	int rc = declarations_take_changes(&s->declarations, &total, &list, &n, &err);

	if (rc < 0)
		log_error("declarations: %s", err.text);
	if (rc <= 0)
		return;
	supervisor_declare(s->supervisor, total, list, n);
	free(list);
}
