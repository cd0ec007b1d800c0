/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of supervisor.h; what they mean for one cell is in cell-run.c, for the processes in
 * worker-pool.c. */
#define _GNU_SOURCE
#include "kernel/supervisor/supervisor.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/cleanup.h"
#include "common/compiler-protocol.h"
#include "common/error.h"
#include "common/log.h"
#include "common/record.h"
#include "common/worker-protocol.h"
#include "config.h"
#include "kernel/base/loop.h"
#include "kernel/base/size-text.h"
#include "kernel/cell-run/cell-run.h"
#include "kernel/device/device-home.h"
#include "kernel/cell-run/interrupt.h"
#include "kernel/faults/memory-report.h"
#include "kernel/cell-run/memory-use.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/state/tracked-list.h"
#include "kernel/cell-run/watchdog.h"
#include "kernel/workers/worker-pool.h"

/* As kernel/workers/patience.h counts. */
#define QUESTION_MS 1000
#define COMPILER_QUESTION_MS 10000
#define HELLO_MS 30000
#define FLUSH_MS 1500
/* Zygote, workers without a session, and what a cell takes between two looks of the watchdog. */
#define GROUP_ROOM (1ull << 30)

/* Each chunk of device memory is a descriptor here. */
static void raise_descriptor_limit(void)
{
	struct rlimit r;

	if (!getrlimit(RLIMIT_NOFILE, &r)) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

/* The last line behind the watchdog: no cell takes more than this, however fast. Emulated device
 * memory counts there too. */
static void bound_memory(struct supervisor *s)
{
	uint64_t device = s->device_limit ? s->device_limit : memory_use_machine() / 2;
	struct error err = ERROR_INIT;

	if (cgroup_bound_memory(&s->sandbox.cgroup, s->host_limit + device + GROUP_ROOM, &err))
		log_info("%s", err.text);
}

static int start(struct supervisor *s, const struct supervisor_options *o, struct error *err)
{
	/* Before the process becomes undumpable: then an ordinary user cannot read its own page map
	 * any more. */
	s->dirty_pages = dirty_pages_choose();
	if (HAVE_CUDA)
		nvidia_nodes_make(
			&(struct nvidia_nodes_places){ s->proc_dir, "/dev", "nvidia-modprobe" },
			&s->nvidia_nodes);
	if (sandbox_init(&s->sandbox, o->disabled_sandbox, s->connection_file, err) ||
	    worker_pool_start_zygote(s, err) || snapshot_init(&s->snapshot, o->undo_limit, err))
		return -1;
	raise_descriptor_limit();
	pressure_init(&s->pressure, s->proc_dir);
	return 0;
}

int supervisor_launch(struct supervisor *s, struct error *err)
{
	if (worker_pool_init(s, err) ||
	    compiler_client_init(&s->compiler, s->libexec_dir, s->language, err))
		return -1;
	s->oom_kills = watchdog_oom_kills(s);
	bound_memory(s);
	return 0;
}

struct supervisor *supervisor_new(const struct supervisor_options *o, struct error *err)
{
	struct supervisor *s = calloc(1, sizeof(*s));

	if (!s) {
		error_set(err, ERROR_MEMORY, "out of memory");
		return NULL;
	}
	s->compiler.process = s->pool.zygote.process = (struct process)PROCESS_INIT;
	s->snapshot.memfd = s->pressure.fd = -1;
	parking_init(s);
	unit_table_init(&s->units);
	s->language = o->language;
	s->libexec_dir = strdup(o->libexec_dir);
	s->connection_file = strdup(o->connection_file ? o->connection_file : "");
	s->proc_dir = strdup(o->proc_dir ? o->proc_dir : "/proc");
	s->host_limit = o->host_limit ? o->host_limit : memory_use_default_limit();
	s->device_limit = o->device_limit;
	s->limits = o->limits;
	if (!s->libexec_dir || !s->connection_file || !s->proc_dir || start(s, o, err)) {
		supervisor_free(s);
		return NULL;
	}
	return s;
}

void supervisor_start(struct supervisor *s, struct loop *loop,
		      const struct supervisor_callbacks *cb, void *data)
{
	s->loop = loop;
	s->cb = cb;
	s->cb_data = data;
	compiler_client_start(&s->compiler, loop);
	worker_pool_watch(s);
}

void supervisor_hide(struct supervisor *s, const char *path)
{
	char **covered = realloc(s->covered, (s->n_covered + 1) * sizeof(*covered));
	struct error err = ERROR_INIT;

	if (covered) {
		s->covered = covered;
		covered[s->n_covered] = strdup(path);
		s->n_covered += covered[s->n_covered] != NULL;
	}
	/* A zygote that is gone is told when it is started again. */
	if (zygote_client_hide(&s->pool.zygote, path, &err))
		log_info("%s", err.text);
}

void supervisor_free(struct supervisor *s)
{
	if (!s)
		return;
	snapshots_release(s);
	cell_run_release(s);
	parking_release(s);
	worker_pool_release(s);
	closings_release(s);
	rest_release(s);
	compiler_client_release(&s->compiler);
	sandbox_release(&s->sandbox);
	snapshot_release(&s->snapshot);
	journal_release(&s->journal);
	device_memory_release(&s->device);
	device_nodes_release(&s->nodes);
	libraries_release(&s->libraries);
	unit_table_release(&s->units);
	doctor_rows_release(&s->doctor);
	version_watch_release(&s->versions);
	pressure_release(&s->pressure);
	device_share_release(s);
	leak_watch_release(&s->leaks);
	free(s->libexec_dir);
	free(s->proc_dir);
	free(s->connection_file);
	free(s->cell_text);
	memcheck_release(&s->memcheck);
	while (s->n_covered)
		free(s->covered[--s->n_covered]);
	free(s->covered);
	free(s);
}

/* ---- compiler ---- */

void supervisor_declare(struct supervisor *s, size_t total,
			const struct declaration_change *changes, size_t n)
{
	compiler_client_declare(&s->compiler, total, changes, n);
}

static void refuse(struct supervisor *s, const char *headline, const char *diagnostics)
{
	s->cb->on_compiled(s->cb_data, NULL, NULL, 0, headline, diagnostics);
}

static void on_compiler_lost(struct supervisor *s)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;

	if (s->compiler.died_at_start) {
		buffer_printf(&text, "the compiler %s", s->compiler.last_death);
		refuse(s, buffer_text(&text),
		       "Nothing was run, and the session is as it was.\nRun the cell again to try "
		       "once more. If it stays so, `cgpu-kernel --doctor` in a shell says what the "
		       "compiler lacks.");
		return;
	}
	buffer_printf(&text, "the compiler %s while it worked on this cell",
		      s->compiler.last_death);
	refuse(s, buffer_text(&text),
	       "The compiler ended while it worked on this cell. Nothing was run, and the session "
	       "is as it was.\nThe compiler has been started again. If the same cell does it "
	       "again, that is an error in cgpu: please report the cell.");
}

