/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	     wanted         forked, hello        nobody else has the session
 *	 - ---------> spare ------------> spare -----------------------------> active
 *	              (no pid)            READY         WORKER_ATTACH          ATTACHING, then IDLE
 *
 * worker_pool_advance() does the next step that is possible; every event ends there. Failures in a
 * row make it wait before it tries again, and let the cell that waits fail with the reason.
 */
#include "kernel/workers/worker-pool.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/cuda/device-target.h"
#include "common/protocol/compiler-protocol.h"
#include "common/protocol/ipc.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/base/cpu-deadline.h"
#include "kernel/base/loop.h"
#include "kernel/base/process.h"
#include "kernel/core/supervisor-state.h"
#include "kernel/sandbox/machine-memory.h"
#include "kernel/sandbox/sandbox.h"
#include "kernel/settings/limits.h"
#include "kernel/settings/size-text.h"
#include "kernel/state/tracked-list.h"
#include "kernel/workers/launcher-client.h"
#include "kernel/workers/libraries.h"
#include "kernel/workers/orphans.h"
#include "kernel/workers/output-drain.h"
#include "kernel/workers/presenter-client.h"
#include "kernel/workers/question-compiler.h"

#define FAILURES_MAX 3
#define RETRY_MS 500
#define WAIT_MS 5000 /* for one that was killed, as kernel/base/cpu-deadline.h counts */
#define RELEASE_MS 1000
#define START_MS CPU_DEADLINE_END_MS
#define FORK_MS 10000

static void advance(struct supervisor *s);
static void on_zygote(void *data);
static void on_zygote_death(void *data);
static void start_looking(struct supervisor *s);
static void let_die(struct supervisor *s, struct worker *w);

static void bury_all(void *data)
{
	struct worker_pool *p = ((struct supervisor *)data)->pool;

	p->bury = NULL;
	while (p->dead) {
		struct worker *w = p->dead;

		p->dead = w->next;
		worker_free(w);
	}
}

/* Moves a dead worker to the list that the loop frees: the caller may be one of the worker's own
 * callbacks. */
static void bury(struct supervisor *s, struct worker *w)
{
	struct worker_pool *p = s->pool;

	w->next = p->dead;
	p->dead = w;
	if (s->loop && !p->bury)
		p->bury = loop_add_timer(s->loop, 0, bury_all, s);
}

static void remove_dying(struct worker_pool *p, struct worker *w)
{
	struct worker **at = &p->dying;

	while (*at && *at != w)
		at = &(*at)->next;
	if (*at)
		*at = w->next;
}

static bool session_is_held(const struct worker_pool *p)
{
	for (const struct worker *w = p->dying; w; w = w->next)
		if (w->attached)
			return true;
	return false;
}

/* Linux may be unable to end a process that hangs in a driver. The pool stops waiting for the
 * session's memory to be unmapped there. */
static void give_up(struct supervisor *s, struct worker *w)
{
	w->attached = false;
	log_error("worker %d cannot be killed; it hangs inside Linux", (int)w->pid);
	buffer_printf(&s->run.restored,
		      "GPU stuck: process %d of the cell cannot be killed, because it hangs in a "
		      "driver. It may still use memory of the host and of the device. The session "
		      "goes on in another process.\n",
		      (int)w->pid);
}

static bool is_on_its_way(const struct worker *w)
{
	return w && (w->state == WORKER_STARTING || w->state == WORKER_FORKED ||
		     w->state == WORKER_ATTACHING);
}

/* Tells whether the worker has not yet acted on its last commit: it then maps the committed pages
 * private again and gives memory back to the driver. */
static bool is_behind_commit(const struct worker *w)
{
	return w && w->pid && w->state > WORKER_ATTACHING && w->state < WORKER_DYING &&
	       atomic_load(&w->control->committed) != w->commits;
}

