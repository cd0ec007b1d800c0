/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	 NONE ---- cell_run_start() ----> WAITING ---- the session is held by a worker ----> RUNNING
 *	  ^                                  |                                                  |
 *	  |                                  | interrupted, or no worker can be had             |
 *	  |                                  v                                                  |
 *	  +------------------------------ finish() <----- commit: WORKER_CELL_END, ok ----------+
 *	  |                                  ^                                     much to copy |
 *	  |                                  +---------- copied ---------- COMMITTING <---------+
 *	  |                                             not copied: RUNNING, and failed  |      |
 *	  |         cell_run_fail(), cell_run_set_aside(), cell_run_keep(), death of the worker |
 *	  +-- finish(), when the next worker holds the session ----- ENDED <--------------------+
 *
 * The outcome is decided when RUNNING is left; nothing that the old worker still says changes it.
 */
#include "kernel/cell-run/cell-run.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "common/base/bug.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/protocol/ipc.h"
#include "common/protocol/run-options.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/base/background-task.h"
#include "kernel/base/closer.h"
#include "kernel/base/loop.h"
#include "kernel/base/process.h"
#include "kernel/cell-run/cell-stop.h"
#include "kernel/cell-run/checker.h"
#include "kernel/cell-run/device-messages.h"
#include "kernel/cell-run/in-place.h"
#include "kernel/cell-run/interrupt.h"
#include "kernel/cell-run/leak-watch.h"
#include "kernel/cell-run/rest.h"
#include "kernel/cell-run/set-aside.h"
#include "kernel/cell-run/watchdog.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/device/cap-watch.h"
#include "kernel/device/closings.h"
#include "kernel/device/device-share.h"
#include "kernel/device/eviction.h"
#include "kernel/device/scratch.h"
#include "kernel/device/version-watch.h"
#include "kernel/disk/autosave.h"
#include "kernel/disk/snapshots.h"
#include "kernel/faults/fault-report.h"
#include "kernel/faults/memcheck.h"
#include "kernel/settings/size-text.h"
#include "kernel/state/arena-file.h"
#include "kernel/state/commit.h"
#include "kernel/state/device-memory.h"
#include "kernel/state/shadow-copy.h"
#include "kernel/state/snapshot.h"
#include "kernel/state/undo-log.h"
#include "kernel/units/compiled-unit.h"
#include "kernel/units/unit-table.h"
#include "kernel/workers/orphans.h"
#include "kernel/workers/output-drain.h"
#include "kernel/workers/presenter-client.h"
#include "kernel/workers/question.h"
#include "kernel/workers/worker-pool.h"
#include "kernel/workers/worker.h"

#define ROLLED_BACK                                                                                \
	"The cell was rolled back: variables, heap and device memory are as they were before it."
#define KEPT "What the cell had done so far is kept."
#define CHECKPOINT "The cell was rolled back to its checkpoint%s: what it did up to there is kept."
#define REAP_EVERY 16
#define DEATH_MS 2000 /* from the end of a process's memory to the end of the process */

static void stop_timers(struct supervisor *s)
{
	device_share_stop(s);
	watchdog_stop(s);
	interrupt_stop(s);
	cell_stop_end(s);
}

/* Ends the cell and calls the callback, which may start the next cell, so the state of this one is
 * moved away first. */
static void finish(struct supervisor *s)
{
	struct cell_run done = s->run;
	struct cell_end end = done.end;

	stop_timers(s);
	s->run = (struct cell_run){ .phase = RUN_NONE, .cell = done.cell };
	s->memcheck.on = false;
	checker_end(s);
	rest_begin(s);
	device_share_settle(s);
	autosave_note_commit(s);
	end.ename = done.report.ename;
	end.evalue = buffer_text(&done.report.evalue);
	end.traceback = buffer_text(&done.report.traceback);
	end.missing = done.report.missing;
	end.warnings = buffer_text(&done.warnings);
	end.restored = buffer_text(&done.restored);
	end.profile = done.profile.len ? &done.profile : NULL;
	end.no_profile = buffer_text(&done.no_profile);
	end.trace = done.trace.len ? &done.trace : NULL;
	end.no_trace = buffer_text(&done.no_trace);
	if (end.ok && done.has_result)
		s->cb->on_output(s->cb_data, OUTPUT_RESULT, buffer_text(&done.result),
				 done.result.len);
	s->cb->on_cell_end(s->cb_data, &end);
	compiled_unit_release(done.unit);
	dirty_ranges_release(&done.given_back);
	buffer_release(&done.dropped);
	buffer_release(&done.delivery);
	buffer_release(&done.unsaved);
	buffer_release(&done.profile);
	buffer_release(&done.no_profile);
	buffer_release(&done.trace);
	buffer_release(&done.no_trace);
	buffer_release(&done.result);
	buffer_release(&done.warnings);
	buffer_release(&done.restored);
	fault_report_release(&done.report);
	fault_report_release(&done.trouble);
}

