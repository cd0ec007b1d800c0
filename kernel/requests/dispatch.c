/* SPDX-License-Identifier: Apache-2.0 */
/* The way of a request: a readable socket, a message, the row of requests.def, busy, the handler,
 * idle. */
#include "kernel/requests/dispatch.h"

#include <string.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "kernel/base/loop.h"
#include "kernel/debugger/debug-request.h"
#include "kernel/protocol/connection-file.h"
#include "kernel/protocol/publish.h"
#include "kernel/protocol/wire.h"
#include "kernel/requests/comm.h"
#include "kernel/requests/complete.h"
#include "kernel/requests/control.h"
#include "kernel/requests/execute.h"
#include "kernel/requests/info.h"
#include "kernel/requests/introspect.h"
#include "kernel/session/history.h"
#include "kernel/session/input.h"
#include "kernel/session/request.h"
#include "kernel/session/session-state.h"
#include "kernel/session/session.h"
#include "kernel/session/subshells.h"
#include "kernel/settings/options.h"
#include "kernel/supervisor/supervisor.h"

enum { SHELL = 1 << CHANNEL_SHELL, CONTROL = 1 << CHANNEL_CONTROL };

static const struct {
	const char *type;
	unsigned channels;
	void (*handle)(struct request *r);
} requests[] = {
#define REQUEST(type, channels, handler) { #type, channels, handler },
#include "kernel/requests/requests.def"
#undef REQUEST
};

/* Tells whether the request is for a subshell that is not there, and answers it then. */
static bool refuse_subshell(struct session *s, struct request *r)
{
	struct error err = ERROR_INIT;

	if (r->channel != CHANNEL_SHELL || subshells_of(&s->executor.subshells, &r->message, &err))
		return false;
	request_begin(r);
	request_fail(r, "UnknownSubshell", err.text);
	request_end(r);
	return true;
}

/* Tells whether the request waits for its turn among the cells, when `busy` is published. */
static bool waits(void (*handle)(struct request *r))
{
	return handle == execute_request || handle == comm_open || handle == comm_msg ||
	       handle == comm_close;
}

static void dispatch(struct session *s, enum channel channel, struct message *m)
{
	struct request *r = request_new(s, channel, m);
	size_t i;

	if (!r) {
		log_error("%s: out of memory, a %s is dropped", channel_name(channel), m->type);
		message_release(m);
		return;
	}
	for (i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		if ((requests[i].channels & 1u << channel) &&
		    !strcmp(requests[i].type, r->message.type))
			break;
	if (i == sizeof(requests) / sizeof(requests[0])) {
		log_info("%s: %s is not known", channel_name(channel), r->message.type);
		request_begin(r);
		request_end(r);
		return;
	}
	if (refuse_subshell(s, r))
		return;
	if (waits(requests[i].handle)) {
		requests[i].handle(r);
		return;
	}
	request_begin(r);
	requests[i].handle(r);
	if (!r->kept)
		request_end(r);
}

static void refuse(struct session *s, enum channel channel, const struct error *err)
{
	/* Log only every power of two, so that an attacker cannot fill the log. */
	if (!(s->wire.refused & (s->wire.refused - 1)))
		log_warning("%s: message refused: %s (%llu so far)", channel_name(channel),
			    err->text, (unsigned long long)s->wire.refused);
}

void dispatch_drain(struct session *s, enum channel channel)
{
	struct error err = ERROR_INIT;
	struct message m;
	int rc;

	while ((rc = wire_receive(&s->wire, s->channels->sockets[channel], &m, &err))) {
		if (rc < 0)
			refuse(s, channel, &err);
		else if (channel == CHANNEL_STDIN)
			input_reply(s, &m);
		else
			dispatch(s, channel, &m);
	}
}

static void on_shell(void *data)
{
	dispatch_drain(data, CHANNEL_SHELL);
}

static void on_control(void *data)
{
	dispatch_drain(data, CHANNEL_CONTROL);
}

static void on_stdin(void *data)
{
	dispatch_drain(data, CHANNEL_STDIN);
}

static void on_subscription(void *data)
{
	struct session *s = data;

	publish_welcomes(&s->publisher);
}

void dispatch_start(struct session *s)
{
	static loop_fn *const readers[CHANNELS] = {
		[CHANNEL_SHELL] = on_shell,
		[CHANNEL_CONTROL] = on_control,
		[CHANNEL_STDIN] = on_stdin,
		[CHANNEL_IOPUB] = on_subscription,
	};
	char folder[4096];

	for (int i = 0; i < CHANNELS; i++)
		if (readers[i])
			s->sources[i] =
				loop_add_socket(s->loop, s->channels->sockets[i], readers[i], s);
	session_state_folder(folder, sizeof(folder));
	if (*folder && supervisor_profile(s->supervisor) < PROFILE_LOCKED)
		snapshots_keep(s->supervisor, folder, s->options->autosave, session_state_describe,
			       s);
	s->hooks = &execute_hooks;
	supervisor_start(s->supervisor, s->loop, &execute_callbacks, s);
	publish_status(&s->publisher, NULL, "starting");
}

void dispatch_stop(struct session *s)
{
	snapshots_end_all(s->supervisor);
	for (int i = 0; i < CHANNELS; i++)
		loop_remove(s->loop, s->sources[i]);
	execute_release(&s->executor);
	debug_request_release(s);
}