static void say_stuck(struct supervisor *s, const struct worker *w)
{
	log_error("worker %d hangs in the driver of the device; the next ones leave it alone",
		  (int)w->pid);
	if (!s->pool->device_hangs)
		buffer_printf(&s->run.restored,
			      "GPU stuck: process %d hangs in the driver. Cells go on without the "
			      "device; `%%gpu reset` tries it again.\n",
			      (int)w->pid);
	s->pool->device_hangs = true;
}

/* Ends a worker that takes too long after a commit. The commit is complete, and a cell that was
 * sent meanwhile has not begun, so the next worker runs it. */
static void look_behind_commit(struct supervisor *s)
{
	struct worker *w = s->pool->active;

	if (!is_behind_commit(w))
		return;
	if (!w->late)
		cpu_deadline_begin(&w->cpu_deadline, w->pid, CPU_DEADLINE_ANSWER);
	w->late = true;
	if (cpu_deadline_used_ms(&w->cpu_deadline) < START_MS)
		return;
	say_stuck(s, w);
	worker_kill(w);
}

/* Ends a worker that hangs while it starts or takes the session: only calls of the driver can take
 * for ever there. */
static void look_at_start(struct supervisor *s, struct worker *w)
{
	if (!is_on_its_way(w) || !w->pid || cpu_deadline_used_ms(&w->cpu_deadline) < START_MS)
		return;
	if (w == s->pool->spare && s->hooks->on_hang(s))
		return;
	say_stuck(s, w);
	if (w == s->pool->spare) {
		s->pool->spare = NULL;
		let_die(s, w);
	} else {
		worker_pool_retire(s);
	}
}

static void on_look(void *data)
{
	struct supervisor *s = data;

	s->pool->look = NULL;
	look_at_start(s, s->pool->spare);
	look_at_start(s, s->pool->active);
	look_behind_commit(s);
	for (struct worker *w = s->pool->dying; w; w = w->next)
		if (w->attached && cpu_deadline_used_ms(&w->cpu_deadline) > WAIT_MS)
			give_up(s, w);
	start_looking(s);
	advance(s);
}

static void start_looking(struct supervisor *s)
{
	struct worker_pool *p = s->pool;

	if (s->loop && !p->look &&
	    (session_is_held(p) || is_on_its_way(p->spare) || is_on_its_way(p->active) ||
	     is_behind_commit(p->active)))
		p->look = loop_add_timer(s->loop, CPU_DEADLINE_LOOK_MS, on_look, s);
}

static void let_die(struct supervisor *s, struct worker *w)
{
	struct worker_pool *p = s->pool;

	worker_kill(w);
	if (w->state == WORKER_STARTING || !w->pid) {
		bury(s, w);
		return;
	}
	w->next = p->dying;
	p->dying = w;
	if (w->attached) {
		cpu_deadline_begin(&w->cpu_deadline, w->pid, CPU_DEADLINE_DEATH);
		start_looking(s);
	}
}

/* ---- zygote ---- */

static void on_issue(void *data, const char *step, const char *why)
{
	sandbox_report(&((struct supervisor *)data)->sandbox, step, why);
}

static void on_forked(void *data, uint32_t id, pid_t pid, int error)
{
	struct supervisor *s = data;
	struct worker *w = s->pool->spare;
	struct error err = ERROR_INIT;

	if (!w || w->id != id) {
		log_debug("worker %d was forked for nobody; it ends with its channel", (int)pid);
		return;
	}
	if (pid && !worker_forked(w, pid, &err)) {
		if (s->loop)
			worker_watch(w, s->loop);
		return;
	}
	if (!pid)
		log_error("the zygote cannot fork a worker: %s", strerror(error));
	else
		log_error("%s", err.text);
	s->pool->failures++;
	s->pool->spare = NULL;
	if (w->pid && s->loop)
		worker_watch(w, s->loop);
	let_die(s, w);
	advance(s);
}

