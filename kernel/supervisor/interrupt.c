/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	asked: flag in the control area, SIGUSR1, both again every 5 ms   --- WORKER_CELL_END ---> committed, same worker
 *	    | 200 ms
 *	    v
 *	in a CUDA call, loading or settling the device  --------------------------------------> rolled back, next worker
 *	    | else
 *	    v
 *	stopped; inside the allocator: goes on for 1 ms, is stopped again, at most 50 times ---> rolled back, next worker
 *	    |
 *	    v
 *	committed as it stands, next worker
 */
#include "kernel/supervisor/interrupt.h"

#include <signal.h>

#include "common/error.h"
#include "common/log.h"
#include "common/worker-protocol.h"
#include "kernel/loop.h"
#include "kernel/supervisor/cell-run.h"
#include "kernel/supervisor/process.h"
#include "kernel/supervisor/supervisor-state.h"

#define INTERRUPT_MS 200
#define AGAIN_MS 5
#define STOP_MS 100
#define STOP_AGAIN_MS 1
#define STOP_TRIES 50

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
	cell_run_fail(s);
}

/* The worker is stopped. What it said before counts first: it may just have ended the cell. */
static void keep(struct supervisor *s, struct worker *w)
{
	while (w->state == WORKER_RUNNING && worker_receive_one(w, 0, NULL) > 0)
		continue;
	if (w->state != WORKER_RUNNING || s->run.phase != RUN_RUNNING) {
		worker_continue(w);
		return;
	}
	if (atomic_load(&w->control->fault.kind) == FAULT_INTERRUPTED)
		fault_report_from_record(&s->run.report, &w->control->fault, &s->units, 0, NULL);
	else
		fault_report_plain(&s->run.report, "Interrupted",
				   "the cell was stopped inside a library or system call", "");
	if (s->memcheck.on)
		roll_back(s, "the check was interrupted");
	else if (cell_run_keep(s, w))
		roll_back(s, "the cell was interrupted, and what it had done so far could not be kept");
}

static void stop(struct supervisor *s, struct worker *w)
{
	struct error err = ERROR_INIT;

	if (worker_stop(w, STOP_MS, &err)) {
		log_warning("%s", err.text);
		if (err.code != ERROR_PEER_GONE)
			roll_back(s, "the cell was interrupted inside a system call that cannot be stopped");
		return;
	}
	if (!atomic_load(&w->control->allocator_busy)) {
		keep(s, w);
		return;
	}
	worker_continue(w);
	if (++s->run.stop_tries < STOP_TRIES)
		again_in(s, STOP_AGAIN_MS);
	else
		roll_back(s, "the cell was interrupted inside its memory allocator");
}

static void on_tick(void *data)
{
	struct supervisor *s = data;
	struct worker *w = s->pool.active;
	uint32_t phase;

	s->run.interrupt_tick = NULL;
	if (s->run.phase != RUN_RUNNING || !w || w->state != WORKER_RUNNING)
		return;
	if (loop_now_ms() - s->run.interrupted_ms < INTERRUPT_MS) {
		ask(w);
		again_in(s, AGAIN_MS);
		return;
	}
	phase = atomic_load(&w->control->phase);
	if (phase == PHASE_RUNNING || phase == PHASE_INPUT)
		stop(s, w);
	else if (phase == PHASE_LOADING)
		roll_back(s, "the cell was interrupted while its code was loaded");
	else
		roll_back(s, "the cell was interrupted in a CUDA call that does not return; a CUDA kernel that never ends "
			  "can only be ended with its process");
}

void interrupt_start(struct supervisor *s)
{
	s->run.interrupt_late = s->run.phase == RUN_COMMITTING && s->run.checkpointing;
	if (s->run.phase != RUN_RUNNING || s->run.interrupted_ms)
		return;
	s->run.interrupted_ms = loop_now_ms();
	on_tick(s);
}

void interrupt_stop(struct supervisor *s)
{
	if (s->loop)
		loop_remove(s->loop, s->run.interrupt_tick);
	s->run.interrupt_tick = NULL;
}
