/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One timer waits for a rest, and the start of a cell is the second occasion; both check anew
 * whether there is something to save and whether the supervisor's state allows it. Device memory of
 * at most GATHER_BYTES_MAX is copied piece by piece before the job starts, while the next cell
 * waits, and is given up after GATHER_MS. A larger amount is read while the job runs, and the next
 * cell cancels it. After a save there is a pause of PAUSE_FACTOR times its processor time, or of
 * its duration if that is longer.
 */
#define _GNU_SOURCE
#include "kernel/disk/autosave.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "kernel/base/loop.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/device/eviction.h"
#include "kernel/disk/snapshot-job.h"
#include "kernel/disk/snapshots.h"
#include "kernel/state/arena-file.h"
#include "kernel/state/shadow-copy.h"
#include "kernel/workers/worker-pool.h"
#include "kernel/workers/worker.h"

#define REST_MS 1000 /* from the last commit */
#define BUSY_MS 2000 /* from the first commit that is not saved, when there is no rest */
#define PAUSE_FACTOR 10
#define GATHER_BYTES_MAX (256ull * 1024 * 1024)
#define GATHER_MS 2000

static uint64_t device_bytes(const struct supervisor *s)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < s->device.chunks.n; i++)
		bytes += s->device.chunks.at[i].size;
	return bytes;
}

static bool is_too_large(const struct supervisor *s)
{
	return arena_file_bytes(s->snapshot.arena.fd) + device_bytes(s) >
	       s->snapshots->automatic.max;
}

static bool is_wanted(const struct supervisor *s)
{
	const struct snapshots *n = s->snapshots;
	const struct autosave *a = &n->automatic;

	return n->folder && a->max && n->load == LOAD_NONE && !n->job && !a->gathering &&
	       a->saved_changes != s->snapshot.changes && s->snapshot.top[ARENA_META];
}

static bool is_overdue(const struct supervisor *s)
{
	const struct autosave *a = &s->snapshots->automatic;
	uint64_t now = loop_now_ms();

	return a->unsaved_ms && now - a->unsaved_ms >= BUSY_MS && now >= a->pause_until_ms;
}

/* A running cell does not change the committed host state, but it changes device memory. */
static bool can_begin(const struct supervisor *s)
{
	if (s->run.phase == RUN_RUNNING)
		return !s->run.options.unsaved &&
		       !shadow_copies_are_shared(&s->snapshot.shadow_copies) &&
		       !s->run.end.checkpointed && !s->device.chunks.n &&
		       snapshots_know_libraries(s);
	if (s->eviction->phase == EVICTION_EVICTED)
		return s->run.phase == RUN_NONE && snapshots_know_libraries(s);
	return (s->run.phase == RUN_NONE || s->run.phase == RUN_WAITING) &&
	       worker_pool_is_ready(s) && !shadow_copies_are_stale(&s->snapshot.shadow_copies);
}

/* ---- device memory ---- */

static void stop_gathering(struct supervisor *s)
{
	struct autosave *a = &s->snapshots->automatic;

	a->gathering = NULL;
	loop_remove(s->loop, a->waiting);
	a->waiting = NULL;
}

void autosave_give_way(struct supervisor *s)
{
	struct autosave *a = &s->snapshots->automatic;
	struct snapshot_job *j = a->gathering;

	if (!j)
		return;
	stop_gathering(s);
	snapshots_end_job(s, j);
	a->unsaved_ms = loop_now_ms();
}

static void let_go(struct supervisor *s)
{
	if (s->run.phase == RUN_WAITING)
		s->hooks->on_session(s);
}

static void on_look(void *data)
{
	struct supervisor *s = data;

	s->snapshots->automatic.waiting = NULL;
	log_warning("no automatic snapshot: a copy of device memory takes too long");
	autosave_give_way(s);
	let_go(s);
}

static void begin(struct supervisor *s, struct snapshot_job *j)
{
	struct error err = ERROR_INIT;

	s->snapshots->automatic.began_ms = loop_now_ms();
	if (!snapshots_start_job(s, j, &err))
		return;
	log_warning("no automatic snapshot: %s", err.text);
	snapshots_end_job(s, j);
}

static void gather_next(struct supervisor *s)
{
	struct autosave *a = &s->snapshots->automatic;
	struct snapshot_job *j = a->gathering;

	if (j->n_gathered < j->n_pieces) {
		if (snapshots_ask_device(s, &j->pieces[j->n_gathered]))
			autosave_give_way(s);
		return;
	}
	stop_gathering(s);
	begin(s, j);
}

void autosave_take_piece(struct supervisor *s, int fd)
{
	struct snapshot_job *j = s->snapshots->automatic.gathering;

	if (fd < 0) {
		autosave_give_way(s);
	} else {
		j->gathered[j->n_gathered++] = fd;
		gather_next(s);
	}
	if (!autosave_holds(s))
		let_go(s);
}

bool autosave_holds(const struct supervisor *s)
{
	return s->snapshots->automatic.gathering != NULL;
}