static int on_loaded(void *data, uint32_t id, struct record *r, struct error *err)
{
	return libraries_on_loaded(data, id, r, err);
}

static const struct zygote_events zygote_events = { on_issue, on_forked, on_loaded };

int worker_pool_start_zygote(struct supervisor *s, struct error *err)
{
	struct worker_pool *p = s->pool;
	const struct zygote_setup setup = {
		.dir = s->libexec_dir,
		.hidden = &s->hidden,
		.seccomp = s->sandbox.program.data,
		.seccomp_len = s->sandbox.program.len,
		.flags = s->sandbox.flags,
		.covered = &s->covered_for_cells,
		.view = s->sandbox.view,
	};

	if (zygote_client_start(&p->zygote, &setup, err))
		return -1;
	sandbox_adopt_zygote(&s->sandbox, p->zygote.process.pid);
	if (libraries_load_again(s, err))
		return -1;
	if (s->loop) {
		p->zygote_channel = loop_add_fd(s->loop, p->zygote.process.sock, on_zygote, s);
		p->zygote_death = loop_add_fd(s->loop, p->zygote.process.pidfd, on_zygote_death, s);
	}
	return 0;
}

static void drop_zygote(struct supervisor *s)
{
	struct worker_pool *p = s->pool;

	if (s->loop) {
		loop_remove(s->loop, p->zygote_channel);
		loop_remove(s->loop, p->zygote_death);
		p->zygote_channel = p->zygote_death = NULL;
	}
	if (!p->zygote.ready)
		p->failures++;
	zygote_client_end(&p->zygote);
	/* A worker that this zygote was asked for will never be forked. */
	if (p->spare && p->spare->state == WORKER_STARTING) {
		let_die(s, p->spare);
		p->spare = NULL;
	}
	libraries_on_zygote_gone(s);
}

static void replace_zygote(struct supervisor *s, const struct error *why)
{
	log_warning("the zygote is started again: %s", why->text);
	drop_zygote(s);
	advance(s);
}

static void on_zygote(void *data)
{
	struct supervisor *s = data;
	struct error err = ERROR_INIT;

	if (zygote_client_receive(&s->pool->zygote, &zygote_events, s, &err))
		replace_zygote(s, &err);
}

static void on_zygote_death(void *data)
{
	struct supervisor *s = data;
	siginfo_t info;
	char how[64];

	/* Messages that the zygote sent before it died still count. */
	zygote_client_receive(&s->pool->zygote, &zygote_events, s, NULL);
	if (process_reap(&s->pool->zygote.process, &info))
		return;
	log_warning("the zygote %s; it is started again", process_death(&info, how, sizeof(how)));
	drop_zygote(s);
	advance(s);
}

/* ---- attach ---- */

uint32_t worker_pool_device_sm(const struct supervisor *s)
{
	uint32_t sm = s->pool->hello.capability;

	return sm > DEVICE_TARGET_OLDEST ? sm : DEVICE_TARGET_OLDEST;
}

uint64_t worker_pool_device_limit(const struct supervisor *s, const struct worker_hello *h)
{
	return limits_apply(s->limits, LIMIT_GPU, s->device_limit, machine_memory_total() / 2,
			    h->device_memory);
}

static void attach(struct supervisor *s)
{
	struct worker_pool *p = s->pool;
	struct worker *w = p->spare;
	struct error err = ERROR_INIT;

	p->spare = NULL;
	p->active = w;
	w->attached = true;
	w->state = WORKER_ATTACHING;
	cpu_deadline_begin(&w->cpu_deadline, w->pid, CPU_DEADLINE_ANSWER);
	start_looking(s);
	if (!s->hooks->send_session(s, w, &err))
		return;
	/* The worker is dead or dying, and its death leads to the next one. */
	log_warning("worker %d cannot be given the session: %s", (int)w->pid, err.text);
	worker_kill(w);
}

/* ---- workers ---- */

