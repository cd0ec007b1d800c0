/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of supervisor.h; cell-run.c implements them for one cell, worker-pool.c for the
 * processes. */
#define _GNU_SOURCE
#include "kernel/supervisor/supervisor.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/deep-thread.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/protocol/compiler-protocol.h"
#include "common/protocol/worker-protocol.h"
#include "config.h"
#include "kernel/base/loop.h"
#include "kernel/base/process.h"
#include "kernel/cell-run/cell-run.h"
#include "kernel/cell-run/cell-stop.h"
#include "kernel/cell-run/checker.h"
#include "kernel/cell-run/in-place.h"
#include "kernel/cell-run/interrupt.h"
#include "kernel/cell-run/leak-watch.h"
#include "kernel/cell-run/memory-use.h"
#include "kernel/cell-run/pressure.h"
#include "kernel/cell-run/rest.h"
#include "kernel/cell-run/shared-memory.h"
#include "kernel/cell-run/watchdog.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/device/closings.h"
#include "kernel/device/device-home.h"
#include "kernel/device/device-nodes.h"
#include "kernel/device/device-share.h"
#include "kernel/device/spare-context.h"
#include "kernel/device/version-watch.h"
#include "kernel/faults/memcheck.h"
#include "kernel/faults/memory-report.h"
#include "kernel/sandbox/cgroup.h"
#include "kernel/sandbox/machine-memory.h"
#include "kernel/sandbox/nvidia-nodes.h"
#include "kernel/sandbox/sandbox.h"
#include "kernel/settings/limits.h"
#include "kernel/settings/size-text.h"
#include "kernel/state/arena-file.h"
#include "kernel/state/device-memory.h"
#include "kernel/state/dirty-pages.h"
#include "kernel/state/journal.h"
#include "kernel/state/session-swap.h"
#include "kernel/state/snapshot.h"
#include "kernel/state/tracked-list.h"
#include "kernel/supervisor/attach.h"
#include "kernel/supervisor/doctor-rows.h"
#include "kernel/units/compiled-unit.h"
#include "kernel/workers/helper-setup.h"
#include "kernel/workers/launcher-client.h"
#include "kernel/workers/presenter-client.h"
#include "kernel/workers/question-compiler.h"
#include "kernel/workers/told-declarations.h"
#include "kernel/workers/worker-pool.h"
#include "kernel/workers/worker.h"
#include "kernel/workers/zygote-client.h"

/* As kernel/base/cpu-deadline.h counts. */
#define HELLO_MS 30000
#define HELPER_MEMORY (2ull << 30) /* the least limit */
#define PRIVATE_BYTES (1ull << 30) /* on the "disk" of the profile `locked` */
/* Memory for the zygote, workers without a session, and what a cell takes between two looks of the
 * watchdog. */
#define GROUP_ROOM (1ull << 30)