static void gather(struct supervisor *s, struct snapshot_job *j)
{
	struct autosave *a = &s->snapshots->automatic;

	j->gathered = malloc(j->n_pieces * sizeof(*j->gathered));
	if (!j->gathered) {
		snapshots_end_job(s, j);
		return;
	}
	a->gathering = j;
	a->waiting = loop_add_timer(s->loop, GATHER_MS, on_look, s);
	gather_next(s);
}

/* ---- when ---- */

static void save(struct supervisor *s)
{
	struct autosave *a = &s->snapshots->automatic;
	struct error err = ERROR_INIT;
	struct snapshot_job *j = snapshots_automatic_job(s, &err);

	if (!j) {
		log_warning("no automatic snapshot: %s", err.text);
		return;
	}
	a->unsaved_ms = 0;
	if (j->n_pieces && device_bytes(s) <= GATHER_BYTES_MAX)
		gather(s, j);
	else
		begin(s, j);
}

static void on_timer(void *data)
{
	struct supervisor *s = data;
	struct autosave *a = &s->snapshots->automatic;

	a->timer = NULL;
	if (!is_wanted(s) || is_too_large(s))
		return;
	/* If a cell is in the way, its end is the next occasion. */
	if (loop_now_ms() - a->committed_ms < REST_MS / 2 && !is_overdue(s))
		autosave_note_rest(s);
	else if (can_begin(s))
		save(s);
}

void autosave_note_commit(struct supervisor *s)
{
	struct autosave *a = &s->snapshots->automatic;

	a->committed_ms = loop_now_ms();
	if (!a->unsaved_ms && a->saved_changes != s->snapshot.changes)
		a->unsaved_ms = a->committed_ms;
	if (s->snapshots->folder && a->max && s->run.phase == RUN_NONE && worker_pool_is_ready(s))
		snapshots_ask_libraries(s);
	autosave_note_rest(s);
}

void autosave_note_rest(struct supervisor *s)
{
	struct autosave *a = &s->snapshots->automatic;
	uint64_t now = loop_now_ms();

	if (s->loop && !a->timer && is_wanted(s))
		a->timer = loop_add_timer(
			s->loop,
			a->pause_until_ms > now + REST_MS ? a->pause_until_ms - now : REST_MS,
			on_timer, s);
}

void autosave_note_run(struct supervisor *s)
{
	struct snapshots *n = s->snapshots;

	/* The job still needs device memory, which the cell may change from here on. */
	if (n->job && n->job->automatic && n->job->n_pieces && !n->job->gathered)
		snapshot_job_cancel(n->job);
	if (is_wanted(s) && is_overdue(s) && !is_too_large(s) && can_begin(s) &&
	    device_bytes(s) <= GATHER_BYTES_MAX)
		save(s);
}

static void set_problem(struct autosave *a, const char *text)
{
	free(a->problem);
	a->problem = text ? strdup(text) : NULL;
}

void autosave_done(struct supervisor *s, const struct snapshot_job *j)
{
	struct autosave *a = &s->snapshots->automatic;
	uint64_t now = loop_now_ms(), took = now - a->began_ms, pause = j->cpu_ms * PAUSE_FACTOR;

	/* A save on a busy machine takes long and costs little processor time. */
	a->pause_until_ms = now + (pause > took ? pause : took);
	if (!j->failed) {
		set_problem(a, NULL);
		a->saved_changes = j->file.changes;
		return;
	}
	if (!a->unsaved_ms)
		a->unsaved_ms = now;
	if (j->error.code == ERROR_STATE)
		return;
	log_warning("no automatic snapshot: %s", j->error.text);
	set_problem(a, j->error.text);
}

/* ---- the end ---- */

static bool pump(struct supervisor *s, int ms)
{
	struct snapshots *n = s->snapshots;
	struct pollfd fds[] = { { n->job ? n->job->wake : -1, POLLIN, 0 }, { -1, POLLIN, 0 } };

	if (n->reading_epoch && s->pool->active)
		fds[1].fd = s->pool->active->channel;
	if (poll(fds, 2, ms) <= 0)
		return false;
	if (fds[0].revents)
		snapshots_on_wake(s);
	return !fds[1].revents || worker_receive_one(s->pool->active, 0, NULL) >= 0;
}

void autosave_flush(struct supervisor *s, int ms)
{
	struct snapshots *n = s->snapshots;
	uint64_t deadline = loop_now_ms() + (uint64_t)ms;

	if (!s->loop || !n->folder || s->run.phase != RUN_NONE)
		return;
	while (loop_now_ms() < deadline) {
		bool busy = n->job || autosave_holds(s);

		if (busy && !pump(s, (int)(deadline - loop_now_ms())))
			break;
		if (busy)
			continue;
		if (!is_wanted(s) || is_too_large(s) || !can_begin(s))
			break;
		save(s);
		if (!n->job && !autosave_holds(s))
			break;
	}
}

void autosave_release(struct supervisor *s)
{
	struct autosave *a = &s->snapshots->automatic;

	if (s->loop)
		loop_remove(s->loop, a->timer);
	a->timer = NULL;
	autosave_give_way(s);
	set_problem(a, NULL);
}