static void on_message(void *data, struct worker *w, struct ipc_message *m)
{
	struct supervisor *s = data;

	/* A worker that was retired while it attached may still send WORKER_ATTACHED. */
	if (m->type == WORKER_ATTACHED && w == s->pool->active && w->state == WORKER_ATTACHING)
		s->hooks->on_attached(s, w, m);
	else if (w->attached && m->type != WORKER_ATTACHED)
		s->hooks->on_message(s, w, m);
}

/* Sends the compiler what is known of the device, so that it can prepare for C++ cells while it is
 * idle. */
static void tell_compiler(struct supervisor *s)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;

	record_put_u32(&b, worker_pool_device_sm(s));
	question_compiler_tell(s, COMPILER_DEVICE, &b);
}

static void on_hello(void *data, struct worker *w)
{
	struct supervisor *s = data;
	bool is_other;

	if (!w->checks) {
		if (!s->hooks->on_hello(s, w))
			return;
		is_other = !s->pool->said_hello || s->pool->hello.capability != w->hello.capability;
		s->pool->hello = w->hello;
		s->pool->said_hello = true;
		if (is_other)
			tell_compiler(s);
	}
	log_info("worker %d is ready", (int)w->pid);
	if (worker_pool_is_ready(s))
		s->pool->failures = 0;
	advance(s);
}

static void on_output(void *data, struct worker *w)
{
	output_drain(data, w);
}

/* Reads the zygote's pending messages, since a worker that was forked and is not known yet would be
 * taken for an orphan. */
static void await_forked(struct supervisor *s)
{
	struct worker_pool *p = s->pool;
	uint64_t deadline = loop_now_ms() + FORK_MS;

	while (p->spare && p->spare->state == WORKER_STARTING && loop_now_ms() < deadline) {
		struct pollfd fds[] = { { p->zygote.process.sock, POLLIN, 0 },
					{ p->zygote.process.pidfd, POLLIN, 0 } };

		if (poll(fds, 2, FORK_MS) <= 0 ||
		    zygote_client_receive(&p->zygote, &zygote_events, s, NULL) || fds[1].revents)
			return;
	}
}

static void on_death(void *data, struct worker *w)
{
	struct supervisor *s = data;
	struct worker_pool *p = s->pool;
	bool was_active = w == p->active;
	char how[64];

	log_info("worker %d %s", (int)w->pid, process_death(&w->death, how, sizeof(how)));
	if (was_active)
		p->active = NULL;
	else if (w == p->spare)
		p->spare = NULL;
	else
		remove_dying(p, w);
	if (w->attached) {
		pid_t pids[WORKER_POOL_PIDS];

		await_forked(s);
		orphans_kill(pids, worker_pool_pids(s, pids));
	}
	if (!w->ready || (w->attached && !w->held))
		p->failures++;
	s->hooks->on_death(s, w, was_active, how);
	w->attached = false;
	bury(s, w);
	s->hooks->on_buried(s);
	advance(s);
}

static const struct worker_events worker_events = { on_message, on_hello, on_issue, on_output,
						    on_death };

static int ask_for_worker(struct supervisor *s, struct error *err)
{
	struct worker_pool *p = s->pool;
	struct worker_device device;

	s->hooks->choose_device(s, &device);
	sandbox_await_zygote(&s->sandbox);
	p->spare = worker_new(++p->last_id, &p->zygote, s->snapshot.arena.reader, &device,
			      &worker_events, s, err);
	if (p->spare)
		start_looking(s);
	return p->spare ? 0 : -1;
}

static void on_retry(void *data)
{
	struct supervisor *s = data;

	s->pool->retry = NULL;
	if (s->pool->failures >= FAILURES_MAX)
		s->pool->failures = FAILURES_MAX - 1;
	advance(s);
}

/* Tells whether there were so many failures that the pool must wait. A cell that waits fails
 * then. */