static void on_compiled(void *data, uint32_t type, const void *payload, size_t len)
{
	struct supervisor *s = data;
	struct record r = record_open(payload, payload ? len : 0);
	struct error err = ERROR_INIT;
	struct unit unit;
	const void *encoded;
	const char *headline;
	size_t encoded_len;

	s->compiling = false;
	if (!payload) {
		on_compiler_lost(s);
		return;
	}
	if (type == COMPILER_REFUSED) {
		headline = record_str(&r);
		refuse(s, headline, record_str(&r));
		return;
	}
	encoded = record_bytes(&r, &encoded_len);
	if (type != COMPILER_COMPILED || memcheck_take_answer(&s->memcheck, &r, &err) ||
	    unit_decode(encoded, encoded_len, &unit, &err)) {
		refuse(s, "the compiler's answer is malformed", err.text);
		return;
	}
	s->cb->on_compiled(s->cb_data, &unit, encoded, encoded_len, "", "");
	unit_release(&unit);
}

uint32_t supervisor_device_sm(const struct supervisor *s)
{
	uint32_t sm = s->pool.hello.capability;

	return sm > SUPERVISOR_OLDEST_SM ? sm : SUPERVISOR_OLDEST_SM;
}

int supervisor_compile(struct supervisor *s, uint32_t cell, const char *cell_name, const char *text,
		       const char *cflags, const char *nvflags, const uint32_t *replaced,
		       size_t n_replaced, bool checked, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	free(s->cell_text);
	s->cell_text = strdup(text);
	record_put_u32(&b, cell);
	record_put_str(&b, cell_name);
	record_put_str(&b, text);
	record_put_str(&b, cflags);
	record_put_str(&b, nvflags);
	record_put_u32(&b, s->compile_sm ? s->compile_sm : supervisor_device_sm(s));
	s->compile_sm = 0;
	record_put_u32(&b, (uint32_t)n_replaced);
	for (size_t i = 0; i < n_replaced; i++)
		record_put_u32(&b, replaced[i]);
	memcheck_put_request(&s->memcheck, checked, &s->units, &b);
	if (compiler_client_ask(&s->compiler, COMPILER_COMPILE, &b, 0, on_compiled, s, err))
		return -1;
	s->compiling = true;
	return 0;
}

