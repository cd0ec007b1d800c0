/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	asked: flag in the control area, SIGUSR1, both again every 5 ms
 *	    |     --- WORKER_CELL_END ------------------------------------> set aside, next worker
 *	    | 200 ms
 *	    v
 *	in a CUDA call, loading or settling the device -------------------> rolled back, next worker
 *	    | else
 *	    v
 *	told to stop, looked at every ms; stands still inside the allocator: goes on for 1 ms
 *	    |                          | 100 ms
 *	    |                          +----------------------------------> rolled back, next worker
 *	    v
 *	set aside, next worker
 *
 * Set aside: rolled back, and what the cell has done is kept as the redo image (set-aside.h). With
 * `%interrupt keep` it is committed as it stands instead.
 *
 * Times are those of kernel/base/cpu-deadline.h: on a loaded machine the worker has as much of
 * them as on an idle one.
 */
#include "kernel/cell-run/interrupt.h"

#include <signal.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/base/cpu-deadline.h"
#include "kernel/base/loop.h"
#include "kernel/base/process.h"
#include "kernel/cell-run/cell-stop.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/faults/fault-report.h"
#include "kernel/workers/presenter-client.h"
#include "kernel/workers/worker-pool.h"
#include "kernel/workers/worker.h"

#define INTERRUPT_MS 200
#define AGAIN_MS 5
#define STOP_MS 100
#define STOP_AGAIN_MS 1

static void on_tick(void *data);

static void again_in(struct supervisor *s, uint64_t ms)
{
	s->run.interrupt_tick = loop_add_timer(s->loop, ms, on_tick, s);
}

static void ask(struct worker *w)
{
	atomic_store(&w->control->interrupt, 1);
	pidfd_signal(w->pidfd, SIGUSR1);
}

static void roll_back(struct supervisor *s, const char *why)
{
	fault_report_plain(&s->run.report, "Interrupted", why, "");
	s->hooks->fail(s);
}

/* Ends the cell, whose worker stands still in a state that is a session. Its pending messages count
 * first: it may just have ended the cell. */
static void end_stopped(struct supervisor *s, struct worker *w)
{
	while (w->state == WORKER_RUNNING && worker_receive_one(w, 0, NULL) > 0)
		continue;
	if (w->state != WORKER_RUNNING || s->run.phase != RUN_RUNNING) {
		worker_continue(w);
		return;
	}
	if (atomic_load(&w->control->fault.kind) == FAULT_INTERRUPTED)
		presenter_client_report_gone(s->presenter, w, &s->units, &s->run.report);
	else
		fault_report_plain(&s->run.report, "Interrupted",
				   "the cell was stopped inside a library or system call", "");
	if (s->run.discarded)
		roll_back(s, "the check was interrupted");
	else if (s->run.options.debugged) /* breakpoints may be in its code */
		roll_back(s, "the debugged cell was interrupted");
	else if (!s->interrupt_keeps)
		s->hooks->set_aside(s, w);
	else if (s->hooks->keep(s, w))
		roll_back(
			s,
			"the cell was interrupted, and what it had done so far could not be kept");
}

/* Tells whether memory in this phase is a valid session. */
static bool may_be_kept(uint32_t phase)
{
	return phase == PHASE_RUNNING || phase == PHASE_INPUT;
}

static void roll_back_in(struct supervisor *s, uint32_t phase)
{
	roll_back(s, phase == PHASE_LOADING
			     ? "the cell was interrupted while its code was loaded"
			     : "the cell was interrupted in a CUDA call that does not return; a "
			       "CUDA kernel that never ends can only be ended with its process");
}

/* Polls a worker that was told to stop. */
static void look_at_stop(struct supervisor *s, struct worker *w)
{
	bool late = cpu_deadline_used_ms(&s->run.interrupt_deadline) > STOP_MS;
	uint32_t phase;
	int stands = worker_has_stopped(w, NULL);

	/* The pidfd reports its death. */
	if (stands < 0)
		return;
	if (!stands) {
		if (late)
			roll_back(s, "the cell was interrupted inside a system call that cannot be "
				     "stopped");
		else
			again_in(s, STOP_AGAIN_MS);
		return;
	}
	/* From here on nothing may continue the worker: memory that is kept must not be written any
	 * more. */
	s->run.interrupt_stops = false;
	phase = atomic_load(&w->control->phase);
	if (may_be_kept(phase) && !atomic_load(&w->control->allocator_busy)) {
		end_stopped(s, w);
	} else if (!late) {
		worker_continue(w);
		again_in(s, STOP_AGAIN_MS);
	} else if (may_be_kept(phase)) {
		roll_back(s, "the cell was interrupted inside its memory allocator");
	} else {
		roll_back_in(s, phase);
	}
}

static void stop(struct supervisor *s, struct worker *w)
{
	struct error err = ERROR_INIT;

	if (worker_stop(w, &err)) {
		log_warning("%s", err.text); /* it has ended */
		return;
	}
	s->run.interrupt_stops = true;
	look_at_stop(s, w);
}

/* The time in which the cell could end by itself is over. */
static void be_late(struct supervisor *s, struct worker *w)
{
	uint32_t phase = atomic_load(&w->control->phase);

	if (!may_be_kept(phase)) {
		roll_back_in(s, phase);
		return;
	}
	s->run.interrupt_is_late = true;
	cpu_deadline_begin(&s->run.interrupt_deadline, w->pid, CPU_DEADLINE_ANSWER);
	stop(s, w);
}

static void on_tick(void *data)
{
	struct supervisor *s = data;
	struct worker *w = s->pool->active;

	s->run.interrupt_tick = NULL;
	if (s->run.phase != RUN_RUNNING || !w || w->state != WORKER_RUNNING) {
		interrupt_stop(s);
	} else if (s->run.interrupt_stops) {
		look_at_stop(s, w);
	} else if (s->run.interrupt_is_late) {
		stop(s, w);
	} else if (cpu_deadline_used_ms(&s->run.interrupt_deadline) < INTERRUPT_MS) {
		ask(w);
		again_in(s, AGAIN_MS);
	} else {
		be_late(s, w);
	}
}

void interrupt_start(struct supervisor *s)
{
	bool at_checkpoint = s->run.phase == RUN_COMMITTING && s->run.checkpointing;

	if (s->run.phase != RUN_RUNNING && s->run.phase != RUN_WAITING && !at_checkpoint)
		return;
	s->run.interrupted = true;
	cell_stop_resume(s, DEBUG_GIVE_UP);
	interrupt_go_on(s);
}

void interrupt_go_on(struct supervisor *s)
{
	struct worker *w = s->pool->active;

	if (!s->run.interrupted || s->run.interrupt_tick || s->run.phase != RUN_RUNNING || !w)
		return;
	s->run.interrupt_is_late = false;
	cpu_deadline_begin(&s->run.interrupt_deadline, w->pid, CPU_DEADLINE_ANSWER);
	on_tick(s);
}

void interrupt_stop(struct supervisor *s)
{
	if (s->loop)
		loop_remove(s->loop, s->run.interrupt_tick);
	s->run.interrupt_tick = NULL;
	if (s->run.interrupt_stops && s->pool->active)
		worker_continue(s->pool->active);
	s->run.interrupt_stops = false;
}
