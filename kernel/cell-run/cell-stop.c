/* SPDX-License-Identifier: Apache-2.0 */
/* The breakpoints are copied into the control area when the worker does not read there. */
#define _GNU_SOURCE
#include "kernel/cell-run/cell-stop.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/record.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/base/process.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/workers/output-drain.h"
#include "kernel/workers/worker-pool.h"
#include "kernel/workers/worker.h"

void cell_stop_set(struct supervisor *s, const struct debug_breakpoint *at, size_t n)
{
	s->stop->n = (uint32_t)(n < DEBUG_BREAKPOINTS_MAX ? n : DEBUG_BREAKPOINTS_MAX);
	memcpy(s->stop->at, at, s->stop->n * sizeof(*at));
}

void cell_stop_set_condition(struct supervisor *s, uint32_t condition, const void *bytes,
			     size_t len)
{
	struct debug_stop_conditions *c = &s->stop->conditions;
	uint32_t i = condition - 1;

	c->len[i] = len <= sizeof(c->bytes[i]) ? (uint32_t)len : 0;
	memcpy(c->bytes[i], bytes, c->len[i]);
}

static void copy_conditions(const struct debug_stop_conditions *from,
			    struct debug_stop_conditions *to)
{
	memcpy(to->len, from->len, sizeof(to->len));
	for (size_t i = 0; i < DEBUG_CONDITIONS_MAX; i++)
		memcpy(to->bytes[i], from->bytes[i], from->len[i]);
}

void cell_stop_begin(struct supervisor *s, struct worker *w)
{
	struct debug_stop *d = &w->control->debug;

	atomic_store(&d->pause, 0);
	memcpy(d->at, s->stop->at, s->stop->n * sizeof(d->at[0]));
	d->n = s->stop->n;
	copy_conditions(&s->stop->conditions, &d->conditions);
	d->thread = s->stop->thread;
	s->stop->holds_faults = s->run.options.debugged && s->stop->stops_at_faults;
	d->holds_faults = s->stop->holds_faults;
}

static void stand(struct supervisor *s, struct worker *w, enum debug_reason reason)
{
	s->stop->is_stopped = true;
	s->stop->reason = reason;
	s->stop->number++;
	output_drain(s, w);
	if (s->cb->on_stopped)
		s->cb->on_stopped(s->cb_data, true);
}

int cell_stop_on_stopped(struct supervisor *s, struct worker *w, struct record *r,
			 struct error *err)
{
	uint8_t reason = record_u8(r);
	uint32_t condition = record_u32(r);

	if (record_check(r, "WORKER_STOPPED", err))
		return -1;
	if (!s->run.options.debugged || s->stop->is_stopped || reason > DEBUG_AT_PAUSE)
		return error_set(err, ERROR_PROTOCOL, "a cell stops that cannot");
	s->stop->condition = condition <= DEBUG_CONDITIONS_MAX ? condition : 0;
	stand(s, w, (enum debug_reason)reason);
	/* It was interrupted while it came here. */
	if (s->run.interrupted)
		cell_stop_resume(s, DEBUG_GIVE_UP);
	return 0;
}

bool cell_stop_at_fault(struct supervisor *s, struct worker *w)
{
	if (!s->stop->holds_faults || s->run.interrupted || s->run.asked_where)
		return false;
	s->stop->condition = 0;
	stand(s, w, DEBUG_AT_FAULT);
	return true;
}

int cell_stop_read(const struct supervisor *s, uint64_t address, void *ret, size_t len)
{
	return process_read(s->pool->active->pid, address, ret, len) ? 0 : -1;
}

void cell_stop_end(struct supervisor *s)
{
	if (!s->stop->is_stopped)
		return;
	s->stop->is_stopped = false;
	s->stop->number++;
	if (s->cb->on_stopped)
		s->cb->on_stopped(s->cb_data, false);
}

int cell_stop_pause(struct supervisor *s, struct error *err)
{
	struct worker *w = s->pool->active;

	if (s->stop->is_stopped)
		return error_set(err, ERROR_STATE, "the cell stands already");
	if (!w || s->run.phase != RUN_RUNNING || !s->run.options.debugged)
		return error_set(err, ERROR_STATE, "no cell runs that can be stopped");
	atomic_store(&w->control->debug.pause, 1);
	atomic_fetch_add(&w->control->debug.pauses, 1);
	if (syscall(SYS_tgkill, w->pid, w->pid, SIGTRAP))
		return error_errno(err, "the cell cannot be told to stop");
	return 0;
}

void cell_stop_resume(struct supervisor *s, enum debug_command command)
{
	struct worker *w = s->pool->active;
	bool at_fault = s->stop->reason == DEBUG_AT_FAULT;

	if (!s->stop->is_stopped)
		return;
	cell_stop_end(s);
	if (!w || s->run.phase != RUN_RUNNING)
		return;
	if (at_fault) {
		s->hooks->fail(s);
		return;
	}
	cell_stop_begin(s, w);
	debug_stop_resume(w->control, command);
}