static bool must_wait(struct supervisor *s)
{
	struct worker_pool *p = s->pool;

	if (p->failures < FAILURES_MAX)
		return false;
	if (!p->retry && s->loop)
		p->retry = loop_add_timer(s->loop, RETRY_MS, on_retry, s);
	s->hooks->on_no_worker(s);
	return true;
}

/* Ends a spare that does not fit: a checker cannot stand in for an ordinary worker, nor the worker
 * of one driver for that of another. */
static void drop_wrong_spare(struct supervisor *s)
{
	struct worker *w = s->pool->spare;

	if (!w || s->hooks->fits(s, w))
		return;
	s->pool->spare = NULL;
	let_die(s, w);
}

static void note_failure(struct supervisor *s)
{
	struct worker_pool *p = s->pool;

	p->failures++;
	must_wait(s);
	if (p->failures < FAILURES_MAX && s->loop && !p->retry)
		p->retry = loop_add_timer(s->loop, 0, on_retry, s);
}

static void start_spare(struct supervisor *s)
{
	struct worker_pool *p = s->pool;
	struct error err = ERROR_INIT;
	bool is_new = p->zygote.process.sock < 0;

	if (!(is_new && worker_pool_start_zygote(s, &err)) && !ask_for_worker(s, &err))
		return;
	/* A zygote that dies closes its channel before the loop hears of its death. */
	if (!is_new && err.code == ERROR_PEER_GONE) {
		replace_zygote(s, &err);
		return;
	}
	log_error("%s", err.text);
	note_failure(s);
}

static void advance(struct supervisor *s)
{
	struct worker_pool *p = s->pool;

	if (p->closing)
		return;
	drop_wrong_spare(s);
	if (!p->active && p->spare && p->spare->state == WORKER_READY && !session_is_held(p) &&
	    !p->hold && s->loop && s->hooks->before_attach(s))
		attach(s);
	if (s->hooks->keeps_workers_away(s) || p->spare || must_wait(s))
		return;
	/* Forking the next spare would slow down the worker that attaches. */
	if (p->active && p->active->state == WORKER_ATTACHING)
		return;
	start_spare(s);
}

int worker_pool_init(struct supervisor *s, struct error *err)
{
	return ask_for_worker(s, err);
}

void worker_pool_watch(struct supervisor *s)
{
	struct worker_pool *p = s->pool;

	p->zygote_channel = loop_add_fd(s->loop, p->zygote.process.sock, on_zygote, s);
	p->zygote_death = loop_add_fd(s->loop, p->zygote.process.pidfd, on_zygote_death, s);
	if (p->spare && p->spare->pid)
		worker_watch(p->spare, s->loop);
	advance(s);
}

bool worker_pool_is_ready(const struct supervisor *s)
{
	return s->pool->active && s->pool->active->state == WORKER_IDLE;
}

void worker_pool_on_committed(struct supervisor *s, struct worker *w)
{
	w->commits++;
	w->late = false;
	start_looking(s);
}

void worker_pool_retire(struct supervisor *s)
{
	struct worker *w = s->pool->active;

	s->pool->active = NULL;
	if (w) {
		let_die(s, w);
		s->hooks->on_retired(s);
	}
	advance(s);
}

static void drop_spare(struct supervisor *s)
{
	struct worker *spare = s->pool->spare;

	s->pool->spare = NULL;
	if (spare)
		let_die(s, spare);
}

void worker_pool_renew_spare(struct supervisor *s)
{
	drop_spare(s);
	advance(s);
}

void worker_pool_renew(struct supervisor *s)
{
	drop_spare(s);
	worker_pool_retire(s);
}

static bool await_death(struct worker *w)
{
	cpu_deadline_begin(&w->cpu_deadline, w->pid, CPU_DEADLINE_DEATH);
	while (!worker_await_death(w, CPU_DEADLINE_LOOK_MS))
		if (cpu_deadline_used_ms(&w->cpu_deadline) > WAIT_MS)
			return false;
	return true;
}

