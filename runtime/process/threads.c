/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	running --signal--> held? goes on to threads_release() --+
 *	   ^                  no                                 v
 *	   +---- threads_thaw() <--- parked, counted in n_parked +
 *
 * `frozen` and `n_parked` are futex words. A thread that is made meanwhile parks before its first
 * step, since it looks at `frozen` after it has made its id known.
 */
#define _GNU_SOURCE
#include "runtime/process/threads.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/thread-awake.h"
#include "runtime/arena/meta.h"
#include "runtime/process/worker.h"

#define TICK_NS 5000000 /* those that were missed are signalled again */

static struct {
	struct threads_member *members;
	pthread_mutex_t lock;
	_Atomic bool any; /* there was one in this worker */
	_Atomic uint32_t frozen;
	_Atomic uint32_t n_parked;
} threads = { .lock = PTHREAD_MUTEX_INITIALIZER };

static __thread struct {
	struct threads_member *member;
	unsigned held; /* nesting */
	bool due;      /* the signal came while held */
	bool freezer;  /* this one has stopped the others */
	unsigned stops;
} mine;

static void futex_wait(_Atomic uint32_t *word, uint32_t seen, long ns)
{
	const struct timespec t = { ns / 1000000000, ns % 1000000000 };

	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, ns ? &t : NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

/* System calls only: this runs in the signal's handler. */
static void park(void)
{
	struct threads_member *m = mine.member;
	int saved = errno;

	mine.stops++;
	if (m)
		atomic_store(&m->parked, 1);
	atomic_fetch_add(&threads.n_parked, m != NULL);
	futex_wake(&threads.n_parked);
	while (atomic_load(&threads.frozen))
		futex_wait(&threads.frozen, 1, 0);
	atomic_fetch_sub(&threads.n_parked, m != NULL);
	if (m)
		atomic_store(&m->parked, 0);
	errno = saved;
}

static void on_signal(int signal)
{
	(void)signal;
	if (mine.held)
		mine.due = true;
	else if (atomic_load(&threads.frozen) && !mine.freezer)
		park();
}

void threads_hold(void)
{
	if (!atomic_load_explicit(&threads.any, memory_order_relaxed))
		return;
	/* One that is not among the members, or no longer: it must not begin anything now. */
	while (!mine.held && !mine.freezer && atomic_load(&threads.frozen))
		futex_wait(&threads.frozen, 1, 0);
	mine.held++;
}

void threads_release(void)
{
	/* The first thread was made since threads_hold(). */
	if (!mine.held)
		return;
	if (--mine.held || !mine.due)
		return;
	mine.due = false;
	if (atomic_load(&threads.frozen))
		park();
}

bool threads_can_be_stopped(void)
{
	return mine.member;
}

int threads_init(struct error *err)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK };

	if (sigaction(THREADS_SIGNAL, &action, NULL))
		return error_errno(err, "cannot catch the signal that stops threads");
	meta_set_gate(threads_hold, threads_release);
	return 0;
}

void threads_add(struct threads_member *m)
{
	atomic_store(&threads.any, true);
	threads_hold();
	pthread_mutex_lock(&threads.lock);
	m->next = threads.members;
	threads.members = m;
	pthread_mutex_unlock(&threads.lock);
	threads_release();
}

void threads_remove(struct threads_member *m)
{
	threads_hold();
	pthread_mutex_lock(&threads.lock);
	for (struct threads_member **at = &threads.members; *at; at = &(*at)->next) {
		if (*at != m)
			continue;
		*at = m->next;
		break;
	}
	mine.member = mine.member == m ? NULL : mine.member;
	pthread_mutex_unlock(&threads.lock);
	threads_release();
}

void threads_begin(struct threads_member *m)
{
	mine.member = m;
	atomic_store(&m->tid, gettid());
	if (atomic_load(&threads.frozen))
		park();
}

const struct threads_member *threads_current(void)
{
	return mine.member;
}

/* Signals those that run; how many there are. */
static uint32_t signal_all(void)
{
	uint32_t n = 0;

	pthread_mutex_lock(&threads.lock);
	for (struct threads_member *m = threads.members; m; m = m->next) {
		pid_t tid = atomic_load(&m->tid);

		n++;
		if (tid && !atomic_load(&m->parked))
			syscall(SYS_tgkill, worker.pid, tid, THREADS_SIGNAL);
	}
	pthread_mutex_unlock(&threads.lock);
	return n;
}

bool threads_freeze(int ms)
{
	int64_t deadline = clock_now_ms() + ms;

	if (!atomic_load(&threads.any))
		return true;
	mine.freezer = true;
	atomic_store(&threads.frozen, 1);
	for (;;) {
		uint32_t n = signal_all(), parked = atomic_load(&threads.n_parked);

		/* Others than members may be in a table. */
		if (parked >= n && !meta_is_busy())
			return true;
		if (clock_now_ms() > deadline)
			break;
		futex_wait(&threads.n_parked, parked, parked >= n ? TICK_NS / 50 : TICK_NS);
	}
	threads_thaw();
	return false;
}

void threads_thaw(void)
{
	atomic_store(&threads.frozen, 0);
	mine.freezer = false;
	futex_wake(&threads.frozen);
}

bool threads_any(void)
{
	bool some;

	if (!atomic_load(&threads.any))
		return false;
	threads_hold();
	pthread_mutex_lock(&threads.lock);
	some = threads.members != NULL;
	pthread_mutex_unlock(&threads.lock);
	threads_release();
	return some;
}

int threads_count_awake(void)
{
	int n = thread_awake(worker.pid);

	if (!atomic_load(&threads.any))
		return n;
	threads_hold();
	pthread_mutex_lock(&threads.lock);
	for (struct threads_member *m = threads.members; m; m = m->next) {
		pid_t tid = atomic_load(&m->tid);

		n += !tid || thread_awake(tid);
	}
	pthread_mutex_unlock(&threads.lock);
	threads_release();
	return n;
}

unsigned threads_stops(void)
{
	return mine.stops;
}

void threads_leave(void)
{
	threads.members = NULL;
	mine.member = NULL;
	mine.held = 0;
	mine.due = false;
	atomic_store(&threads.any, false);
	atomic_store(&threads.frozen, 0);
}