/* Ends the cell when its freed memory is available, here and to other kernels; that is part of
 * `ok`. */
static void finish_when_free(struct supervisor *s)
{
	if (closings_are_done(s)) {
		finish(s);
		return;
	}
	s->run.phase = RUN_ENDED;
	stop_timers(s);
}

void cell_run_release(struct supervisor *s)
{
	stop_timers(s);
	checker_end(s);
	background_task_join(&s->task, NULL);
	in_place_release(s);
	compiled_unit_release(s->run.unit);
	dirty_ranges_release(&s->run.given_back);
	buffer_release(&s->run.dropped);
	buffer_release(&s->run.delivery);
	buffer_release(&s->run.unsaved);
	buffer_release(&s->run.profile);
	buffer_release(&s->run.no_profile);
	buffer_release(&s->run.trace);
	buffer_release(&s->run.no_trace);
	buffer_release(&s->run.result);
	buffer_release(&s->run.warnings);
	buffer_release(&s->run.restored);
	fault_report_release(&s->run.report);
	fault_report_release(&s->run.trouble);
}

/* Reports blocks that a cell under %%nosnapshot has overwritten: their old content is lost for this
 * rollback and for any undo. */
static void report_unsaved(struct supervisor *s)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	if (!s->run.unsaved.len)
		return;
	undo_log_clear(&s->snapshot.undo);
	snapshot_touch(&s->snapshot);
	buffer_printf(&text,
		      "Not rolled back, because of %s: the content of these blocks may be what the "
		      "cell made of it, in part.\n%s",
		      !s->run.options.unsaved ? "`%gpu rollback off`"
		      : s->device_rollback == DEVICE_ROLLBACK_OFF
			      ? "%%nosnapshot and `%gpu rollback off`"
			      : "%%nosnapshot",
		      buffer_text(&s->run.unsaved));
	fault_report_add(&s->run.report, buffer_text(&text));
	buffer_clear(&s->run.unsaved);
}

static void add_outcome(struct supervisor *s, bool rolled_back)
{
	char text[200], line[64] = "";

	if (rolled_back)
		report_unsaved(s);

	if (s->run.checkpoint_line)
		snprintf(line, sizeof(line), " in line %u", s->run.checkpoint_line);
	if (s->run.checkpoints > 1)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), ", the last of %u",
			 s->run.checkpoints);
	if (rolled_back && s->run.end.checkpointed) {
		snprintf(text, sizeof(text), CHECKPOINT, line);
		fault_report_add(&s->run.report, text);
	} else {
		fault_report_add(&s->run.report, rolled_back ? ROLLED_BACK : KEPT);
	}
}

/* RUNNING -> ENDED. */
static void decide(struct supervisor *s, bool interrupted, bool rolled_back)
{
	s->run.phase = RUN_ENDED;
	s->run.end.ok = false;
	s->run.end.interrupted = interrupted;
	s->run.end.rolled_back = rolled_back;
	add_outcome(s, rolled_back);
	stop_timers(s);
	if (rolled_back)
		unit_table_drop(&s->units);
}

void cell_run_fail(struct supervisor *s)
{
	if (s->run.phase != RUN_RUNNING)
		BUG("a cell failed in phase %d", s->run.phase);
	if (s->pool->active)
		output_drain(s, s->pool->active);
	decide(s, s->run.interrupted, true);
	worker_pool_retire(s);
}

void cell_run_set_aside(struct supervisor *s, struct worker *w)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	struct error err = ERROR_INIT;

	output_drain(s, w);
	s->run.end.set_aside = !set_aside(s, w, &err);
	if (s->run.end.set_aside)
		set_aside_put(s, &text);
	else
		buffer_printf(&text, "What it had done is not set aside: %s.", err.text);
	decide(s, true, true);
	fault_report_add(&s->run.report, buffer_text(&text));
	worker_pool_retire(s);
}

/* ---- start ---- */

