/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of messages on the worker's channel does the rest: WORKER_IN_PLACE_BEGIN and
 * WORKER_IN_PLACE_END before a WORKER_RUN hold for its cell, and nothing is asked back. A worker
 * that refuses a range writes it as any other; that is safe, as shared is only what it may be.
 */
#include "kernel/cell-run/in-place.h"

#include <stdlib.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/base/loop.h"
#include "kernel/cell-run/memory-use.h"
#include "kernel/cell-run/pressure.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/sandbox/machine-memory.h"
#include "kernel/state/commit.h"
#include "kernel/state/journal.h"
#include "kernel/state/kept-memory.h"
#include "kernel/state/shadow-copy.h"
#include "kernel/state/snapshot-view.h"
#include "kernel/state/snapshot.h"
#include "kernel/state/undo-log.h"
#include "kernel/workers/worker-pool.h"
#include "kernel/workers/worker.h"

#define UNUSED_MAX 3   /* cells in a row that did not change a range end its shadow copy */
#define REFRESH_MS 2   /* after a cell, so that its reply goes out first */
#define IN_PLACE_MS 20 /* after that, if no other cell has come */
#define RETRY_MS 500

static void on_done(void *data);
static void on_timer(void *data);

static bool is_busy(const struct supervisor *s)
{
	return s->in_place->task.running;
}

/* ---- room ---- */

/*
 * Limits shadow copies to a quarter of the session's memory limit: together with their ranges they
 * are half of it. The private pages are gone after this commit.
 */
void in_place_set_room(struct supervisor *s, uint64_t commit_bytes, uint64_t fresh_bytes)
{
	struct shadow_copies *t = &s->snapshot.shadow_copies;
	struct memory_use u;
	uint64_t used, half = (s->host_limit ? s->host_limit : machine_memory_total()) / 2;

	if (commit_bytes + fresh_bytes < SHADOW_COPY_MIN)
		return;
	u = memory_use_now(s, s->pool->active, false);
	used = u.session + u.children + (u.worker > commit_bytes ? u.worker - commit_bytes : 0);
	t->bytes_max = used < half ? half - used : 0;
}

static bool fits(const struct supervisor *s)
{
	struct memory_use u = memory_use_now(s, NULL, false);

	return !s->host_limit || memory_use_total(&u) <= s->host_limit / 4 * 3;
}

/* ---- to and from the worker ---- */

static int send_range(struct worker *w, uint32_t type, const struct shadow_copy *shadow)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct error err = ERROR_INIT;

	record_put_u64(&b, shadow->address);
	record_put_u64(&b, shadow->size);
	if (!buffer_check(&b, &err) && !worker_send(w, type, b.data, b.len, NULL, &err))
		return 0;
	log_info("worker %d is not told about a range: %s", (int)w->pid, err.text);
	return -1;
}

/* Drops a shadow copy while no cell runs. A worker that cannot be told is dead or is ended here. */
static void drop(struct supervisor *s, unsigned i)
{
	struct shadow_copy *shadow = &s->snapshot.shadow_copies.at[i];
	struct shadow_files files = snapshot_files(&s->snapshot);

	if (shadow->shared && s->pool->active &&
	    send_range(s->pool->active, WORKER_IN_PLACE_END, shadow))
		worker_kill(s->pool->active);
	shadow_copies_drop(&s->snapshot.shadow_copies, &files, i);
}

/* Drops shadow copies that are of no use. A stale one is kept, since it is all there is. */
static void drop_useless(struct supervisor *s)
{
	struct shadow_copies *t = &s->snapshot.shadow_copies;
	bool all;

	for (unsigned i = t->n; i-- > 0;)
		if (!t->at[i].stale && (t->at[i].unwanted || t->at[i].unused >= UNUSED_MAX))
			drop(s, i);
	all = t->n && (!fits(s) || s->pressure->percent >= PRESSURE_PERCENT);
	for (unsigned i = t->n; all && i-- > 0;)
		if (!t->at[i].stale)
			drop(s, i);
}