void supervisor_compile_for(struct supervisor *s, uint32_t sm)
{
	s->compile_sm = sm;
}

int supervisor_complete(struct supervisor *s, const char *text, uint32_t cursor,
			supervisor_answer *cb, void *data, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_str(&b, text);
	record_put_u32(&b, cursor);
	return compiler_client_ask(&s->compiler, COMPILER_COMPLETE, &b, COMPILER_QUESTION_MS, cb,
				   data, err);
}

int supervisor_inspect(struct supervisor *s, const char *text, uint32_t cursor, uint32_t detail,
		       supervisor_answer *cb, void *data, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_str(&b, text);
	record_put_u32(&b, cursor);
	record_put_u32(&b, detail);
	return compiler_client_ask(&s->compiler, COMPILER_INSPECT, &b, COMPILER_QUESTION_MS, cb,
				   data, err);
}

int supervisor_is_complete(struct supervisor *s, const char *text, supervisor_answer *cb,
			   void *data, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_str(&b, text);
	return compiler_client_ask(&s->compiler, COMPILER_IS_COMPLETE, &b, COMPILER_QUESTION_MS, cb,
				   data, err);
}

int supervisor_package(struct supervisor *s, uint8_t question, const char *text,
		       supervisor_answer *cb, void *data, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_u8(&b, question);
	record_put_str(&b, text);
	return compiler_client_ask(&s->compiler, COMPILER_PACKAGE, &b, COMPILER_QUESTION_MS, cb,
				   data, err);
}

void supervisor_surroundings(struct supervisor *s, const char *folder, const char *variable,
			     const char *value)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_str(&b, folder);
	record_put_str(&b, variable);
	record_put_str(&b, value);
	compiler_client_tell(&s->compiler, COMPILER_SURROUNDINGS, &b);
}

/* ---- cells ---- */

void supervisor_identify(struct supervisor *s, const char *id)
{
	leak_watch_identify(&s->leaks, id);
}

void supervisor_run(struct supervisor *s, const void *encoded_unit, size_t len,
		    const struct buffer *dropped, const struct run_options *options)
{
	cell_run_start(s, encoded_unit, len, dropped, options);
}

void supervisor_interrupt(struct supervisor *s)
{
	if (s->compiling)
		compiler_client_abandon(&s->compiler);
	else if (!parking_interrupt(s))
		interrupt_start(s);
}

void supervisor_input(struct supervisor *s, bool eof, const char *line)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct error err = ERROR_INIT;

	if (s->run.phase != RUN_RUNNING || !s->pool.active)
		return;
	record_put_u8(&b, eof);
	record_put_str(&b, line);
	if (worker_send(s->pool.active, WORKER_INPUT, b.data, b.len, NULL, &err))
		log_info("input for a worker that is gone: %s", err.text);
}