static void put_names(struct buffer *out, const struct buffer *names)
{
	const char *end = buffer_text(names) + names->len;
	uint32_t n = 0;

	for (const char *at = buffer_text(names); at < end; at += strlen(at) + 1)
		n++;
	record_put_u32(out, n);
	for (const char *at = buffer_text(names); at < end; at += strlen(at) + 1)
		record_put_str(out, at);
}

/* Options of the run. A cell that is discarded in any case need not write in place. */
static struct run_options options_of(const struct supervisor *s)
{
	struct run_options o = s->run.options;

	o.checked = s->memcheck.on;
	o.unsaved &= !s->run.discarded;
	return o;
}

static void take_unsaved(struct supervisor *s, struct record *r)
{
	uint32_t n = record_count(r, 25);
	char size[SIZE_TEXT_MAX];

	for (uint32_t i = 0; i < n; i++) {
		uint64_t address = record_u64(r), bytes = record_u64(r);
		uint32_t cell = record_u32(r);
		const char *name = record_str(r);

		buffer_printf(&s->run.unsaved, "  %s%s%s, %s at %#llx, made in cell %u\n",
			      *name ? "`" : "a block", name, *name ? "`" : "",
			      size_text(bytes, size), (unsigned long long)address, cell);
	}
}

/* Takes a profile or a trace, or the reason why there is none. */
static void take_findings(struct record *r, struct buffer *ret, struct buffer *ret_none)
{
	size_t len;
	const char *problem = record_str(r), *bytes = record_bytes(r, &len);

	buffer_clear(ret);
	buffer_clear(ret_none);
	buffer_puts(ret_none, problem);
	buffer_append(ret, bytes, len);
}

static void begin(struct supervisor *s)
{
	struct worker *w = s->pool->active;
	const char *text = s->units.records[s->units.n - 1].text;
	struct run_options options;
	struct buffer b = BUFFER_INIT;
	struct error err = ERROR_INIT;
	int failed;

	atomic_store(&w->control->fault.kind, FAULT_NONE);
	atomic_store(&w->control->interrupt, 0);
	/* The worker has not seen the cell yet, and may not have set this phase after the last
	 * one. */
	atomic_store(&w->control->phase, PHASE_IDLE);
	if (getrandom(&s->run.number, sizeof(s->run.number), 0) != sizeof(s->run.number))
		BUG("getrandom() gave no number");
	record_put_u64(&b, s->run.number);
	record_put_bytes(&b, s->run.unit->encoded.data, s->run.unit->encoded.len);
	put_names(&b, &s->run.dropped);
	record_put_u64(&b, s->leaks->next_id);
	record_put_str(&b, text ? text : "");
	buffer_clear(&s->run.unsaved);
	version_watch_cell(s);
	s->run.discarded = s->run.options.discarded || s->memcheck.on || w->checks;
	options = options_of(s);
	in_place_before_cell(s, w);
	cell_stop_begin(s, w);
	run_options_put(&options, &b);
	record_put_bytes(&b, s->run.delivery.data, s->run.delivery.len);
	memcheck_put_units(&s->memcheck, &b);
	/* A snapshot must not read memory that a cell writes in place. */
	if (options.unsaved)
		snapshot_touch(&s->snapshot);
	undo_log_drop_redo(&s->snapshot.undo);
	failed = buffer_check(&b, &err) ||
		 worker_send(w, WORKER_RUN, b.data, b.len,
			     options.unsaved ? &s->snapshot.arena.fd : NULL, &err);
	buffer_release(&b);
	if (failed) {
		/* The worker died while idle; the next one runs the cell. */
		log_info("worker %d cannot run the cell: %s", (int)w->pid, err.text);
		worker_kill(w);
		return;
	}
	w->state = WORKER_RUNNING;
	s->run.phase = RUN_RUNNING;
	device_share_begin(s);
	watchdog_start(s);
	interrupt_go_on(s);
	presenter_client_prepare(s->presenter);
}

