/* SPDX-License-Identifier: Apache-2.0 */
/* A reply comes before the event that the cell goes on, as the protocol has it. */
#include "kernel/debugger/debug-stops.h"

#include "common/base/error.h"
#include "kernel/debugger/debug-call.h"
#include "kernel/debugger/debug-cells.h"
#include "kernel/debugger/debug-conditions.h"
#include "kernel/protocol/publish.h"
#include "kernel/session/cell.h"
#include "kernel/session/request.h"
#include "kernel/session/session.h"
#include "kernel/show/utf8-json.h"
#include "kernel/supervisor/supervisor.h"

#define THREAD 1

bool debug_stops_wanted(const struct session *s)
{
	return s->debugger && s->debugger->is_started && DEBUG_STOPS;
}

void debug_stops_before_run(struct session *s, uint32_t number, const char *text)
{
	if (s->debugger)
		debug_cells_note_run(s, number, text);
}

static void send_event(struct session *s, const char *name, json_t *body)
{
	const struct request *cell = cell_at_work(s);

	if (!cell) {
		json_decref(body);
		return;
	}
	publish(&s->publisher, &cell->message, "debug_event",
		json_pack("{ss sI ss so}", "type", "event", "seq", ++s->debugger->seq, "event",
			  name, "body", body));
}

/* why: the condition of the breakpoint was not computed, so the cell stays; "": it was. */
static json_t *stopped(const struct session *s, const char *why)
{
	static const char *const reasons[] = { "breakpoint", "step", "pause", "exception" };
	enum debug_reason reason = supervisor_stop_reason(s->supervisor);
	json_t *body = json_pack("{ss sI sb}", "reason", reasons[reason], "threadId",
				 (json_int_t)THREAD, "allThreadsStopped", 1);

	if (reason == DEBUG_AT_FAULT)
		json_object_set_new(body, "text", utf8_json_text(supervisor_fault(s->supervisor)));
	else if (*why)
		json_object_set_new(body, "text", utf8_json_text(why));
	return body;
}

static void on_decided(struct session *s, bool stays, const char *why)
{
	if (!stays) {
		supervisor_resume(s->supervisor, DEBUG_PASS);
		return;
	}
	if (*why)
		output_printf(
			&s->output, STREAM_STDERR,
			"The condition of this breakpoint cannot be computed, so the cell stops "
			"here: %s\n",
			why);
	output_flush(&s->output);
	s->debugger->is_told = true;
	send_event(s, "stopped", stopped(s, why));
}

void debug_stops_on_stopped(struct session *s, bool stands)
{
	bool was_told;

	if (!s->debugger)
		return;
	was_told = s->debugger->is_told;
	s->debugger->is_told = false;
	if (stands)
		debug_conditions_decide(s, on_decided);
	else if (was_told)
		send_event(s, "continued",
			   json_pack("{sI sb}", "threadId", (json_int_t)THREAD,
				     "allThreadsContinued", 1));
}

/* ---- commands ---- */

static void go_on(struct session *s, int command)
{
	supervisor_resume(s->supervisor, (enum debug_command)command);
}

static int resume(struct debug_call *c, enum debug_command command, struct error *err)
{
	if (!supervisor_is_stopped(c->session->supervisor)) {
		c->word = "notStopped";
		return error_set(err, ERROR_STATE, "no cell stands at a breakpoint");
	}
	c->behind = go_on;
	c->behind_argument = command;
	c->body = json_pack("{sb}", "allThreadsContinued", 1);
	return 0;
}

int debug_stops_continue(struct debug_call *c, struct error *err)
{
	return resume(c, DEBUG_CONTINUE, err);
}

int debug_stops_next(struct debug_call *c, struct error *err)
{
	return resume(c, DEBUG_NEXT, err);
}

int debug_stops_step_in(struct debug_call *c, struct error *err)
{
	return resume(c, DEBUG_STEP_IN, err);
}

int debug_stops_step_out(struct debug_call *c, struct error *err)
{
	return resume(c, DEBUG_STEP_OUT, err);
}

int debug_stops_pause(struct debug_call *c, struct error *err)
{
	return supervisor_pause(c->session->supervisor, err);
}