static int only_between_cells(const struct supervisor *s, struct error *err)
{
	if (s->run.phase != RUN_NONE)
		return error_set(err, ERROR_STATE, "a cell runs");
	return 0;
}

static int swap_for_empty(struct supervisor *s, struct error *err)
{
	struct session_state empty = { .memfd = snapshot_memfd(err) };

	if (empty.memfd < 0)
		return -1;
	unit_table_init(&empty.units);
	if (!session_swap(s, &empty, err))
		return 0;
	close(empty.memfd);
	return -1;
}

static int make_empty(struct supervisor *s, struct error *err)
{
	if (snapshot_reset(&s->snapshot, err))
		return -1;
	device_memory_reset(&s->device);
	closings_await(s);
	device_share_settle(s);
	unit_table_release(&s->units);
	return 0;
}

int supervisor_reset(struct supervisor *s, bool *ret_undoable, struct error *err)
{
	struct session_swap now = { s->snapshot.memfd, s->device, s->units };
	int failed;

	if (only_between_cells(s, err) || worker_pool_empty(s, err))
		return -1;
	*ret_undoable = session_swap_bytes(&now) <= s->snapshot.undo.bytes_max;
	failed = *ret_undoable ? swap_for_empty(s, err) : make_empty(s, err);
	if (!failed) {
		leak_watch_release(&s->leaks);
		parking_forget(s);
	}
	if (!failed && *ret_undoable)
		worker_pool_renew(s); /* the spare has the old memory */
	worker_pool_refill(s);
	return failed;
}

uint64_t supervisor_worker(const struct supervisor *s)
{
	/* The next one counts up when it is given the session. */
	return s->pool.epoch + !s->pool.active;
}

uint64_t supervisor_state(const struct supervisor *s)
{
	return s->snapshot.serial;
}

void supervisor_settle(struct supervisor *s)
{
	lending_settle(s);
}

void supervisor_undo_room(const struct supervisor *s, struct supervisor_undo_room *ret)
{
	const struct undo_log *l = &s->snapshot.undo;

	*ret = (struct supervisor_undo_room){
		.oldest = l->n ? l->at[0].serial : s->snapshot.serial,
		.bytes = undo_log_bytes(l),
		.bytes_max = l->bytes_max,
	};
}

/* The session that a loaded snapshot has replaced. What came later concerns memory that is let go
 * of here. */
static void swap_back(struct supervisor *s, struct undo_entry *e)
{
	struct snapshot *to = &s->snapshot;

	snapshot_touch(to);
	close(to->memfd);
	to->memfd = steal_fd(&e->swap->memfd);
	to->heap_freed = e->heap_freed;
	to->serial = e->serial;
	memcpy(to->top, e->top, sizeof(to->top));
	device_memory_release(&s->device);
	s->device = e->swap->device;
	e->swap->device = (struct device_memory){ 0 };
	unit_table_release(&s->units);
	s->units = e->swap->units;
	unit_table_init(&e->swap->units);
	worker_pool_renew(s);
}

/* How many of the n entries are older than the oldest replaced session among them; that is brought
 * back. */
static unsigned undo_swaps(struct supervisor *s, unsigned n)
{
	struct undo_log *l = &s->snapshot.undo;
	unsigned first = l->n - n, at = first;

	while (at < l->n && !l->at[at].swap)
		at++;
	if (at == l->n)
		return n;
	swap_back(s, &l->at[at]);
	undo_log_pop(l, l->n - at);
	return at - first;
}

static int undo(struct supervisor *s, unsigned all, struct error *err)
{
	struct undo_log *l = &s->snapshot.undo;
	struct device_undo *device[UNDO_COMMITS_MAX];
	unsigned n = undo_swaps(s, all);
	uint64_t units;

	if (!n)
		return 0;
	units = l->at[l->n - n].units;
	for (unsigned i = 0; i < n; i++)
		device[i] = &l->at[l->n - 1 - i].device;
	if (device_memory_undo_room(&s->device, device, n, err) ||
	    snapshot_undo(&s->snapshot, n, err))
		return -1;
	device_memory_undo(&s->device, device, n);
	unit_table_undo(&s->units, units);
	undo_log_pop(l, n);
	closings_await(s);
	device_share_settle(s);
	return 0;
}