void cell_run_start(struct supervisor *s, struct compiled_unit *unit, const struct buffer *dropped,
		    const struct run_options *options)
{
	struct error err = ERROR_INIT;

	if (s->run.phase != RUN_NONE)
		BUG("a cell is started while another one runs");
	s->run.phase = RUN_WAITING;
	s->run.options = *options;
	autosave_note_run(s);
	s->run.unit = compiled_unit_keep(unit);
	buffer_append(&s->run.dropped, buffer_text(dropped), dropped->len);
	if (buffer_check(&s->run.dropped, &err) || memcheck_begin(&s->memcheck, &s->units, &err) ||
	    unit_table_begin(&s->units, &unit->unit, s->cell_text, &err)) {
		fault_report_plain(&s->run.report, "InternalError", err.text, "");
		s->run.end.rolled_back = true;
		unit_table_drop(&s->units);
		finish(s);
		return;
	}
	s->run.cell = unit->unit.cell;
	leak_watch_note(s->leaks, s->run.cell, s->cell_text);
	eviction_wake(s);
	cell_run_go_on(s);
}

void cell_run_go_on(struct supervisor *s)
{
	if (s->run.phase == RUN_WAITING && worker_pool_is_ready(s) && !autosave_holds(s) &&
	    in_place_before_run(s) && closings_are_done(s) && checker_before_run(s))
		begin(s);
}

void cell_run_on_session(struct supervisor *s)
{
	snapshots_on_session(s);
	if (s->run.phase == RUN_ENDED)
		finish_when_free(s);
	else if (s->run.phase == RUN_WAITING)
		cell_run_go_on(s);
	else if (s->run.phase == RUN_NONE && worker_pool_is_ready(s) && s->cb->on_session)
		s->cb->on_session(s->cb_data);
}

void cell_run_on_no_worker(struct supervisor *s)
{
	const char *why = s->run.trouble.ename[0] ? buffer_text(&s->run.trouble.evalue)
						  : "cgpu-worker ends as soon as it is started";

	if (!s->pool->active)
		cell_run_refuse(s, "InternalError", why,
				"The cell was not run. The session is kept; run the cell again, "
				"and see the log of the kernel if it fails again.");
}

void cell_run_refuse(struct supervisor *s, const char *ename, const char *evalue, const char *more)
{
	snapshots_on_session(s);
	if (s->run.phase == RUN_WAITING) {
		fault_report_plain(&s->run.report, ename, evalue, more);
		s->run.end.rolled_back = true;
		s->run.end.interrupted = s->run.interrupted;
		unit_table_drop(&s->units);
		finish(s);
	} else if (s->run.phase == RUN_ENDED) {
		buffer_printf(&s->run.restored,
			      "No worker can take the session over at the moment: %s\n", evalue);
		finish(s);
	} else if (s->run.phase == RUN_NONE && s->cb->on_session) {
		s->cb->on_session(s->cb_data);
	}
}

/* ---- end ---- */

static void take_symbols(struct supervisor *s, struct record *r)
{
	uint32_t n = record_count(r, 21);

	for (uint32_t i = 0; i < n; i++) {
		const char *name = record_str(r);
		uint64_t address = record_u64(r);
		uint64_t size = record_u64(r);

		unit_table_place(&s->units, name, address, size);
	}
	n = record_count(r, 12);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t index = record_u32(r);

		unit_table_place_section(&s->units, index, record_u64(r));
	}
	n = record_u32(r);
	unit_table_note_code(&s->units, n, record_u8(r) != 0);
}

static int begin_commit(struct supervisor *s, struct worker *w, struct commit *c, struct error *err)
{
	struct commit_source from = { w->pid, w->pagemap, s->dirty_pages, &s->run.given_back };

	if (commit_begin(c, &s->snapshot, &s->journal, &from, &s->commit_hook, err))
		return -1;
	c->goes_on = s->run.checkpointing;
	in_place_set_room(s, c->bytes, c->fresh.moved.bytes);
	c->forked = s->run.forked;
	if (!c->goes_on && !s->run.threads && !s->run.forked)
		commit_leave_fresh(c);
	return 0;
}

static int end_commit(struct supervisor *s, struct commit *c, bool copied)
{
	struct commit_report report = { 0 };
	struct undo_entry *entry;

	commit_end(c, copied, &report);
	s->run.end.commit_ns = report.ns;
	s->run.end.committed_bytes = report.bytes;
	if (!copied)
		return -1;
	entry = undo_log_newest(&s->snapshot.undo);
	entry->cell = s->run.cell;
	entry->units = unit_table_committed(&s->units);
	device_memory_commit(&s->device, &entry->device);
	scratch_on_commit(s, entry);
	undo_log_trim(&s->snapshot.undo);
	if (s->run.unsaved.len)
		undo_log_clear(&s->snapshot.undo);
	buffer_clear(&s->run.unsaved);
	unit_table_commit(&s->units);
	unit_table_tidy(&s->units, s->snapshot.undo.n ? s->snapshot.undo.at[0].units
						      : unit_table_committed(&s->units));
	return 0;
}