static void begin_in_place(struct supervisor *s, struct worker *w)
{
	struct shadow_copies *t = &s->snapshot.shadow_copies;

	for (unsigned i = t->n; i-- > 0;)
		if (t->at[i].unwanted && !t->at[i].stale)
			drop(s, i);
	for (unsigned i = 0; i < t->n; i++)
		if (t->at[i].filled && !t->at[i].shared)
			t->at[i].shared = !send_range(w, WORKER_IN_PLACE_BEGIN, &t->at[i]);
}

void in_place_encode_fresh(const struct supervisor *s, struct buffer *out)
{
	const struct shadow_copies *t = &s->snapshot.shadow_copies;
	uint32_t n = 0;

	for (unsigned i = 0; i < t->n; i++)
		n += t->at[i].fresh;
	record_put_u32(out, n);
	for (unsigned i = 0; i < t->n; i++) {
		if (!t->at[i].fresh)
			continue;
		record_put_u64(out, t->at[i].address);
		record_put_u64(out, t->at[i].size);
	}
}

int in_place_on_refused(struct supervisor *s, struct record *r, struct error *err)
{
	struct shadow_copies *t = &s->snapshot.shadow_copies;
	uint64_t address = record_u64(r), size = record_u64(r);

	for (unsigned i = 0; i < t->n; i++)
		t->at[i].unwanted |= t->at[i].address == address && t->at[i].size == size;
	return record_check(r, "WORKER_IN_PLACE_REFUSED", err);
}

/* ---- copying ---- */

static int work(void *data, struct error *err)
{
	struct supervisor *s = data;
	struct snapshot *n = &s->snapshot;
	struct in_place *l = s->in_place;
	struct shadow_files files = snapshot_files(&s->snapshot);
	uint64_t keep = n->undo.n ? n->undo.bytes_max : 0;

	return shadow_copies_refresh(&n->shadow_copies, &files, l->which, keep, &l->saved,
				     &l->saved_lost, err);
}

/* Adds the pre-images to the undo log. The entry of the commit is the newest, as nothing else was
 * committed; or it is gone with all older ones. */
static void keep_saved(struct supervisor *s)
{
	struct in_place *l = s->in_place;

	if (s->snapshot.undo.n) {
		commit_add_saved(&s->snapshot, l->saved, l->saved_lost);
		undo_log_trim(&s->snapshot.undo);
	} else if (l->saved) {
		preimage_release(l->saved);
		free(l->saved);
	}
	l->saved = NULL;
	l->saved_lost = false;
}

static void end(struct supervisor *s, int failed, const struct error *err)
{
	struct shadow_copies *t = &s->snapshot.shadow_copies;

	if (failed)
		log_warning("a copy of memory that cells overwrite is given up: %s", err->text);
	keep_saved(s);
	for (unsigned i = t->n; failed && i-- > 0;)
		if (!t->at[i].stale && !t->at[i].filled)
			drop(s, i);
	drop_useless(s);
	if (shadow_copies_are_stale(t)) {
		log_error("the session waits for memory to be committed: %s", err->text);
		kept_memory_drop();
	}
}

static void join(struct supervisor *s)
{
	struct error err = ERROR_INIT;
	int failed;

	if (!is_busy(s))
		return;
	failed = background_task_join(&s->in_place->task, &err);
	end(s, failed, &err);
}

static void start_timer(struct supervisor *s, unsigned ms)
{
	if (!s->in_place->timer)
		s->in_place->timer = loop_add_timer(s->loop, ms, on_timer, s);
}

static void on_done(void *data)
{
	struct supervisor *s = data;

	join(s);
	if (shadow_copies_are_stale(&s->snapshot.shadow_copies)) {
		start_timer(s, RETRY_MS);
		return;
	}
	start_timer(s, IN_PLACE_MS);
	s->hooks->go_on(s);
	worker_pool_look(s);
}

static void work_now(struct supervisor *s)
{
	struct error err = ERROR_INIT;
	int failed = work(s, &err);

	end(s, failed, &err);
}