/* Raises the limit of descriptors, since each chunk of device memory is one in this process. */
static void raise_descriptor_limit(void)
{
	struct rlimit r;

	if (!getrlimit(RLIMIT_NOFILE, &r)) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

/* Limits the control group, as the last defence behind the watchdog: no cell takes more than this,
 * however fast. Emulated device memory counts there, too. */
static void bound_memory(struct supervisor *s)
{
	uint64_t device = s->device_limit ? s->device_limit : machine_memory_total() / 2;
	struct error err = ERROR_INIT;

	if (cgroup_bound_memory(&s->sandbox.cgroup, s->host_limit + device + GROUP_ROOM, &err))
		log_info("%s", err.text);
}

static int start(struct supervisor *s, const struct supervisor_options *o, struct error *err)
{
	const struct sandbox_setup setup = {
		.profile = o->profile,
		.disabled = o->disabled_sandbox,
		.hides = s->hidden.n != 0,
		.programs = s->libexec_dir,
		.readable = o->readable,
		.private_bytes = limits_apply(s->limits, LIMIT_DISK, 0, PRIVATE_BYTES, 0),
	};

	/* This must precede the process becoming undumpable: after that an ordinary user cannot
	 * read the page map of its own process. */
	s->dirty_pages = dirty_pages_choose();
	if (HAVE_CUDA)
		nvidia_nodes_make(
			&(struct nvidia_nodes_places){ s->proc_dir, "/dev", "nvidia-modprobe" },
			&s->nvidia_nodes);
	if (sandbox_init(&s->sandbox, &setup, err) || worker_pool_start_zygote(s, err) ||
	    snapshot_init(&s->snapshot, &s->sandbox.memory, o->undo_limit, err))
		return -1;
	raise_descriptor_limit();
	pressure_init(s->pressure, s->proc_dir);
	return 0;
}

/* A helper that works on what a cell has written may have as much memory as the session. */
static uint64_t helper_memory(const struct supervisor *s)
{
	return s->host_limit > HELPER_MEMORY ? s->host_limit : HELPER_MEMORY;
}

static uint64_t compiler_memory(const struct supervisor *s)
{
	return helper_memory(s) + DEEP_THREAD_STACK_MAX;
}

static struct helper_setup helper_setup_of(struct supervisor *s)
{
	return (struct helper_setup){ .dir = s->libexec_dir,
				      .sandbox = &s->sandbox,
				      .hidden = &s->hidden,
				      .covered = &s->covered_for_cells,
				      .environment = &s->environment,
				      .memory = helper_memory(s) };
}

int supervisor_launch(struct supervisor *s, struct error *err)
{
	struct helper_setup helper = helper_setup_of(s);

	helper.memory = compiler_memory(s);
	helper.covered = &s->covered;
	compiler_client_init(s->compiler, &helper, s->language, s->declarations);
	question_compiler_init(s);
	if (worker_pool_init(s, err) || compiler_client_begin(s->compiler, err))
		return -1;
	s->oom_kills = watchdog_oom_kills(s);
	s->since = time(NULL);
	s->shared_at_start = shared_memory_of_machine();
	bound_memory(s);
	return 0;
}

/* The supervisor and its parts in one block, which begins with `s`. */
struct whole {
	struct supervisor s;
#define PART(type, member) struct type member;
#include "kernel/supervisor/parts.def"
#undef PART
};

static struct supervisor *join_parts(struct whole *w)
{
#define PART(type, member) w->s.member = &w->member;
#include "kernel/supervisor/parts.def"
#undef PART
	w->s.hooks = &attach_hooks;
	return &w->s;
}

struct supervisor *supervisor_new(const struct supervisor_options *o, struct error *err)
{
	struct whole *w = calloc(1, sizeof(*w));
	struct helper_setup helper;
	struct supervisor *s;

	if (!w) {
		error_set(err, ERROR_MEMORY, "out of memory");
		return NULL;
	}
	s = join_parts(w);
	s->compiler->process = s->questions->client.process = s->pool->zygote.process =
		(struct process)PROCESS_INIT;
	s->snapshot.arena = (struct arena_file)ARENA_FILE_INIT;
	s->sandbox.memory = (struct read_only_mount)READ_ONLY_MOUNT_INIT;
	s->snapshot.live = s->pressure->fd = -1;
	eviction_init(s);
	unit_table_init(&s->units);
	s->language = o->language;
	s->libexec_dir = strdup(o->libexec_dir);
	if (o->hidden && *o->hidden)
		hidden_paths_add(&s->hidden, o->hidden);
	s->proc_dir = strdup(o->proc_dir ? o->proc_dir : "/proc");
	s->host_limit = o->host_limit ? o->host_limit : machine_memory_default_limit();
	helper = helper_setup_of(s);
	presenter_client_init(s->presenter, &helper);
	/* Commands are the user's own programs. */
	helper.memory = 0;
	launcher_client_init(s->launcher, &helper);
	s->device_limit = o->device_limit;
	s->limits = o->limits;
	if (!s->libexec_dir || !s->proc_dir || environment_init(&s->environment, err) ||
	    start(s, o, err)) {
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
	compiler_client_start(s->compiler, loop);
	compiler_client_start(&s->questions->client, loop);
	launcher_client_start(s->launcher, loop);
	worker_pool_watch(s);
}

void supervisor_hide(struct supervisor *s, const char *path)
{
	if (hidden_paths_has(&s->hidden, path))
		return;
	hidden_paths_add(&s->covered, path);
	supervisor_hide_from_cells(s, path);
}

void supervisor_hide_from_cells(struct supervisor *s, const char *path)
{
	struct hidden_paths *list = &s->covered_for_cells;
	struct error err = ERROR_INIT;

	if (hidden_paths_has(&s->hidden, path) || !hidden_paths_add(list, path))
		return;
	/* A zygote that is gone is told when it is restarted. */
	if (zygote_client_hide(&s->pool->zygote, list, list->n - 1, &err))
		log_info("%s", err.text);
}

void supervisor_keep(struct supervisor *s, const pid_t *helper)
{
	s->other_helper = helper;
}

void supervisor_confinement(struct supervisor *s, struct buffer *ret)
{
	struct helper_setup helper = helper_setup_of(s);

	helper.without = SANDBOX_WORKSPACE;
	helper_setup_confine(&helper, sandbox_filter(&s->sandbox), ret);
}

void supervisor_free(struct supervisor *s)
{
	if (!s)
		return;
	snapshots_release(s);
	cell_run_release(s);
	eviction_release(s);
	spare_context_release(s);
	worker_pool_release(s);
	closings_release(s);
	rest_release(s);
	compiler_client_release(s->compiler);
	question_compiler_release(s);
	launcher_client_release(s->launcher);
	presenter_client_release(s->presenter);
	sandbox_release(&s->sandbox);
	snapshot_release(&s->snapshot);
	journal_release(&s->journal);
	device_memory_release(&s->device);
	device_nodes_release(s->nodes);
	libraries_release(s->libraries);
	unit_table_release(&s->units);
	doctor_rows_release(s->doctor);
	version_watch_release(s->versions);
	pressure_release(s->pressure);
	device_share_release(s);
	leak_watch_release(s->leaks);
	environment_release(&s->environment);
	told_declarations_release(s->declarations);
	free(s->libexec_dir);
	free(s->proc_dir);
	hidden_paths_release(&s->hidden);
	free(s->cell_text);
	memcheck_release(&s->memcheck);
	hidden_paths_release(&s->covered);
	hidden_paths_release(&s->covered_for_cells);
	free(s);
}

/* ---- compiler ---- */

void supervisor_declare(struct supervisor *s, size_t total,
			const struct declaration_change *changes, size_t n)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct error err = ERROR_INIT;

	if (told_declarations_change(s->declarations, total, changes, n, &b, &err))
		log_error("%s", err.text);
	else
		question_compiler_tell(s, COMPILER_DECLARATIONS, &b);
}

static void refuse(struct supervisor *s, const char *headline, const char *diagnostics)
{
	s->cb->on_compiled(s->cb_data, NULL, headline, diagnostics);
}

static void on_compiler_lost(struct supervisor *s)
{
	cleanup_buffer struct buffer text = BUFFER_INIT;
	char size[SIZE_TEXT_MAX];

	if (s->compiler->died_at_start) {
		buffer_printf(&text, "the compiler %s", s->compiler->last_death);
		refuse(s, buffer_text(&text),
		       "Nothing was run, and the session is as it was.\nRun the cell again to try "
		       "once more. If it stays so, `cgpu-kernel --doctor` in a shell says what the "
		       "compiler lacks.");
		return;
	}
	if (s->compiler->out_of_memory) {
		buffer_printf(&text, "the compiler needed more than %s of memory for this cell",
			      size_text(helper_memory(s), size));
		refuse(s, buffer_text(&text),
		       "Nothing was run, and the session is as it was.\nMacros and templates that "
		       "name themselves twice or more double what is to be compiled with each "
		       "level. "
		       "If the cell is right as it is, `%limit ram` with a larger limit helps.");
		return;
	}
	buffer_printf(&text, "the compiler %s while it worked on this cell",
		      s->compiler->last_death);
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
	struct compiled_unit *unit;
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
	unit = type == COMPILER_COMPILED && !memcheck_take_answer(&s->memcheck, &r, &err)
		       ? compiled_unit_new(encoded, encoded_len, &err)
		       : NULL;
	if (unit)
		s->cb->on_compiled(s->cb_data, unit, "", "");
	else if (err.code == ERROR_MEMORY)
		refuse(s, "the kernel process is out of memory", err.text);
	else
		refuse(s, "the compiler's answer is malformed", err.text);
	compiled_unit_release(unit);
}

int supervisor_compile(struct supervisor *s, const struct supervisor_compilation *c,
		       struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	free(s->cell_text);
	s->cell_text = strdup(c->written ? c->written : c->text);
	record_put_u32(&b, c->cell);
	record_put_str(&b, c->name);
	record_put_str(&b, c->text);
	record_put_str(&b, c->written ? c->written : "");
	record_put_str(&b, c->cflags);
	record_put_str(&b, c->nvflags);
	record_put_u32(&b, s->compile_sm ? s->compile_sm : worker_pool_device_sm(s));
	s->compile_sm = 0;
	record_put_u32(&b, (uint32_t)c->n_replaced);
	for (size_t i = 0; i < c->n_replaced; i++)
		record_put_u32(&b, c->replaced[i]);
	record_put_u8(&b, c->options->debugged);
	memcheck_put_request(&s->memcheck, c->options->checked, &s->units, &b);
	if (compiler_client_ask(s->compiler, COMPILER_COMPILE, &b, 0, on_compiled, s, err))
		return -1;
	s->compiling = true;
	return 0;
}

void supervisor_compile_for(struct supervisor *s, uint32_t sm)
{
	s->compile_sm = sm;
}

int supervisor_complete(struct supervisor *s, const char *text, uint32_t cursor,
			compiler_answer *cb, void *data, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_str(&b, text);
	record_put_u32(&b, cursor);
	return question_compiler_ask(s, COMPILER_COMPLETE, &b, cb, data, err);
}

int supervisor_words(struct supervisor *s, uint8_t kind, const char *typed, compiler_answer *cb,
		     void *data, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_u8(&b, kind);
	record_put_str(&b, typed);
	return question_compiler_ask(s, COMPILER_WORDS, &b, cb, data, err);
}

int supervisor_inspect(struct supervisor *s, const char *text, uint32_t cursor, compiler_answer *cb,
		       void *data, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_str(&b, text);
	record_put_u32(&b, cursor);
	return question_compiler_ask(s, COMPILER_INSPECT, &b, cb, data, err);
}

int supervisor_express(struct supervisor *s, const char *text, uint32_t line,
		       const char *expression, compiler_answer *cb, void *data, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_str(&b, text);
	record_put_u32(&b, line);
	record_put_str(&b, expression);
	return question_compiler_ask(s, COMPILER_EXPRESS, &b, cb, data, err);
}

int supervisor_expressed(uint32_t type, const void *payload, size_t len, struct buffer *program,
			 struct error *err)
{
	struct record r = record_open(payload, payload ? len : 0);
	const char *refusal = record_str(&r), *bytes;
	size_t n;

	bytes = record_bytes(&r, &n);
	if (!payload || type != COMPILER_EXPRESSED || r.failed)
		return error_set(err, ERROR_STATE, "the compiler has not answered: ask again");
	if (*refusal)
		return error_set(err, ERROR_INPUT, "%s", refusal);
	buffer_append(program, bytes, n);
	return buffer_check(program, err);
}

int supervisor_is_complete(struct supervisor *s, const char *text, compiler_answer *cb, void *data,
			   struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_str(&b, text);
	return question_compiler_ask(s, COMPILER_IS_COMPLETE, &b, cb, data, err);
}

int supervisor_package(struct supervisor *s, uint8_t question, const char *text,
		       compiler_answer *cb, void *data, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_u8(&b, question);
	record_put_str(&b, text);
	return question_compiler_ask(s, COMPILER_PACKAGE, &b, cb, data, err);
}

void supervisor_go_to(struct supervisor *s, const char *folder)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_str(&b, folder);
	question_compiler_tell(s, COMPILER_FOLDER, &b);
}

