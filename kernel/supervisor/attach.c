/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connects the parts of the supervisor, which do not know each other: which of them must agree
 * before a worker gets the session, what each of them puts into WORKER_ATTACH, and the order in
 * which they are told of a worker's end.
 */
#include "kernel/supervisor/attach.h"

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/protocol/ipc.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/cell-run/cell-run.h"
#include "kernel/cell-run/checker.h"
#include "kernel/cell-run/in-place.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/device/device-choice.h"
#include "kernel/device/device-home.h"
#include "kernel/device/device-share.h"
#include "kernel/device/eviction.h"
#include "kernel/device/spare-context.h"
#include "kernel/disk/snapshots.h"
#include "kernel/faults/fault-report.h"
#include "kernel/state/device-memory.h"
#include "kernel/state/snapshot.h"
#include "kernel/state/undo-log.h"
#include "kernel/workers/worker-pool.h"
#include "kernel/workers/worker.h"

/* ---- a worker is made ---- */

static void choose_device(const struct supervisor *s, struct worker_device *ret)
{
	device_home_ask(s, ret);
	checker_is_wanted(s, ret);
}

/* Tells whether the spare fits: a checker cannot stand in for an ordinary worker, nor the worker of
 * one driver for that of another. */
static bool fits(const struct supervisor *s, const struct worker *w)
{
	struct worker_device device;

	return w->checks == checker_is_wanted(s, &device) &&
	       (w->checks || w->state != WORKER_READY || device_home_has(s, w));
}

static void on_no_worker(struct supervisor *s)
{
	device_choice_on_no_worker(s);
	cell_run_on_no_worker(s);
}

/* ---- it is given the session ---- */

static bool before_attach(struct supervisor *s)
{
	return eviction_before_attach(s) && in_place_before_attach(s);
}

static int send_chunks(struct supervisor *s, struct worker *w, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	if (w->checks)
		return checker_send_chunks(s, w, err)
			       ? -1
			       : worker_send(w, WORKER_ATTACH_END, NULL, 0, NULL, err);
	if (eviction_send_file(s, w, err))
		return -1;
	for (size_t i = 0; i < s->device.chunks.n; i++) {
		const struct device_chunk *c = &s->device.chunks.at[i];

		buffer_clear(&b);
		device_chunk_encode(c, &b);
		if (c->fd < 0)
			record_put_u64(&b, c->place);
		if (buffer_check(&b, err) ||
		    worker_send(w, c->fd < 0 ? WORKER_CHUNK_PARKED : WORKER_CHUNK, b.data, b.len,
				c->fd < 0 ? NULL : &c->fd, err))
			return -1;
	}
	return worker_send(w, WORKER_ATTACH_END, NULL, 0, NULL, err);
}

/* Content of device memory that was to be kept is lost: the state that it belongs to cannot be
 * reached any more. */
static void lose_kept(struct supervisor *s)
{
	s->device.keeping = KEEPING_NO;
	if (s->snapshot.undo.redo.valid)
		undo_log_drop_redo(&s->snapshot.undo);
	else
		undo_log_clear(&s->snapshot.undo);
}

static void begin_keeping(struct supervisor *s)
{
	if (s->device.keeping == KEEPING_BEGUN)
		lose_kept(s);
	else if (s->device.keeping == KEEPING_ASKED)
		s->device.keeping = KEEPING_BEGUN;
}

/* The worker has the session's device memory. What it has kept belongs to the redo image, or after
 * a redo to the step back. */
static void end_keeping(struct supervisor *s, bool kept)
{
	struct undo_log *l = &s->snapshot.undo;
	struct device_undo *to = l->redo.valid ? &l->redo.device
				 : l->n        ? &undo_log_newest(l)->device
					       : NULL;

	if (s->device.keeping != KEEPING_BEGUN) {
		device_memory_restored(&s->device, NULL);
		return;
	}
	if (!kept) {
		lose_kept(s);
		to = NULL;
	}
	device_memory_restored(&s->device, to);
	undo_log_trim(l);
}

static int send_session(struct supervisor *s, struct worker *w, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	if (snapshot_attach(&s->snapshot, w->live, err))
		return -1;
	record_put_u64(&b, ++s->pool->epoch);
	record_put_u64(&b, s->host_limit);
	record_put_u64(&b, worker_pool_device_limit(s, &w->hello));
	record_put_u32(&b, s->run.cell);
	record_put_u8(&b, snapshots_is_loading(s));
	record_put_u8(&b, !w->checks && device_home_gives_up(s));
	record_put_u8(&b, (uint8_t)(w->checks ? DEVICE_ROLLBACK_OFF : s->device_rollback));
	device_home_encode(s, w->checks, &b);
	if (!w->checks)
		begin_keeping(s);
	device_memory_encode_keeping(&s->device, &b);
	device_memory_encode_preimages(&s->device, &b);
	device_memory_encode_checksums(&s->device, &b);
	if (buffer_check(&b, err) || worker_send(w, WORKER_ATTACH, b.data, b.len, NULL, err))
		return -1;
	return send_chunks(s, w, err);
}