/* Starts the work, on a thread if one can be had. */
static void start(struct supervisor *s, enum shadow_work which)
{
	s->in_place->which = which;
	if (background_task_start(&s->in_place->task, work, s->loop, on_done, s, NULL))
		work_now(s);
}

void in_place_settle(struct supervisor *s)
{
	/* A cell may wait for the task, of whose end nobody is told now. */
	if (is_busy(s))
		start_timer(s, REFRESH_MS);
	join(s);
	if (!shadow_copies_are_stale(&s->snapshot.shadow_copies))
		return;
	s->in_place->which = SHADOW_STALE;
	work_now(s);
}

/* Tells whether this work is done; begins with it otherwise. */
static bool is_done(struct supervisor *s, enum shadow_work which)
{
	const struct shadow_copies *t = &s->snapshot.shadow_copies;

	if (!is_busy(s) && shadow_copies_need_work(t, which))
		start(s, which);
	return !is_busy(s) && !shadow_copies_are_stale(t);
}

bool in_place_before_run(struct supervisor *s)
{
	return is_done(s, SHADOW_ALL);
}

static void on_timer(void *data)
{
	struct supervisor *s = data;

	s->in_place->timer = NULL;
	/* The end of the cell is the next occasion. */
	if (s->run.phase == RUN_RUNNING || s->run.phase == RUN_COMMITTING || is_busy(s))
		return;
	if (!s->pool->active)
		worker_pool_look(s);
	else if (worker_pool_is_ready(s) && is_done(s, SHADOW_ALL) && s->run.phase == RUN_NONE)
		begin_in_place(s, s->pool->active);
	else
		s->hooks->go_on(s);
}

/* ---- occasions ---- */

void in_place_after_commit(struct supervisor *s)
{
	struct shadow_copies *t = &s->snapshot.shadow_copies;

	if (!t->n || is_busy(s))
		return;
	drop_useless(s);
	if (t->n)
		start_timer(s, shadow_copies_need_work(t, SHADOW_ALL) ? REFRESH_MS : IN_PLACE_MS);
}

void in_place_before_cell(struct supervisor *s, struct worker *w)
{
	struct shadow_copies *t = &s->snapshot.shadow_copies;
	struct snapshot_view *view = &s->snapshot.view;
	bool follow = view->open && !snapshot_view_is_broken(view) &&
		      shadow_copies_bytes(t) <= VIEW_BYTES_MAX;

	/*
	 * A view cannot follow a cell that writes in place. So a cell that probably does not need a
	 * range in place gets it private, and so does one that a view can follow, since otherwise
	 * the session would never be saved.
	 */
	for (unsigned i = t->n; i-- > 0;)
		if (s->run.options.unsaved || follow || (view->open && !t->at[i].changed))
			drop(s, i);
	begin_in_place(s, w);
	if (!shadow_copies_are_shared(t))
		return;
	t->written = true;
	snapshot_touch(&s->snapshot);
}

bool in_place_before_attach(struct supervisor *s)
{
	struct shadow_copies *t = &s->snapshot.shadow_copies;

	if (!is_done(s, SHADOW_STALE))
		return false;
	shadow_copies_unshare(t, false);
	return true;
}

void in_place_forget(struct supervisor *s)
{
	in_place_settle(s);
	shadow_copies_release(&s->snapshot.shadow_copies);
}

uint64_t in_place_give_up(struct supervisor *s)
{
	struct shadow_copies *t = &s->snapshot.shadow_copies;
	struct shadow_files files = snapshot_files(&s->snapshot);
	uint64_t bytes = kept_memory_bytes();

	kept_memory_drop();
	for (unsigned i = t->n; i-- > 0 && !is_busy(s);) {
		if (t->at[i].shared || t->at[i].stale)
			continue;
		bytes += t->at[i].size;
		shadow_copies_drop(t, &files, i);
	}
	kept_memory_drop();
	return bytes;
}

void in_place_release(struct supervisor *s)
{
	join(s);
	if (s->loop)
		loop_remove(s->loop, s->in_place->timer);
	s->in_place->timer = NULL;
}