int supervisor_set_variable(struct supervisor *s, const char *name, const char *value,
			    struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	if (environment_set(&s->environment, name, value, err))
		return -1;
	record_put_str(&b, environment_text(&s->environment, name));
	question_compiler_tell(s, COMPILER_VARIABLE, &b);
	return 0;
}

int supervisor_command(struct supervisor *s, const char *command, int out, int errors,
		       launcher_ended *fn, void *data, struct error *err)
{
	return launcher_client_run(s->launcher, command, out, errors, fn, data, err);
}

int supervisor_write_file(struct supervisor *s, const char *path, bool append, const char *content,
			  size_t len, launcher_ended *fn, void *data, struct error *err)
{
	return launcher_client_write(s->launcher, path, append, content, len, fn, data, err);
}

const char *supervisor_command_made_in(const struct supervisor *s)
{
	return s->launcher->made_in;
}

void supervisor_interrupt_command(struct supervisor *s)
{
	launcher_client_interrupt(s->launcher);
}

const struct environment *supervisor_environment(const struct supervisor *s)
{
	return &s->environment;
}

/* ---- cells ---- */

void supervisor_identify(struct supervisor *s, const char *id)
{
	leak_watch_identify(s->leaks, id);
}

void supervisor_deliver(struct supervisor *s, struct buffer *message)
{
	buffer_release(&s->run.delivery);
	s->run.delivery = *message;
	buffer_init(message);
}