static void fail_commit(struct supervisor *s, const struct error *err)
{
	/* If the worker was killed while it waited for the kernel, the cell ends with its death. */
	if (!s->commit.ended_worker && s->pool->active &&
	    worker_await_death(s->pool->active,
			       process_has_memory(s->pool->active->pid) ? 0 : DEATH_MS))
		return;
	fault_report_plain(
		&s->run.report, err->code == ERROR_STATE ? "HeapMisuse" : "InternalError",
		err->text,
		err->code == ERROR_STATE
			? "A write through a wild pointer has hit the tables of the session."
			: "The cell ran to its end, but what it did could not be committed.");
	cell_run_fail(s);
}

/* Says in which line the cell was interrupted, if the worker is alive and has recorded it. */
static void report_interrupt(struct supervisor *s, const struct worker *w)
{
	if (w && atomic_load(&w->control->fault.kind) == FAULT_INTERRUPTED)
		presenter_client_report_gone(s->presenter, w, &s->units, &s->run.report);
	else
		fault_report_plain(&s->run.report, "Interrupted", "the cell was interrupted", "");
}

/* The live memfd is left to the processes that have it mapped. */
static int renew_live(struct supervisor *s, struct worker *w, struct error *err)
{
	int fd;

	if (shadow_copies_are_stale(&s->snapshot.shadow_copies))
		return error_set(err, ERROR_STATE, "its live memfd is still needed");
	fd = arena_file_live(err);
	if (fd < 0)
		return -1;
	closer_close(w->live);
	w->live = fd;
	return snapshot_renew_live(&s->snapshot, fd, err);
}

void cell_run_tell_committed(struct supervisor *s, struct worker *w)
{
	const struct undo_log *log = &s->snapshot.undo;
	const struct snapshot_view *v = &s->snapshot.view;
	cleanup_buffer struct buffer b = BUFFER_INIT;
	uint32_t oldest = log->n ? log->at[0].cell : s->run.cell + 1;
	struct error err = ERROR_INIT;

	record_put_u32(&b, v->open && v->cell < oldest ? v->cell : oldest);
	device_memory_encode_waiting(&s->device, &b);
	in_place_encode_fresh(s, &b);
	if (s->run.forked && renew_live(s, w, &err)) {
		log_warning("worker %d is ended: %s", (int)w->pid, err.text);
		worker_kill(w);
		return;
	}
	if (buffer_check(&b, &err) ||
	    worker_send(w, WORKER_COMMITTED, b.data, b.len, s->run.forked ? &w->live : NULL, &err))
		log_info("worker %d died after its commit: %s", (int)w->pid, err.text);
	else
		worker_pool_on_committed(s, w);
}

/* Ends a committed cell whose worker lives on: it succeeded, or an interrupt unwound it. */
static void finish_committed(struct supervisor *s)
{
	struct worker *w = s->pool->active;
	bool interrupted = s->run.end.interrupted;

	s->run.end.ok = !interrupted;
	if (interrupted) {
		report_interrupt(s, w);
		fault_report_add(&s->run.report, KEPT);
	}
	if (w && w->state == WORKER_QUIET) {
		w->state = WORKER_IDLE;
		cell_run_tell_committed(s, w);
		/* The outcome is decided, also if the worker dies over this question. */
		s->run.phase = RUN_ENDED;
		leak_watch_look(s, &s->run.warnings);
		cap_watch_look(s, &s->run.warnings);
	}
	in_place_after_commit(s);
	if (s->run.cell % REAP_EVERY == 0) {
		pid_t pids[WORKER_POOL_PIDS];

		orphans_reap(pids, worker_pool_pids(s, pids));
	}
	finish_when_free(s);
}

/* Ends the commit of a checkpoint: the cell goes on, if its worker still lives. */
static void resume(struct supervisor *s)
{
	struct worker *w = s->pool->active;

	s->run.checkpointing = false;
	s->run.end.checkpointed = true;
	s->run.checkpoints++;
	if (!w || w->state != WORKER_QUIET)
		return;
	w->state = WORKER_RUNNING;
	cell_run_tell_committed(s, w);
	if (!s->run.tick)
		watchdog_start(s);
	interrupt_go_on(s);
}

static void after_commit(struct supervisor *s)
{
	if (s->run.checkpointing)
		resume(s);
	else
		finish_committed(s);
}

