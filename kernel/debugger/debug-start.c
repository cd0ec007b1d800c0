/* SPDX-License-Identifier: Apache-2.0 */
/* A capability is told when it is there; one that is not told is not. Starting changes nothing in
 * the session: front ends show their panel when it has happened. */
#include "kernel/debugger/debug-start.h"

#include <string.h>

#include <jansson.h>

#include "kernel/debugger/debug-call.h"
#include "kernel/debugger/debug-cells.h"
#include "kernel/session/session.h"
#include "kernel/settings/language.h"
#include "kernel/settings/options.h"
#include "kernel/supervisor/supervisor.h"

int debug_start_info(struct debug_call *c, struct error *err)
{
	char prefix[DEBUG_CELLS_PREFIX_SIZE];
	json_t *stopped = json_array();

	(void)err;
	if (supervisor_is_stopped(c->session->supervisor))
		json_array_append_new(stopped, json_integer(1));
	debug_cells_prefix(c->session, prefix);
	c->body = json_pack("{sb ss sI ss ss so so sb s[]}", "isStarted", c->debugger->is_started,
			    "hashMethod", "Murmur2", "hashSeed", (json_int_t)DEBUG_CELLS_SEED,
			    "tmpFilePrefix", prefix, "tmpFileSuffix",
			    c->session->options->language->file_extension, "breakpoints",
			    debug_cells_breakpoints(c->debugger), "stoppedThreads", stopped,
			    "richRendering", 1, "exceptionPaths");
	return 0;
}

int debug_start_initialize(struct debug_call *c, struct error *err)
{
	(void)err;
	c->debugger->is_started = true;
	c->debugger->is_for_jupyterlab = !strcmp(debug_call_text(c, "clientID"), "jupyterlab");
	c->body = json_pack("{sb sb sb sb sb s[{ss ss sb}]}", "supportsConfigurationDoneRequest", 1,
			    "supportsModulesRequest", 1, "supportsTerminateRequest", 1,
			    "supportsEvaluateForHovers", 1, "supportsConditionalBreakpoints", 1,
			    "exceptionBreakpointFilters", "filter", DEBUG_FILTER_FAULT, "label",
			    "Stop where a cell fails", "default", 0);
	return 0;
}

/* Clients that follow the protocol send their breakpoints when they hear of this event. */
int debug_start_attach(struct debug_call *c, struct error *err)
{
	(void)err;
	c->debugger->is_started = true;
	c->event = "initialized";
	return 0;
}

/* Nobody is there to let it go on. */
static void go_on(struct session *s, int argument)
{
	(void)argument;
	supervisor_stop_at_faults(s->supervisor, false);
	supervisor_resume(s->supervisor, DEBUG_GIVE_UP);
}

int debug_start_disconnect(struct debug_call *c, struct error *err)
{
	(void)err;
	c->debugger->is_started = false;
	c->behind = go_on;
	return 0;
}

int debug_start_threads(struct debug_call *c, struct error *err)
{
	(void)err;
	c->body = json_pack("{s[{si ss}]}", "threads", "id", 1, "name", "cells");
	return 0;
}

int debug_start_modules(struct debug_call *c, struct error *err)
{
	(void)err;
	c->body = json_pack("{s[] si}", "modules", "totalModules", 0);
	return 0;
}

int debug_start_nothing(struct debug_call *c, struct error *err)
{
	(void)c;
	(void)err;
	return 0;
}