void supervisor_run(struct supervisor *s, struct compiled_unit *unit, const struct buffer *dropped,
		    const struct run_options *options)
{
	cell_run_start(s, unit, dropped, options);
}

void supervisor_interrupt(struct supervisor *s)
{
	if (s->compiling)
		compiler_client_abandon(s->compiler);
	else if (!eviction_interrupt(s))
		interrupt_start(s);
}

void supervisor_set_breakpoints(struct supervisor *s, const struct debug_breakpoint *at, size_t n)
{
	cell_stop_set(s, at, n);
}

void supervisor_set_condition(struct supervisor *s, uint32_t condition, const void *bytes,
			      size_t len)
{
	cell_stop_set_condition(s, condition, bytes, len);
}

uint32_t supervisor_stop_condition(const struct supervisor *s)
{
	return s->stop->condition;
}

void supervisor_stop_at_faults(struct supervisor *s, bool on)
{
	s->stop->stops_at_faults = on;
}

void supervisor_follow_thread(struct supervisor *s, const struct debug_thread *t)
{
	s->stop->thread = *t;
}

const struct debug_thread *supervisor_followed_thread(const struct supervisor *s)
{
	return &s->stop->thread;
}

bool supervisor_is_stopped(const struct supervisor *s)
{
	return s->stop->is_stopped;
}