static void count_chunks(void *data, struct device_chunks *c)
{
	size_t *n = data;

	*n += c->n;
}

bool supervisor_device_is_missed(struct supervisor *s)
{
	size_t n = s->device.chunks.n + s->device.preimages.n;

	undo_log_each_chunks(&s->snapshot.undo, count_chunks, &n);
	return s->device.out_of_reach && n;
}

int supervisor_undo(struct supervisor *s, uint64_t state, struct error *err)
{
	unsigned n;
	int failed;

	if (only_between_cells(s, err))
		return -1;
	if (supervisor_device_is_missed(s))
		return error_set(err, ERROR_STATE,
				 "the device memory of the session cannot be reached, so it cannot "
				 "be taken back: `%%gpu reset` tries the device again");
	lending_settle(s);
	n = undo_log_depth(&s->snapshot.undo, state);
	if (!n)
		return error_set(err, ERROR_STATE,
				 "what is needed to go back that far is not kept any more");
	if (worker_pool_empty(s, err))
		return -1;
	failed = undo(s, n, err);
	worker_pool_refill(s);
	return failed;
}

int supervisor_load(struct supervisor *s, const char *const *paths, size_t n, supervisor_loaded *fn,
		    void *data, struct error *err)
{
	if (only_between_cells(s, err))
		return -1;
	return libraries_load(s, paths, n, fn, data, err);
}

void supervisor_load_cancel(struct supervisor *s)
{
	if (s->libraries.request)
		pidfd_signal(s->pool.zygote.process.pidfd, SIGKILL);
}

void supervisor_end_snapshots(struct supervisor *s)
{
	snapshots_flush(s, FLUSH_MS);
	snapshots_release(s);
}

bool supervisor_is_ready(const struct supervisor *s)
{
	return worker_pool_is_ready(s);
}

const char *supervisor_autosave_problem(const struct supervisor *s)
{
	return s->snapshots.automatic.problem ? s->snapshots.automatic.problem : "";
}

const char *supervisor_snapshot_folder(const struct supervisor *s, uint64_t *ret_owner)
{
	*ret_owner = s->snapshots.owner;
	return s->snapshots.folder;
}

/* ---- questions ---- */

size_t supervisor_variables(const struct supervisor *s, const struct supervisor_variable **ret)
{
	/* The list is a cache; to the caller nothing changes. */
	return unit_table_variables((struct unit_table *)&s->units, ret);
}

int supervisor_read(const struct supervisor *s, uint64_t address, void *out, size_t len)
{
	/* What a thread is writing is neither the old nor the new state. */
	return s->run.phase == RUN_COMMITTING ? -1 : snapshot_read(&s->snapshot, address, out, len);
}

int supervisor_question(struct supervisor *s, uint32_t type, const struct buffer *body,
			uint32_t answer_type, struct buffer *ret, struct error *err)
{
	struct worker *w = s->pool.active;
	uint64_t soon = loop_now_ms() + PATIENCE_LOOK_MS;
	struct patience p;
	int n = 0;

	if (!worker_pool_is_ready(s) && *parking_problem(s))
		return error_set(err, ERROR_STATE,
				 "the session is parked, and cannot come back at the moment: %s",
				 parking_problem(s));
	if (!worker_pool_is_ready(s))
		return error_set(err, ERROR_STATE, "a cell runs, or the session is being restored");
	if (worker_send(w, type, body->data, body->len, NULL, err))
		return -1;
	s->answer = ret;
	s->answer_type = answer_type;
	s->answered = false;
	while (!s->answered && n >= 0 && loop_now_ms() < soon)
		n = worker_receive_one(w, PATIENCE_LOOK_MS, err);
	if (!s->answered)
		patience_begin(&p, w->pid, PATIENCE_ANSWER);
	while (!s->answered && n >= 0 && patience_used_ms(&p) < QUESTION_MS)
		n = worker_receive_one(w, PATIENCE_LOOK_MS, err);
	s->answer = NULL;
	if (s->answered)
		return 0;
	if (n >= 0)
		return error_set(err, ERROR_TIMEOUT, "the worker does not answer");
	worker_kill(w); /* Its end is known here before the loop hears of it. */
	return -1;
}

