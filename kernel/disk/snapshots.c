/* SPDX-License-Identifier: Apache-2.0 */
/* Files are handled in snapshot-job.c; this file has the parts that need the worker and the event
 * loop. */
#define _GNU_SOURCE
#include "kernel/disk/snapshots.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/protocol/ipc.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/base/loop.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/device/eviction.h"
#include "kernel/disk/session-undo.h"
#include "kernel/disk/snapshot-libraries.h"
#include "kernel/state/session-swap.h"
#include "kernel/state/snapshot-view.h"
#include "kernel/state/tracked-list.h"
#include "kernel/units/unit-table.h"
#include "kernel/workers/worker-pool.h"
#include "kernel/workers/worker.h"

/* Time for the last automatic snapshot at the end of the kernel. */
#define FLUSH_MS 1500

static void start_next(struct supervisor *s);

void snapshots_keep(struct supervisor *s, const char *folder, uint64_t auto_max,
		    snapshots_describe *describe, void *data)
{
	struct snapshots *n = s->snapshots;

	free(n->folder);
	n->folder = strdup(folder);
	s->eviction->folder = n->folder;
	n->automatic.max = auto_max;
	n->describe = describe;
	n->describe_data = data;
	if (getrandom(&n->owner, sizeof(n->owner), 0) != (ssize_t)sizeof(n->owner))
		n->owner = (uint64_t)getpid() << 32 | (uint32_t)time(NULL);
}

void snapshots_release(struct supervisor *s)
{
	struct snapshots *n = s->snapshots;

	autosave_release(s);
	if (s->loop) {
		loop_remove(s->loop, n->wake);
		loop_remove(s->loop, n->failing);
	}
	snapshot_job_free(n->next);
	snapshot_job_free(n->loaded);
	snapshots_end_job(s, n->job);
	buffer_release(&n->report);
	buffer_release(&n->libraries);
	s->eviction->folder = NULL;
	free(n->folder);
	*n = (struct snapshots){ 0 };
}

bool snapshots_is_loading(const struct supervisor *s)
{
	return s->snapshots->load != LOAD_NONE;
}

/* ---- making a job ---- */