/* Joins the thread that copies. 0: committed. On error the phase goes back from COMMITTING to
 * RUNNING. */
static int join(struct supervisor *s, struct error *err)
{
	int failed = background_task_join(&s->task, err);

	s->run.phase = RUN_RUNNING;
	return end_commit(s, &s->commit, !failed);
}

static void on_copied(void *data)
{
	struct supervisor *s = data;
	struct error err = ERROR_INIT;

	if (join(s, &err))
		fail_commit(s, &err);
	else
		after_commit(s);
}

static int copy(void *data, struct error *err)
{
	struct supervisor *s = data;

	return commit_copy(&s->commit, err);
}

static void start_commit(struct supervisor *s, struct worker *w)
{
	struct error err = ERROR_INIT;
	int failed;

	if (begin_commit(s, w, &s->commit, &err)) {
		fail_commit(s, &err);
		return;
	}
	if (commit_is_large(&s->commit) &&
	    !background_task_start(&s->task, copy, s->loop, on_copied, s, NULL)) {
		stop_timers(s);
		s->run.phase = RUN_COMMITTING;
		return;
	}
	failed = copy(s, &err);
	if (end_commit(s, &s->commit, !failed))
		fail_commit(s, &err);
	else
		after_commit(s);
}

static void commit_and_finish(struct supervisor *s, struct worker *w, bool interrupted)
{
	/* The interrupt may have cut short a sleep that was the cell's last call. */
	if (interrupted && !s->interrupt_keeps) {
		report_interrupt(s, w);
		cell_run_set_aside(s, w);
		return;
	}
	s->run.end.interrupted = interrupted;
	if (s->run.end.whole)
		unit_table_end_names(&s->units, &s->run.dropped);
	start_commit(s, w);
}

/* Heap that is free for good, of which the allocator's tables are the worker's: what is wrong there
 * is the cell's own loss, as the rest of what it commits. */
static void take_given_back(struct supervisor *s, struct record *r)
{
	struct dirty_ranges *to = &s->run.given_back;

	dirty_ranges_clear(to);
	s->run.threads = record_u8(r) != 0;
	s->run.forked = record_u8(r) != 0;
	for (uint32_t n = record_count(r, 16); n; n--) {
		uint64_t address = record_u64(r), size = record_u64(r);

		/* Without memory for the list it is given back by a later cell, or not at all. */
		if (!r->failed && address % ARENA_PAGE == 0 && size % ARENA_PAGE == 0)
			dirty_ranges_add(to, address, size, NULL);
	}
}

static void on_checkpoint(struct supervisor *s, struct worker *w, struct record *r)
{
	uint32_t line = record_u32(r);

	take_given_back(s, r);
	output_drain(s, w);
	w->state = WORKER_QUIET;
	s->run.checkpointing = true;
	s->run.checkpoint_line = line;
	start_commit(s, w);
}

/* Puts the findings of the checks in front of the report of the rollback. */
static void add_checks(struct supervisor *s, const struct worker *w)
{
	presenter_client_add_findings(s->presenter, &s->memcheck, &w->control->findings, &s->units,
				      &s->run.report);
	if (w->checks)
		checker_add(s, &s->run.report);
}

/* Ends a checked cell that has run to its end; nothing of it is kept. */
static void discard(struct supervisor *s, struct worker *w)
{
	bool found = s->memcheck.on &&
		     presenter_client_findings(s->presenter, &s->memcheck, &w->control->findings,
					       &s->units, &s->run.report);

	if (found && w->checks)
		checker_add(s, &s->run.report);
	if (!found && s->memcheck.on)
		memcheck_put_clean(&s->memcheck, &s->run.warnings);
	if (!found && w->checks)
		checker_put_clean(s, &s->run.warnings);
	s->run.phase = RUN_ENDED;
	s->run.end.ok = !found;
	s->run.end.discarded = s->run.end.rolled_back = true;
	stop_timers(s);
	unit_table_drop(&s->units);
	worker_pool_retire(s);
}