enum debug_reason supervisor_stop_reason(const struct supervisor *s)
{
	return s->stop->reason;
}

void supervisor_resume(struct supervisor *s, enum debug_command command)
{
	cell_stop_resume(s, command);
}

int supervisor_pause(struct supervisor *s, struct error *err)
{
	return cell_stop_pause(s, err);
}

uint64_t supervisor_sight(const struct supervisor *s)
{
	return s->snapshot.serial + s->stop->number;
}

const char *supervisor_fault(const struct supervisor *s)
{
	return s->stop->is_stopped ? buffer_text(&s->run.report.evalue) : "";
}

void supervisor_input(struct supervisor *s, bool eof, const char *line)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct error err = ERROR_INIT;

	if (s->run.phase != RUN_RUNNING || !s->pool->active)
		return;
	record_put_u8(&b, eof);
	record_put_str(&b, line);
	if (worker_send(s->pool->active, WORKER_INPUT, b.data, b.len, NULL, &err))
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
	struct session_state empty = { 0 };

	if (arena_file_init(&empty.arena, &s->sandbox.memory, err))
		return -1;
	unit_table_init(&empty.units);
	if (!session_replace(s, &empty, err))
		return 0;
	arena_file_release(&empty.arena);
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
	struct session_swap now = { s->snapshot.arena, s->device, s->units };
	int failed;

	if (only_between_cells(s, err) || worker_pool_empty(s, err))
		return -1;
	*ret_undoable = session_swap_bytes(&now) <= s->snapshot.undo.bytes_max;
	failed = *ret_undoable ? swap_for_empty(s, err) : make_empty(s, err);
	if (!failed) {
		leak_watch_release(s->leaks);
		eviction_forget(s);
	}
	if (!failed && *ret_undoable)
		worker_pool_renew(s); /* the spare has the old memory mapped */
	worker_pool_refill(s);
	return failed;
}

uint64_t supervisor_worker(const struct supervisor *s)
{
	/* The next worker counts up when it is given the session. */
	return s->pool->epoch + !s->pool->active;
}

uint64_t supervisor_state(const struct supervisor *s)
{
	return s->snapshot.serial;
}

void supervisor_settle(struct supervisor *s)
{
	in_place_settle(s);
}

int supervisor_load(struct supervisor *s, const char *const *paths, size_t n, libraries_loaded *fn,
		    void *data, struct error *err)
{
	if (only_between_cells(s, err))
		return -1;
	return libraries_load(s, paths, n, fn, data, err);
}

void supervisor_load_cancel(struct supervisor *s)
{
	if (s->libraries->request)
		pidfd_signal(s->pool->zygote.process.pidfd, SIGKILL);
}