int worker_pool_empty(struct supervisor *s, struct error *err)
{
	struct worker_pool *p = s->pool;

	p->hold = true;
	worker_pool_retire(s);
	for (struct worker *w = p->dying, *next; w; w = next) {
		next = w->next;
		if (!await_death(w)) {
			p->hold = false;
			return error_set(err, ERROR_TIMEOUT, "worker %d does not end", (int)w->pid);
		}
	}
	s->hooks->on_empty(s);
	return 0;
}

void worker_pool_go_on(struct supervisor *s)
{
	s->pool->active->state = WORKER_IDLE;
	s->hooks->tell_committed(s, s->pool->active);
	advance(s);
}

void worker_pool_refill(struct supervisor *s)
{
	s->pool->hold = false;
	advance(s);
}

void worker_pool_look(struct supervisor *s)
{
	advance(s);
}

size_t worker_pool_pids(const struct supervisor *s, pid_t ret[WORKER_POOL_PIDS])
{
	const struct worker_pool *p = s->pool;
	size_t n = 0;

	ret[n++] = p->zygote.process.pid;
	ret[n++] = s->compiler->process.pid;
	ret[n++] = s->questions->client.process.pid;
	ret[n++] = s->launcher->process.pid;
	ret[n++] = s->presenter->process.pid;
	if (s->other_helper)
		ret[n++] = *s->other_helper;
	if (p->active)
		ret[n++] = p->active->pid;
	if (p->spare)
		ret[n++] = p->spare->pid;
	for (const struct worker *w = p->dying; w && n < WORKER_POOL_PIDS; w = w->next)
		ret[n++] = w->pid;
	return n;
}

void worker_pool_await_hello(struct supervisor *s, int ms)
{
	struct worker_pool *p = s->pool;
	uint64_t deadline = loop_now_ms() + (uint64_t)ms;

	while (p->spare && !p->said_hello && loop_now_ms() < deadline) {
		struct pollfd fds[] = { { p->zygote.process.sock, POLLIN, 0 },
					{ p->spare->channel, POLLIN, 0 } };

		if (poll(fds, 2, (int)(deadline - loop_now_ms())) <= 0)
			return;
		if (fds[0].revents && zygote_client_receive(&p->zygote, &zygote_events, s, NULL))
			return;
		if (fds[1].revents && worker_receive_one(p->spare, 0, NULL) < 0)
			return;
	}
}

void worker_pool_release(struct supervisor *s)
{
	struct worker_pool *p = s->pool;
	pid_t pids[WORKER_POOL_PIDS];

	p->closing = true;
	if (s->loop) {
		loop_remove(s->loop, p->zygote_channel);
		loop_remove(s->loop, p->zygote_death);
		loop_remove(s->loop, p->retry);
		loop_remove(s->loop, p->look);
	}
	if (p->active)
		let_die(s, p->active);
	if (p->spare)
		let_die(s, p->spare);
	p->active = p->spare = NULL;
	zygote_client_end(&p->zygote);
	for (struct worker *w = p->dying, *next; w; w = next) {
		next = w->next;
		worker_await_death(w, RELEASE_MS);
	}
	orphans_kill(pids, worker_pool_pids(s, pids));
	if (s->loop)
		loop_remove(s->loop, p->bury);
	bury_all(s);
	for (struct worker *w = p->dying, *next; w; w = next) {
		next = w->next;
		worker_free(w);
	}
	p->dying = NULL;
}

void worker_pool_describe_losses(const struct supervisor *s, struct buffer *out)
{
	uint64_t bytes = worker_library_memory(s->pool->active);
	char size[SIZE_TEXT_MAX];

	tracked_list_describe(&s->snapshot, out);
	if (bytes)
		buffer_printf(out,
			      "%s%s of device memory that cells or libraries took from the driver",
			      out->len ? ", " : "", size_text(bytes, size));
}