static void decode_description(struct record *r, struct address_description *ret)
{
	const char *name;

	memset(ret, 0, sizeof(*ret));
	ret->owner = record_u8(r);
	ret->base = record_u64(r);
	ret->size = record_u64(r);
	ret->cell = record_u32(r);
	ret->freed_cell = record_u32(r);
	name = record_str(r);
	memcpy(ret->name, name, strnlen(name, sizeof(ret->name) - 1));
}

int supervisor_describe(struct supervisor *s, const uint64_t *addresses, size_t n,
			struct address_description *ret, struct error *err)
{
	cleanup_buffer struct buffer body = BUFFER_INIT, answer = BUFFER_INIT;
	struct record r;

	record_put_u32(&body, ++s->answer_id);
	record_put_u32(&body, (uint32_t)n);
	for (size_t i = 0; i < n; i++)
		record_put_u64(&body, addresses[i]);
	if (buffer_check(&body, err) ||
	    supervisor_question(s, WORKER_DESCRIBE, &body, WORKER_DESCRIBED, &answer, err))
		return -1;
	r = record_open(answer.data, answer.len);
	if (record_count(&r, 26) != n)
		return error_set(err, ERROR_PROTOCOL,
				 "the worker describes other addresses than asked");
	for (size_t i = 0; i < n; i++)
		decode_description(&r, &ret[i]);
	return record_check(&r, "WORKER_DESCRIBED", err);
}

int supervisor_read_device(struct supervisor *s, uint64_t stand_in, void *out, size_t len,
			   struct error *err)
{
	cleanup_buffer struct buffer body = BUFFER_INIT, answer = BUFFER_INIT;
	struct record r;
	const void *bytes;
	size_t n;
	bool ok;

	record_put_u32(&body, ++s->answer_id);
	record_put_u64(&body, stand_in);
	record_put_u64(&body, len);
	if (buffer_check(&body, err) || supervisor_question(s, WORKER_DEVICE_VALUE, &body,
							    WORKER_DEVICE_VALUE_IS, &answer, err))
		return -1;
	r = record_open(answer.data, answer.len);
	ok = record_u8(&r);
	bytes = record_bytes(&r, &n);
	if (record_check(&r, "WORKER_DEVICE_VALUE_IS", err))
		return -1;
	if (!ok || n != len)
		return error_set(err, ERROR_NOT_FOUND, "the device does not give this variable");
	memcpy(out, bytes, len);
	return 0;
}

bool supervisor_is_emulated(const struct supervisor *s)
{
	return s->pool.hello.emulated;
}

int supervisor_device_report(struct supervisor *s, struct buffer *ret, struct error *err)
{
	cleanup_buffer struct buffer body = BUFFER_INIT;

	record_put_u32(&body, ++s->answer_id);
	if (buffer_check(&body, err))
		return -1;
	return supervisor_question(s, WORKER_DEVICE_INFO, &body, WORKER_DEVICE_REPORT, ret, err);
}

int supervisor_renew(struct supervisor *s, struct buffer *ret_report, struct error *err)
{
	if (only_between_cells(s, err))
		return -1;
	if (!s->renewed_at || s->renewed_at == s->pool.epoch) {
		s->renewed_at = s->pool.epoch;
		s->pool.device_hangs = false;
		device_home_retry(s);
		worker_pool_renew(s);
		return error_set(err, ERROR_PEER_GONE, "no worker could be started");
	}
	s->renewed_at = 0;
	buffer_append(ret_report, buffer_text(&s->run.restored), s->run.restored.len);
	buffer_clear(&s->run.restored);
	return 0;
}