bool supervisor_is_ready(const struct supervisor *s)
{
	return worker_pool_is_ready(s);
}

/* ---- questions ---- */

size_t supervisor_variables(const struct supervisor *s, const struct unit_variable **ret)
{
	/* The list is a cache, so the caller sees no change. */
	return unit_table_variables((struct unit_table *)&s->units, ret);
}

const char *supervisor_text(const struct supervisor *s, const char *cell_name)
{
	const char *text = unit_table_text(&s->units, cell_name);

	return text ? text : "";
}

bool supervisor_is_readable(const struct supervisor *s)
{
	/* While a thread writes the memfd, it holds neither the old nor the new state. */
	return s->run.phase != RUN_COMMITTING;
}

int supervisor_read(const struct supervisor *s, uint64_t address, void *out, size_t len)
{
	if (s->stop->is_stopped)
		return cell_stop_read(s, address, out, len);
	return !supervisor_is_readable(s) ? -1 : snapshot_read(&s->snapshot, address, out, len);
}

bool supervisor_is_emulated(const struct supervisor *s)
{
	return s->pool->hello.emulated;
}

int supervisor_renew(struct supervisor *s, struct buffer *ret_report, struct error *err)
{
	if (only_between_cells(s, err))
		return -1;
	if (!s->renewed_at || s->renewed_at == s->pool->epoch) {
		s->renewed_at = s->pool->epoch;
		s->pool->device_hangs = false;
		device_home_retry(s);
		worker_pool_renew(s);
		return error_set(err, ERROR_PEER_GONE, "no worker could be started");
	}
	s->renewed_at = 0;
	buffer_append(ret_report, buffer_text(&s->run.restored), s->run.restored.len);
	buffer_clear(&s->run.restored);
	return 0;
}

/* Sends the limits to the active worker; the next one gets them when it is attached. */
static int tell_limits(struct supervisor *s, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_u64(&b, s->host_limit);
	record_put_u64(&b, worker_pool_device_limit(s, &s->pool->hello));
	record_put_u8(&b, (uint8_t)s->device_rollback);
	return worker_pool_is_ready(s)
		       ? worker_send(s->pool->active, WORKER_LIMITS, b.data, b.len, NULL, err)
		       : 0;
}

int supervisor_set_limits(struct supervisor *s, uint64_t host_limit, uint64_t device_limit,
			  struct error *err)
{
	if (only_between_cells(s, err))
		return -1;
	s->host_limit = host_limit ? host_limit : machine_memory_default_limit();
	bound_memory(s);
	if (s->compiler->setup.memory != compiler_memory(s)) {
		s->compiler->setup.memory = s->questions->client.setup.memory = compiler_memory(s);
		compiler_client_renew(s->compiler);
		compiler_client_renew(&s->questions->client);
	}
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

enum profile supervisor_profile(const struct supervisor *s)
{
	return s->sandbox.setup.profile;
}

const struct limits *supervisor_ceilings(const struct supervisor *s)
{
	return s->limits;
}

uint64_t supervisor_device_memory(const struct supervisor *s)
{
	return s->pool->hello.device_memory;
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

void supervisor_set_interrupt(struct supervisor *s, bool keeps)
{
	s->interrupt_keeps = keeps;
}

bool supervisor_interrupt_keeps(const struct supervisor *s)
{
	return s->interrupt_keeps;
}

void supervisor_set_wait(struct supervisor *s, uint64_t ms)
{
	s->share->wait_ms = ms;
}

uint64_t supervisor_wait(const struct supervisor *s)
{
	return s->share->wait_ms;
}

int supervisor_share_table(struct supervisor *s, struct buffer *out, struct error *err)
{
	return device_share_table(s, out, err);
}

struct memory_use supervisor_memory_use(const struct supervisor *s)
{
	return memory_use_now(s, s->pool->active, true);
}

uint64_t supervisor_kept_bytes(const struct supervisor *s)
{
	return memory_use_kept(s);
}

size_t supervisor_doctor(const struct supervisor *s, const struct doctor_row **ret)
{
	/* The rows, and the facts of processes, are caches, so the caller sees no
	 * change. */
	struct supervisor *mine = (struct supervisor *)s;

	if (!s->loop) {
		worker_pool_await_hello(mine, HELLO_MS);
		compiler_client_await_hello(mine->compiler, HELLO_MS);
	}
	return doctor_rows_make(mine->doctor, s, ret);
}