/* Ends a worker that has not failed, but must not get the session. */
static void send_away(struct worker *w)
{
	w->held = true;
	worker_kill(w);
}

static void on_attached(struct supervisor *s, struct worker *w, const struct ipc_message *m)
{
	cleanup_buffer struct buffer lacks = BUFFER_INIT;
	struct record r = record_open(m->data, m->len);
	uint32_t outcome = record_u8(&r);
	bool ok = outcome == ATTACH_OK;
	const char *why = record_str(&r);
	uint32_t n = record_count(&r, 1);
	struct error err = ERROR_INIT;
	bool has_device, kept;

	while (n--)
		buffer_printf(&lacks, "%s\n", record_str(&r));
	has_device = record_u8(&r) != 0;
	kept = record_u8(&r) != 0;
	if (outcome == ATTACH_NO_ROOM && s->eviction->phase == EVICTION_ATTACHING) {
		eviction_on_no_room(s, why);
		send_away(w);
		return;
	}
	if (ok && w->checks && !has_device) {
		ok = false;
		why = w->hello.problem;
	}
	if (record_check(&r, "WORKER_ATTACHED", &err) || !ok) {
		log_error("worker %d cannot take the session: %s", (int)w->pid,
			  ok ? err.text : why);
		fault_report_plain(&s->run.trouble, "InternalError", ok ? err.text : why, "");
		worker_kill(w);
		return;
	}
	s->pool->failures = 0;
	w->held = true;
	/* A difference that the checker reports will be there in the next worker, too. */
	if (w->checks) {
		w->state = WORKER_IDLE;
		worker_pool_look(s);
		cell_run_on_session(s);
		return;
	}
	if (!device_home_on_attached(s, w, has_device)) {
		send_away(w);
		return;
	}
	buffer_append(snapshots_is_loading(s) ? &s->snapshots->report : &s->run.restored,
		      buffer_text(&lacks), lacks.len);
	eviction_on_attached(s);
	if (snapshots_is_loading(s)) {
		snapshots_on_attached(s);
		return;
	}
	w->state = WORKER_IDLE;
	if (has_device)
		end_keeping(s, kept);
	worker_pool_look(s);
	cell_run_on_session(s);
}

/* ---- and ends ---- */

static void on_death(struct supervisor *s, struct worker *w, bool was_active, const char *how)
{
	if (w->attached)
		cell_run_on_death(s, w, was_active);
	if (!was_active)
		return;
	eviction_on_worker_lost(s);
	checker_on_worker_lost(s);
	snapshots_on_worker_lost(s, how);
}

/* ---- between the parts ---- */

static void on_closed(struct supervisor *s)
{
	spare_context_look(s);
	if (s->run.phase == RUN_NONE)
		device_share_settle(s);
	else if ((s->run.phase == RUN_WAITING || s->run.phase == RUN_ENDED) &&
		 worker_pool_is_ready(s))
		cell_run_on_session(s);
}

static bool snapshot_is_at_work(const struct supervisor *s)
{
	return snapshots_is_loading(s) || s->snapshots->done;
}

const struct supervisor_hooks attach_hooks = {
	.choose_device = choose_device,
	.fits = fits,
	.keeps_workers_away = eviction_keeps_workers_away,
	.before_attach = before_attach,
	.send_session = send_session,
	.on_attached = on_attached,
	.on_hello = device_choice_on_hello,
	.on_message = cell_run_on_message,
	.on_hang = device_choice_on_hang,
	.on_death = on_death,
	.on_buried = spare_context_look,
	.on_retired = eviction_on_worker_lost,
	.on_empty = in_place_forget,
	.on_no_worker = on_no_worker,
	.tell_committed = cell_run_tell_committed,
	.why_evicted = eviction_problem,
	.on_closed = on_closed,
	.on_share_begin = eviction_on_cell,
	.on_share_rest = eviction_on_rest,
	.on_alone = eviction_on_alone,
	.gives = eviction_gives,
	.snapshot_is_at_work = snapshot_is_at_work,
	.on_evicted = snapshots_on_parked,
	.settle_in_place = in_place_settle,
	.refuse = cell_run_refuse,
	.on_session = cell_run_on_session,
	.go_on = cell_run_go_on,
	.fail = cell_run_fail,
	.set_aside = cell_run_set_aside,
	.keep = cell_run_keep,
	.commit = cell_run_commit,
};