int supervisor_memory_report(struct supervisor *s, const uint32_t *cells, size_t n,
			     struct memory_report *ret, struct error *err)
{
	cleanup_buffer struct buffer body = BUFFER_INIT, answer = BUFFER_INIT;

	record_put_u32(&body, ++s->answer_id);
	record_put_u32(&body, (uint32_t)n);
	for (size_t i = 0; i < n; i++)
		record_put_u32(&body, cells[i]);
	if (buffer_check(&body, err) ||
	    supervisor_question(s, WORKER_MEMORY, &body, WORKER_MEMORY_REPORT, &answer, err))
		return -1;
	return memory_report_decode(ret, answer.data, answer.len, err);
}

/* The next worker learns it when it is attached. */
static int tell_limits(struct supervisor *s, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_u64(&b, s->host_limit);
	record_put_u64(&b, worker_pool_device_limit(s, &s->pool.hello));
	record_put_u8(&b, (uint8_t)s->device_rollback);
	return worker_pool_is_ready(s)
		       ? worker_send(s->pool.active, WORKER_LIMITS, b.data, b.len, NULL, err)
		       : 0;
}

int supervisor_set_limits(struct supervisor *s, uint64_t host_limit, uint64_t device_limit,
			  struct error *err)
{
	if (only_between_cells(s, err))
		return -1;
	s->host_limit = host_limit ? host_limit : memory_use_default_limit();
	bound_memory(s);
	s->device_limit = device_limit;
	return tell_limits(s, err);
}

int supervisor_set_rollback(struct supervisor *s, enum device_rollback mode, struct error *err)
{
	if (only_between_cells(s, err))
		return -1;
	s->device_rollback = mode;
	return tell_limits(s, err);
}

enum device_rollback supervisor_rollback(const struct supervisor *s)
{
	return s->device_rollback;
}

const struct limits *supervisor_ceilings(const struct supervisor *s)
{
	return s->limits;
}

uint64_t supervisor_device_memory(const struct supervisor *s)
{
	return s->pool.hello.device_memory;
}

void supervisor_limits(const struct supervisor *s, uint64_t *ret_host, uint64_t *ret_device)
{
	*ret_host = s->host_limit;
	*ret_device = s->device_limit;
}

int supervisor_share(struct supervisor *s, const char *path, const char *name, struct error *err)
{
	if (device_share_open(s, path, name, err))
		return -1;
	supervisor_hide(s, path);
	return 0;
}

void supervisor_wake_cancel(struct supervisor *s)
{
	parking_interrupt(s);
}

void supervisor_describe_losses(const struct supervisor *s, struct buffer *out)
{
	uint64_t bytes = worker_library_memory(s->pool.active);
	char size[SIZE_TEXT_MAX];

	tracked_list_describe(&s->snapshot, out);
	if (bytes)
		buffer_printf(out,
			      "%s%s of device memory that cells or libraries took from the driver",
			      out->len ? ", " : "", size_text(bytes, size));
}

void supervisor_set_wait(struct supervisor *s, uint64_t ms)
{
	s->share.wait_ms = ms;
}

uint64_t supervisor_wait(const struct supervisor *s)
{
	return s->share.wait_ms;
}

int supervisor_share_table(struct supervisor *s, struct buffer *out, struct error *err)
{
	return device_share_table(s, out, err);
}

struct memory_use supervisor_memory_use(const struct supervisor *s)
{
	return memory_use_now(s, s->pool.active, true);
}

uint64_t supervisor_kept_bytes(const struct supervisor *s)
{
	return memory_use_kept(s);
}

size_t supervisor_doctor(const struct supervisor *s, const struct doctor_row **ret)
{
	struct supervisor *mine = (struct supervisor *)
		s; /* the rows, and what processes said of themselves, are caches */

	if (!s->loop) {
		worker_pool_await_hello(mine, HELLO_MS);
		compiler_client_await_hello(&mine->compiler, HELLO_MS);
	}
	return doctor_rows_make(&mine->doctor, s, ret);
}