static void on_cell_end(struct supervisor *s, struct worker *w, struct record *r)
{
	uint32_t outcome = record_u8(r), n;
	struct error err = ERROR_INIT;

	output_drain(s, w);
	w->state = WORKER_QUIET;
	s->run.retried = true; /* it has run, whatever becomes of its worker */
	s->run.end.run_ns = record_u64(r);
	s->run.end.load_ns = record_u64(r);
	n = record_count(r, 5);
	for (uint32_t i = 0; i < n; i++)
		buffer_printf(&s->run.warnings, "%s\n", record_str(r));
	s->run.end.saved_bytes = record_u64(r);
	s->run.end.saved_ns = record_u64(r);
	s->run.end.read_bytes = record_u64(r);
	s->run.end.read_ns = record_u64(r);
	take_given_back(s, r);
	if (s->run.asked_where) {
		cell_run_fail(
			s); /* over the memory limit, and ended before it could tell its line */
	} else if (record_check(r, "WORKER_CELL_END", &err) || outcome > OUTCOME_INTERRUPTED) {
		fault_report_plain(&s->run.report, "InternalError", err.text, "");
		cell_run_fail(s);
	} else if (outcome == OUTCOME_FAULT) {
		presenter_client_report_gone(s->presenter, w, &s->units, &s->run.report);
		add_checks(s, w);
		cell_run_fail(s);
	} else if (s->run.discarded && (outcome == OUTCOME_INTERRUPTED || s->run.interrupted)) {
		fault_report_plain(&s->run.report, "Interrupted", "the check was interrupted", "");
		add_checks(s, w);
		cell_run_fail(s);
	} else if (s->run.discarded) {
		discard(s, w);
	} else {
		s->run.end.whole = outcome == OUTCOME_OK;
		commit_and_finish(s, w, outcome == OUTCOME_INTERRUPTED || s->run.interrupted);
	}
}

int cell_run_commit(struct supervisor *s, struct worker *w, struct error *err)
{
	int failed;

	w->state = WORKER_QUIET;
	if (begin_commit(s, w, &s->commit, err))
		return -1;
	failed = copy(s, err);
	return end_commit(s, &s->commit, !failed);
}

int cell_run_keep(struct supervisor *s, struct worker *w)
{
	struct error err = ERROR_INIT;

	output_drain(s, w);
	if (cell_run_commit(s, w, &err)) {
		log_warning("an interrupted cell cannot be kept: %s", err.text);
		return -1;
	}
	decide(s, true, false);
	in_place_after_commit(s);
	worker_pool_retire(s);
	return 0;
}

/* The worker stands at its fault, and its memory can still be read. */
static void on_faulted(struct supervisor *s, struct worker *w)
{
	const struct presenter_subject subject = { &s->units, w->pid, w->control };

	output_drain(s, w);
	if (s->run.asked_where)
		presenter_client_add_place(s->presenter, &w->control->fault, &subject,
					   &s->run.report);
	else
		presenter_client_report(s->presenter, &w->control->fault, &subject, &s->run.report);
	add_checks(s, w);
	if (!cell_stop_at_fault(s, w))
		cell_run_fail(s);
}

/* ---- messages ---- */

/* Shows output that was written before the request first. */
static void on_input_request(struct supervisor *s, struct worker *w, struct record *r)
{
	const char *prompt = record_str(r);
	bool password = record_u8(r) != 0;

	output_drain(s, w);
	s->cb->on_input_request(s->cb_data, prompt, password);
}

/* Ends a worker that has sent what it must not send. */
static void end_wrong_worker(struct supervisor *s, struct worker *w, bool at_work,
			     const struct error *err)
{
	if (!w->blamed)
		log_error("worker %d is ended: %s", (int)w->pid, err->text);
	w->blamed = true;
	if (at_work && s->run.phase == RUN_RUNNING) {
		if (err->code == ERROR_LIMIT)
			fault_report_plain(&s->run.report, "TooManyBuffers", err->text,
					   "Allocate fewer and larger buffers, or start the server "
					   "with a higher limit of open files (ulimit -Hn).");
		else
			fault_report_plain(&s->run.report, "InternalError", err->text,
					   "The worker broke the protocol; a cell that overwrites "
					   "memory of libraries can cause that.");
		cell_run_fail(s);
	} else {
		worker_kill(w);
	}
}