static int by_address(const void *a, const void *b)
{
	const struct snapshot_piece *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static void give_piece(struct supervisor *s, int fd);

/* Divides device memory into pieces. */
static int put_pieces(struct supervisor *s, struct snapshot_job *j, struct error *err)
{
	size_t most = 0;

	for (size_t i = 0; i < s->device.chunks.n; i++)
		most += s->device.chunks.at[i].size / SNAPSHOT_PIECE + 1;
	j->pieces = calloc(most + 1, sizeof(*j->pieces));
	if (!j->pieces)
		return error_set(err, ERROR_MEMORY, "out of memory for a snapshot");
	for (size_t i = 0; i < s->device.chunks.n; i++) {
		const struct device_chunk *c = &s->device.chunks.at[i];

		for (uint64_t at = 0; c->address && at < c->size; at += SNAPSHOT_PIECE) {
			uint64_t left = c->size - at;

			j->pieces[j->n_pieces++] = (struct snapshot_piece){
				.address = c->address + at,
				.size = left < SNAPSHOT_PIECE ? left : SNAPSHOT_PIECE
			};
		}
	}
	qsort(j->pieces, j->n_pieces, sizeof(*j->pieces), by_address);
	record_put_u32(&j->file.device, (uint32_t)j->n_pieces);
	for (size_t i = 0; i < j->n_pieces; i++) {
		record_put_u64(&j->file.device, j->pieces[i].address);
		record_put_u64(&j->file.device, j->pieces[i].size);
	}
	return buffer_check(&j->file.device, err);
}

bool snapshots_know_libraries(const struct supervisor *s)
{
	return s->snapshots->libraries_epoch == s->pool->epoch;
}

/* Asks for the libraries if they are not known; a worker's libraries do not change. */
static int know_libraries(struct supervisor *s, struct error *err)
{
	struct snapshots *n = s->snapshots;

	if (snapshots_know_libraries(s))
		return 0;
	buffer_clear(&n->libraries);
	if (snapshot_libraries_ask(s, &n->layout, &n->libraries, err))
		return -1;
	n->libraries_epoch = s->pool->epoch;
	return 0;
}

void snapshots_ask_libraries(struct supervisor *s)
{
	know_libraries(s, NULL);
}

/* Fills in all of the file but the blocks. */
static int fill(struct supervisor *s, struct snapshot_job *j, struct error *err)
{
	struct snapshots *n = s->snapshots;
	struct snapshot_file *f = &j->file;

	f->owner = n->owner;
	f->time = time(NULL);
	f->epoch = s->pool->epoch;
	f->heap_freed = s->snapshot.heap_freed;
	f->changes = s->snapshot.changes;
	memcpy(f->top, s->snapshot.top, sizeof(f->top));
	if (know_libraries(s, err) || put_pieces(s, j, err))
		return -1;
	f->layout = n->layout;
	buffer_append(&f->libraries, n->libraries.data, n->libraries.len);
	unit_table_encode(&s->units, &f->units);
	snapshot_libraries_note(s, &f->loaded);
	tracked_list_describe(&s->snapshot, &f->lost);
	if (n->describe(n->describe_data, &f->session, &f->count) || buffer_check(&f->units, err) ||
	    buffer_check(&f->loaded, err) || buffer_check(&f->session, err) ||
	    buffer_check(&f->lost, err))
		return error_set(err, ERROR_MEMORY, "out of memory for a snapshot");
	j->view = &s->snapshot.view;
	j->arena.fd = fcntl(s->snapshot.arena.fd, F_DUPFD_CLOEXEC, 3);
	return j->arena.fd < 0 ? error_errno(err, "cannot duplicate a descriptor") : 0;
}

static struct snapshot_job *save_job(struct supervisor *s, const char *name, bool automatic,
				     struct error *err)
{
	struct snapshot_job *j = snapshot_job_new(JOB_SAVE, s->snapshots->folder, name, err);

	if (!j)
		return NULL;
	j->automatic = j->gentle = automatic;
	s->hooks->settle_in_place(s);
	if (shadow_copies_are_stale(&s->snapshot.shadow_copies)
		    ? error_set(err, ERROR_MEMORY, "out of memory")
		    : fill(s, j, err)) {
		snapshot_job_free(j);
		return NULL;
	}
	return j;
}

static int open_view(struct supervisor *s, struct snapshot_job *j, struct error *err)
{
	if (j->file.changes != s->snapshot.changes)
		return error_set(err, ERROR_STATE, "the session was changed meanwhile");
	j->viewing = !snapshot_view_open(&s->snapshot.view, s->snapshot.top, s->run.cell, err);
	return j->viewing ? 0 : -1;
}

struct snapshot_job *snapshots_automatic_job(struct supervisor *s, struct error *err)
{
	struct snapshot_job *j = save_job(s, SNAPSHOT_CURRENT, true, err);

	if (j && open_view(s, j, err)) {
		snapshot_job_free(j);
		return NULL;
	}
	return j;
}

/* Closes the job's view. Its thread has ended, or was never started. */
static void close_view(struct supervisor *s, struct snapshot_job *j)
{
	if (j->viewing)
		snapshot_view_close(&s->snapshot.view);
	j->viewing = false;
}

void snapshots_end_job(struct supervisor *s, struct snapshot_job *j)
{
	if (!j)
		return;
	snapshot_job_end(j);
	close_view(s, j);
	snapshot_job_free(j);
}

/* ---- device memory ---- */

static int ask_device(struct supervisor *s, const struct snapshot_piece *p, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_u64(&b, p->address);
	record_put_u64(&b, p->size);
	if ((s->run.phase != RUN_NONE && s->run.phase != RUN_WAITING) || !worker_pool_is_ready(s))
		return error_set(err, ERROR_STATE, "a cell runs, or the session is being restored");
	if (!buffer_check(&b, err) &&
	    !worker_send(s->pool->active, WORKER_DEVICE_READ, b.data, b.len, NULL, err))
		return 0;
	/* The worker is dead or dying; the next one is asked instead. */
	worker_kill(s->pool->active);
	return -1;
}

/* Tells whether an answer is pending; that of a worker that is gone does not come. */
static bool is_reading(const struct supervisor *s)
{
	const struct snapshots *n = s->snapshots;

	return n->reading_epoch && n->reading_epoch == s->pool->epoch && s->pool->active;
}

int snapshots_ask_device(struct supervisor *s, const struct snapshot_piece *p)
{
	struct snapshots *n = s->snapshots;

	if (s->eviction->phase == EVICTION_EVICTED) {
		give_piece(s, eviction_read(s, p->address, p->size, NULL));
		return 0;
	}
	/* The pending answer is for another question, and this one is asked then. */
	if (is_reading(s))
		return 0;
	if (ask_device(s, p, NULL))
		return -1;
	n->reading_epoch = s->pool->epoch;
	return 0;
}

/* Tells whether a job survives the loss of the worker: it reads committed memory, and the next
 * worker has the same. */
static bool is_patient(const struct supervisor *s)
{
	const struct snapshots *n = s->snapshots;

	return n->job && !n->job->automatic && n->load == LOAD_NONE && s->run.phase == RUN_NONE;
}

/* ---- running it ---- */

static void drop_job(struct supervisor *s)
{
	struct snapshots *n = s->snapshots;

	if (s->loop)
		loop_remove(s->loop, n->wake);
	n->wake = NULL;
	snapshots_end_job(s, n->job);
	n->job = NULL;
}

static void tell(struct supervisor *s, const struct snapshots_end *end)
{
	struct snapshots *n = s->snapshots;
	snapshots_done *done = n->done;

	n->done = NULL;
	if (done)
		done(n->done_data, end);
}

static void tell_end(struct supervisor *s, const struct snapshot_job *j)
{
	tell(s, &(struct snapshots_end){ .error = j->failed ? j->error.text : "",
					 .bytes = j->bytes,
					 .written = j->written });
}

static void take_over(struct supervisor *s, struct snapshot_job *j);

void snapshots_on_wake(void *data)
{
	struct supervisor *s = data;
	struct snapshots *n = s->snapshots;
	struct snapshot_job *j = n->job;
	struct snapshot_piece wanted;
	eventfd_t count;

	eventfd_read(j->wake, &count);
	switch (snapshot_job_state(j, &wanted)) {
	case JOB_RUNS:
		return;
	case JOB_WANTS_DEVICE:
		if (snapshots_ask_device(s, &wanted) && !is_patient(s))
			snapshot_job_give(j, -1);
		return;
	case JOB_DONE:
		break;
	}
	loop_remove(s->loop, n->wake);
	n->wake = NULL;
	n->job = NULL;
	/* The callback may start the next job. */
	close_view(s, j);
	if (j->kind == JOB_LOAD && !j->failed) {
		take_over(s, j);
	} else {
		if (j->automatic)
			autosave_done(s, j);
		else
			tell_end(s, j);
		snapshot_job_free(j);
	}
	start_next(s);
}

int snapshots_start_job(struct supervisor *s, struct snapshot_job *j, struct error *err)
{
	struct snapshots *n = s->snapshots;

	if ((j->kind == JOB_SAVE && !j->viewing && open_view(s, j, err)) ||
	    snapshot_job_start(j, err))
		return -1;
	n->job = j;
	n->wake = loop_add_fd(s->loop, j->wake, snapshots_on_wake, s);
	return 0;
}

static void start_next(struct supervisor *s)
{
	struct snapshots *n = s->snapshots;
	struct snapshot_job *j = n->next;
	struct error err = ERROR_INIT;

	n->next = NULL;
	if (j && snapshots_start_job(s, j, &err)) {
		snapshots_end_job(s, j);
		tell(s, &(struct snapshots_end){ .error = err.text });
	}
	if (!n->job)
		autosave_note_rest(s);
}

/* Starts the job, at once or when the automatic one at work has been cancelled. */
static int begin(struct supervisor *s, struct snapshot_job *j, snapshots_done *done, void *data,
		 struct error *err)
{
	struct snapshots *n = s->snapshots;

	autosave_give_way(s);
	if (n->job) {
		snapshot_job_cancel(n->job);
		n->next = j;
	} else if (snapshots_start_job(s, j, err)) {
		snapshots_end_job(s, j);
		return -1;
	}
	n->done = done;
	n->done_data = data;
	return 0;
}

static int is_possible(const struct supervisor *s, struct error *err)
{
	const struct snapshots *n = s->snapshots;

	if (!n->folder)
		return error_set(
			err, ERROR_STATE,
			"there is no folder for snapshots: neither XDG_STATE_HOME nor HOME is set");
	if (s->run.phase != RUN_NONE || n->done)
		return error_set(err, ERROR_STATE, "a cell runs");
	return 0;
}

int snapshots_save(struct supervisor *s, const char *name, snapshots_done *done, void *data,
		   struct error *err)
{
	struct snapshot_job *j;

	if (is_possible(s, err))
		return -1;
	j = save_job(s, name, false, err);
	return j ? begin(s, j, done, data, err) : -1;
}

int snapshots_restore(struct supervisor *s, const char *name, snapshots_done *done, void *data,
		      struct error *err)
{
	cleanup_buffer struct buffer none = BUFFER_INIT;
	struct snapshot_job *j;

	if (is_possible(s, err))
		return -1;
	j = snapshot_job_new(JOB_LOAD, s->snapshots->folder, name, err);
	if (!j)
		return -1;
	j->file.owner = s->snapshots->owner;
	j->mount = &s->sandbox.memory;
	if (snapshot_libraries_ask(s, &s->snapshots->layout, &none, err)) {
		snapshot_job_free(j);
		return -1;
	}
	return begin(s, j, done, data, err);
}

int snapshots_examine(struct supervisor *s, const struct snapshots_examiner *e,
		      snapshots_done *done, void *data, struct error *err)
{
	struct snapshot_job *j;

	if (is_possible(s, err))
		return -1;
	j = snapshot_job_new(JOB_EXAMINE, s->snapshots->folder, e->name, err);
	if (!j)
		return -1;
	s->hooks->settle_in_place(s);
	j->examine = e->fn;
	j->examine_data = e->data;
	j->file.owner = s->snapshots->owner;
	memcpy(j->file.top, s->snapshot.top, sizeof(j->file.top));
	unit_table_encode(&s->units, &j->file.units);
	j->pieces = calloc(e->n_pieces + 1, sizeof(*j->pieces));
	j->arena.fd = fcntl(s->snapshot.arena.fd, F_DUPFD_CLOEXEC, 3);
	if (!j->pieces || buffer_check(&j->file.units, err) || j->arena.fd < 0) {
		snapshot_job_free(j);
		return error_set(err, ERROR_MEMORY, "out of memory to look at a snapshot");
	}
	j->n_pieces = e->n_pieces;
	if (e->n_pieces)
		memcpy(j->pieces, e->pieces, e->n_pieces * sizeof(*j->pieces));
	return begin(s, j, done, data, err);
}

void snapshots_cancel(struct supervisor *s)
{
	struct snapshots *n = s->snapshots;

	if (n->next)
		snapshot_job_cancel(n->next);
	if (n->job)
		snapshot_job_cancel(n->job);
}

/* Waits until what is committed has been saved automatically, at most ms milliseconds. */
static void flush(struct supervisor *s, int ms)
{
	autosave_flush(s, ms);
	if (s->snapshots->job)
		drop_job(s);
}

/* ---- loading ---- */

static int check_file(const struct supervisor *s, const struct snapshot_job *j, struct error *err)
{
	struct arena_header h;

	if (s->snapshots->layout != j->file.layout)
		return error_set(err, ERROR_UNSUPPORTED,
				 "snapshot '%s' was made by a cgpu that keeps its tables in "
				 "another way; load it with that version",
				 j->name);
	if (pread(j->arena.fd, &h, sizeof(h), 0) != (ssize_t)sizeof(h) || h.magic != ARENA_MAGIC ||
	    memcmp(h.top, j->file.top, sizeof(h.top)))
		return error_set(err, ERROR_INPUT,
				 "snapshot '%s' cannot be used: its memory is no session", j->name);
	return 0;
}

/* Makes the content that the job has loaded the session. */
static int exchange(struct supervisor *s, struct snapshot_job *j, struct error *err)
{
	struct session_state to = { .arena = j->arena, .heap_freed = j->file.heap_freed };

	memcpy(to.top, j->file.top, sizeof(to.top));
	unit_table_init(&to.units);
	if (unit_table_decode(&to.units, j->file.units.data, j->file.units.len, err))
		return -1;
	if (session_replace(s, &to, err)) {
		unit_table_release(&to.units);
		return -1;
	}
	j->arena = (struct arena_file)ARENA_FILE_INIT;
	if (s->pool->epoch < j->file.epoch)
		s->pool->epoch = j->file.epoch;
	return 0;
}

static int apply(struct supervisor *s, struct snapshot_job *j, struct error *err)
{
	struct snapshots *n = s->snapshots;

	if (worker_pool_empty(s, err))
		return -1;
	if (exchange(s, j, err)) {
		worker_pool_refill(s);
		return -1;
	}
	n->load = LOAD_ATTACHING;
	n->filled = 0;
	worker_pool_renew(s);
	worker_pool_refill(s);
	return 0;
}

static void refuse_load(struct supervisor *s, struct snapshot_job *j, const struct error *err)
{
	s->snapshots->loaded = NULL;
	snapshot_job_free(j);
	tell(s, &(struct snapshots_end){ .error = err->text });
}

/* Goes on with the load. Libraries that cannot be loaded are reported; the rest of the session is
 * still useful. */
static void on_libraries(void *data, const char *problem)
{
	struct supervisor *s = data;
	struct snapshot_job *j = s->snapshots->loaded;
	struct error err = ERROR_INIT;

	if (*problem)
		buffer_printf(&s->snapshots->report, "%s\n", problem);
	if (apply(s, j, &err))
		refuse_load(s, j, &err);
}

static void take_over(struct supervisor *s, struct snapshot_job *j)
{
	struct error err = ERROR_INIT;
	int waits = -1;

	buffer_clear(&s->snapshots->report);
	s->snapshots->loaded = j;
	if (!check_file(s, j, &err))
		waits = snapshot_libraries_load(s, j, on_libraries, s, &err);
	if (waits < 0)
		refuse_load(s, j, &err);
	else if (!waits)
		on_libraries(s, "");
}

static void finish_load(struct supervisor *s)
{
	struct snapshots *n = s->snapshots;
	struct snapshot_job *j = n->loaded;
	struct error err = ERROR_INIT;

	n->load = LOAD_NONE;
	n->loaded = NULL;
	if (snapshot_libraries_compare(s, j, &n->report, &err))
		buffer_printf(&n->report, "whether all libraries are as they were: %s\n", err.text);
	tell(s, &(struct snapshots_end){ .error = "",
					 .bytes = j->bytes,
					 .session = &j->file.session,
					 .count = j->file.count,
					 .time = j->file.time,
					 .report = buffer_text(&n->report) });
	snapshot_job_free(j);
	start_next(s);
}

static int fill_next(struct supervisor *s, struct error *err)
{
	struct snapshots *n = s->snapshots;
	const struct snapshot_piece *p = &n->loaded->pieces[n->filled];
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_u64(&b, p->address);
	record_put_u64(&b, p->size);
	record_put_u64(&b, p->offset);
	if (buffer_check(&b, err))
		return -1;
	return worker_send(s->pool->active, WORKER_DEVICE_FILL, b.data, b.len,
			   &n->loaded->device_fd, err);
}

/* Goes back to the old session. It runs from the loop, since the worker that failed may be the
 * caller. */
static void go_back(void *data)
{
	struct supervisor *s = data;
	struct snapshots *n = s->snapshots;
	struct snapshot_job *j = n->loaded;
	uint64_t state = s->snapshot.serial - 1;
	char why[512];

	n->failing = NULL;
	snprintf(why, sizeof(why),
		 "the snapshot could not be taken over, and the session is as it was: %s",
		 buffer_text(&n->report));
	n->load = LOAD_NONE;
	n->loaded = NULL;
	if (session_undo(s, state, NULL)) {
		worker_pool_refill(s);
		log_error("the session from before the snapshot cannot be brought back");
	}
	tell(s, &(struct snapshots_end){ .error = why });
	snapshot_job_free(j);
}

/* Finds the piece that is waited for; the worker may not have been asked for it yet. */
static bool is_awaited(const struct supervisor *s, struct snapshot_piece *ret)
{
	const struct snapshots *n = s->snapshots;
	const struct snapshot_job *gathering = n->automatic.gathering;

	if (!gathering)
		return n->job && snapshot_job_state(n->job, ret) == JOB_WANTS_DEVICE;
	*ret = gathering->pieces[gathering->n_gathered];
	return true;
}

/* Gives a piece to whoever waits for one; -1: it cannot be had. */
static void give_piece(struct supervisor *s, int fd)
{
	struct snapshots *n = s->snapshots;

	n->reading_epoch = 0;
	if (autosave_holds(s))
		autosave_take_piece(s, fd);
	else if (n->job)
		snapshot_job_give(n->job, fd);
	else if (fd >= 0)
		close(fd);
}

void snapshots_on_session(struct supervisor *s)
{
	struct snapshots *n = s->snapshots;
	struct snapshot_piece wanted;

	if (is_patient(s) && snapshot_job_state(n->job, &wanted) == JOB_WANTS_DEVICE &&
	    snapshots_ask_device(s, &wanted) && !s->pool->active)
		give_piece(s, -1);
}

void snapshots_on_parked(struct supervisor *s)
{
	bool reading = s->snapshots->reading_epoch;
	struct snapshot_piece wanted;

	s->snapshots->reading_epoch = 0;
	if (reading && is_awaited(s, &wanted))
		give_piece(s, eviction_read(s, wanted.address, wanted.size, NULL));
}

void snapshots_on_worker_lost(struct supervisor *s, const char *why)
{
	struct snapshots *n = s->snapshots;

	if (is_patient(s))
		n->reading_epoch = 0;
	else
		give_piece(s, -1);
	if (n->load == LOAD_NONE || n->failing)
		return;
	buffer_clear(&n->report);
	buffer_puts(&n->report, why);
	s->pool->hold = true; /* until the old session is back */
	n->failing = loop_add_timer(s->loop, 0, go_back, s);
}

/* Commits the loaded session when the worker holds all of it: its chunks have other ids than in the
 * tables on disk. */
static void settle(struct supervisor *s)
{
	struct worker *w = s->pool->active;
	struct error err = ERROR_INIT;

	if (s->snapshots->filled < s->snapshots->loaded->n_pieces) {
		s->snapshots->load = LOAD_FILLING;
		if (fill_next(s, &err))
			snapshots_on_worker_lost(s, err.text);
		return;
	}
	if (s->hooks->commit(s, w, &err)) {
		snapshots_on_worker_lost(s, err.text);
		return;
	}
	worker_pool_go_on(s);
	finish_load(s);
}

void snapshots_on_attached(struct supervisor *s)
{
	if (!s->snapshots->failing)
		settle(s);
}

static void on_filled(struct supervisor *s, struct record *r)
{
	struct snapshots *n = s->snapshots;
	bool ok;
	const char *why;

	record_u64(r);
	ok = record_u8(r) != 0;
	why = record_str(r);
	if (n->load != LOAD_FILLING || n->failing)
		return;
	if (!ok || r->failed) {
		snapshots_on_worker_lost(s, why);
		return;
	}
	n->filled++;
	settle(s);
}

/* Takes an answer with device memory. It may belong to a cancelled question, and can come when the
 * next one already waits. */
static void on_bytes(struct supervisor *s, struct ipc_message *m, uint64_t address)
{
	bool reading = is_reading(s);
	struct snapshot_piece wanted;

	s->snapshots->reading_epoch = 0;
	if (!is_awaited(s, &wanted))
		return;
	if (address == wanted.address)
		give_piece(s, m->n_fds ? m->fds[--m->n_fds] : -1);
	else if (reading && snapshots_ask_device(s, &wanted) && !is_patient(s))
		give_piece(s, -1);
}

void snapshots_on_message(struct supervisor *s, struct ipc_message *m)
{
	struct record r = record_open(m->data, m->len);

	if (m->type == WORKER_DEVICE_FILLED) {
		on_filled(s, &r);
		return;
	}
	on_bytes(s, m, record_u64(&r));
}

void snapshots_end_all(struct supervisor *s)
{
	flush(s, FLUSH_MS);
	snapshots_release(s);
}

const char *snapshots_problem(const struct supervisor *s)
{
	return s->snapshots->automatic.problem ? s->snapshots->automatic.problem : "";
}

const char *snapshots_folder(const struct supervisor *s, uint64_t *ret_owner)
{
	*ret_owner = s->snapshots->owner;
	return s->snapshots->folder;
}