void cell_run_on_message(struct supervisor *s, struct worker *w, struct ipc_message *m)
{
	struct record r = record_open(m->data, m->len);
	struct error err = ERROR_INIT;
	bool at_work =
		w == s->pool->active && w->state == WORKER_RUNNING && s->run.phase == RUN_RUNNING;
	bool wrong = false;

	switch (m->type) {
	case WORKER_DEVICE_CHUNK:
	case WORKER_DEVICE_PREIMAGE:
	case WORKER_DEVICE_CHECKSUMS:
	case WORKER_DEVICE_DROP:
	case WORKER_DEVICE_NODE:
	case WORKER_DEVICE_ASK:
	case WORKER_DEVICE_SHORT:
	case WORKER_LIBRARY_MEMORY:
		wrong = device_messages_take(s, w, m, &r, &err) != 0;
		break;
	case WORKER_CELL_END:
		if (at_work && record_u64(&r) == s->run.number)
			on_cell_end(s, w, &r);
		break;
	case WORKER_LOADED:
		if (at_work) {
			take_symbols(s, &r);
			wrong = record_check(&r, "WORKER_LOADED", &err) != 0;
		}
		break;
	case WORKER_UNSAVED_ARE:
		if (at_work && !w->checks) {
			take_unsaved(s, &r);
			wrong = record_check(&r, "WORKER_IN_PLACE_ARE", &err) != 0;
		}
		break;
	case WORKER_PROFILE_IS:
		if (at_work) {
			take_findings(&r, &s->run.profile, &s->run.no_profile);
			wrong = record_check(&r, "WORKER_PROFILE_IS", &err) != 0;
		}
		break;
	case WORKER_TRACE_IS:
		if (at_work) {
			take_findings(&r, &s->run.trace, &s->run.no_trace);
			wrong = record_check(&r, "WORKER_TRACE_IS", &err) != 0;
		}
		break;
	case WORKER_IN_PLACE_REFUSED:
		wrong = in_place_on_refused(s, &r, &err) != 0;
		break;
	case WORKER_CHECKPOINT:
		if (at_work && !s->run.discarded)
			on_checkpoint(s, w, &r);
		break;
	case WORKER_FAULTED:
		if (at_work)
			on_faulted(s, w);
		else
			worker_kill(w);
		break;
	case WORKER_STOPPED:
		wrong = at_work && cell_stop_on_stopped(s, w, &r, &err);
		break;
	case WORKER_INPUT_REQUEST:
		if (at_work)
			on_input_request(s, w, &r);
		break;
	case WORKER_EVICTED:
		eviction_on_message(s, m);
		checker_on_message(s, m);
		break;
	case WORKER_DEVICE_BYTES:
	case WORKER_DEVICE_FILLED:
		snapshots_on_message(s, m);
		break;
	case WORKER_LIBRARIES_ARE:
	case WORKER_DESCRIBED:
	case WORKER_DEVICE_REPORT:
	case WORKER_DEVICE_VALUE_IS:
	case WORKER_MEMORY_REPORT:
		question_on_message(s, m, &r);
		break;
	default:
		wrong = error_set(&err, ERROR_PROTOCOL, "unknown message %u", m->type) != 0;
	}
	if (wrong)
		end_wrong_worker(s, w, at_work, &err);
}

/* A thread that lives on between cells can fail and end the worker, when no cell could report
 * that. */
static void note_death_between_cells(struct supervisor *s, const struct worker *w)
{
	uint32_t kind = atomic_load(&w->control->fault.kind);
	struct fault_report report = { 0 };

	if (kind == FAULT_NONE || kind == FAULT_INTERRUPTED)
		return;
	presenter_client_report_gone(s->presenter, w, &s->units, &report);
	buffer_printf(&s->run.restored, "Between two cells a thread failed: %s: %s\n", report.ename,
		      buffer_text(&report.evalue));
	fault_report_release(&report);
}

void cell_run_on_death(struct supervisor *s, struct worker *w, bool was_active)
{
	if (was_active && s->run.phase == RUN_COMMITTING && !join(s, NULL)) {
		after_commit(s);
		if (s->run.phase != RUN_RUNNING)
			return;
	}
	device_memory_rollback(&s->device);
	if (was_active && s->run.phase == RUN_NONE)
		note_death_between_cells(s, w);
	if (!was_active || s->run.phase != RUN_RUNNING)
		return;
	if (atomic_load(&w->control->phase) == PHASE_IDLE && !s->run.retried) {
		/* It died before it saw the cell. */
		s->run.retried = true;
		s->run.phase = RUN_WAITING;
		stop_timers(s);
		return;
	}
	if (s->run.asked_where)
		; /* the report is complete */
	else if (atomic_load(&w->control->fault.kind) != FAULT_NONE)
		presenter_client_report_gone(s->presenter, w, &s->units, &s->run.report);
	else
		watchdog_report_death(s, w);
	decide(s, s->run.interrupted, true);
}
