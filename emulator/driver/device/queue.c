/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One lock over all queues. Executors: one of them, the leader, looks at what is ready from tick to
 * tick; when it takes something, the next one leads. After some ticks without any work it sleeps
 * until there is some, so that a program which does not use the device costs nothing. An item is
 * due for an executor when it is two ticks old, or somebody waits or asks.
 */
#define _GNU_SOURCE
#include "emulator/driver/device/queue.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/thread-awake.h"
#include "emulator/ptx/machine-limits.h"
#include "emulator/warp/machine.h"

#define TICK_NS 250000
#define TICKS_AWAKE 40    /* without work, before the leader sleeps */
#define EXECUTORS_MAX 128 /* grids that run at the same time */

enum state { WAITING, RUNNING, DONE };

struct work {
	struct work *next;
	struct queue *queue;
	enum work_kind kind;
	enum state state;
	unsigned refs;
	bool awaited;    /* by a thread of the program */
	unsigned tick;   /* at which it came */
	unsigned number; /* of submission */
	time_t stalled;  /* when its launch last said that it cannot go on */
	struct timespec end;
	struct work **deps; /* of other queues */
	size_t dep_count;
	void (*run)(void *data);
	_Alignas(16) char data[];
};

/* All queues, which outlive a fork; what they hold does not. */
static struct queue_list {
	pthread_once_t once; /* puts the legacy ones in */
	struct queue legacy[GPU_DEVICES_MAX];
	struct queue *first; /* under the lock of `queues` */
} list = { .once = PTHREAD_ONCE_INIT };

/* The work of all queues and who runs it. */
static struct queue_work {
	pthread_mutex_t lock;
	pthread_cond_t done;         /* an item that somebody waits for */
	pthread_cond_t lead;         /* for the leader */
	pthread_cond_t follow;       /* for other executors */
	_Atomic unsigned unfinished; /* items */
	unsigned tick;
	unsigned submitted;
	unsigned hurried; /* number of the last item that is not put off */
	unsigned executors, followers;
	unsigned calls;   /* to become the leader, not yet followed */
	unsigned waiting; /* threads of the program in a call that waits */
	unsigned blocked; /* those of them that run nothing meanwhile */
	unsigned busy;    /* executors that run something */
	bool leader, asleep;
	_Atomic bool paused;
} queues = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.done = PTHREAD_COND_INITIALIZER,
	.lead = PTHREAD_COND_INITIALIZER,
	.follow = PTHREAD_COND_INITIALIZER,
};

struct queue_threads queue_threads;

/* The queue that the calling thread works for; of an item that it runs, the item, too. */
static _Thread_local struct queue_turn {
	struct work *work;
	const struct queue *queue;
} turn;

static void forget_after_fork(void)
{
	static const pthread_mutex_t fresh_lock = PTHREAD_MUTEX_INITIALIZER;
	static const pthread_cond_t fresh_cond = PTHREAD_COND_INITIALIZER;

	memset(&queues, 0, sizeof(queues));
	queues.lock = fresh_lock;
	queues.done = queues.lead = queues.follow = fresh_cond;
	for (struct queue *q = list.first; q; q = q->next)
		q->head = q->tail = NULL;
	turn.work = NULL;
}

static void init(void)
{
	for (int i = 0; i < GPU_DEVICES_MAX; i++) {
		list.legacy[i] = (struct queue){
			.next = list.first, .device = i, .legacy = true, .blocking = true
		};
		list.first = &list.legacy[i];
	}
	pthread_atfork(NULL, NULL, forget_after_fork);
}

static void lock_queues(void)
{
	pthread_once(&list.once, init);
	if (queue_threads.hold)
		queue_threads.hold();
	pthread_mutex_lock(&queues.lock);
}

static void unlock_queues(void)
{
	pthread_mutex_unlock(&queues.lock);
	if (queue_threads.release)
		queue_threads.release();
}

/* A thread that waits may be stopped. */
static void wait_done(void)
{
	if (queue_threads.release)
		queue_threads.release();
	pthread_cond_wait(&queues.done, &queues.lock);
	if (queue_threads.hold)
		queue_threads.hold();
}

struct queue *queue_legacy(int device)
{
	pthread_once(&list.once, init);
	return &list.legacy[device];
}

struct queue *queue_new(int device, bool blocking)
{
	struct queue *q = calloc(1, sizeof(*q));

	if (!q)
		return NULL;
	q->device = device;
	q->blocking = blocking;
	lock_queues();
	q->next = list.first;
	list.first = q;
	unlock_queues();
	return q;
}

static void remove_queue(struct queue *q)
{
	for (struct queue **at = &list.first; *at; at = &(*at)->next) {
		if (*at != q)
			continue;
		*at = q->next;
		break;
	}
	free(q);
}

void queue_release(struct queue *q)
{
	lock_queues();
	q->gone = true;
	if (!q->head)
		remove_queue(q);
	unlock_queues();
}

static void drop_reference(struct work *w)
{
	if (--w->refs)
		return;
	free(w->deps);
	free(w);
}

static void drop_dependencies(struct work *w)
{
	for (size_t i = 0; i < w->dep_count; i++)
		drop_reference(w->deps[i]);
	w->dep_count = 0;
}

static int add_dependency(struct work *w, struct work *on)
{
	struct work **grown;

	if (!on || on->state == DONE)
		return 0;
	grown = realloc(w->deps, (w->dep_count + 1) * sizeof(*grown));
	if (!grown)
		return -1;
	w->deps = grown;
	w->deps[w->dep_count++] = on;
	on->refs++;
	return 0;
}

/* The items of other streams that the rules of the legacy default stream put before one of q. */
static int add_legacy_order(struct work *w, const struct queue *q)
{
	if (!q->blocking)
		return 0;
	if (!q->legacy)
		return add_dependency(w, list.legacy[q->device].tail);
	for (struct queue *other = list.first; other; other = other->next)
		if (other != q && other->blocking && other->device == q->device &&
		    add_dependency(w, other->tail))
			return -1;
	return 0;
}

/* Nothing is before an item that would be added. */
static bool is_idle(const struct queue *q)
{
	if (q->head || (q->blocking && list.legacy[q->device].head))
		return false;
	if (!q->legacy)
		return true;
	for (struct queue *other = list.first; other; other = other->next)
		if (other->blocking && other->device == q->device && other->head)
			return false;
	return true;
}

static bool is_ready(const struct work *w)
{
	if (!w || w->state != WAITING)
		return false;
	for (size_t i = 0; i < w->dep_count; i++)
		if (w->deps[i]->state != DONE)
			return false;
	return true;
}

/* An item that can run and comes before w, or w itself; NULL when somebody else runs what it waits
 * for. */
static struct work *find_before(struct work *w)
{
	struct work *head = w->queue->head;

	if (head->state == RUNNING)
		return NULL;
	if (is_ready(head))
		return head;
	for (size_t i = 0; i < head->dep_count; i++) {
		struct work *found =
			head->deps[i]->state == DONE ? NULL : find_before(head->deps[i]);

		if (found)
			return found;
	}
	return NULL;
}

static void end(struct work *w)
{
	struct queue *q = w->queue;

	if (w->kind == WORK_MARK)
		clock_gettime(CLOCK_MONOTONIC, &w->end);
	w->state = DONE;
	q->head = w->next;
	if (!q->head)
		q->tail = NULL;
	queues.unfinished--;
	drop_dependencies(w);
	if (w->awaited)
		pthread_cond_broadcast(&queues.done);
	if (q->gone && !q->head)
		remove_queue(q);
	w->queue = NULL;
	drop_reference(w);
}

/* Marks that were behind it end with it: an event of another stream is done when what it waits for
 * is. */
static void finish(struct work *w)
{
	struct queue *q;

	end(w);
	for (q = list.first; q;)
		if (q->head && q->head->kind == WORK_MARK && is_ready(q->head)) {
			end(q->head);
			q = list.first;
		} else {
			q = q->next;
		}
}

/* With the lock, which is let go meanwhile. */
static void run(struct work *w)
{
	w->state = RUNNING;
	if (w->run) {
		unlock_queues();
		turn = (struct queue_turn){ w, w->queue };
		w->run(w->data);
		turn = (struct queue_turn){ 0 };
		lock_queues();
	}
	finish(w);
}

static void *executor(void *unused);

static void make_executor(void)
{
	pthread_attr_t attr;
	sigset_t all, old;
	pthread_t t;

	if (queues.executors == EXECUTORS_MAX)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (!pthread_create(&t, &attr, executor, NULL)) {
		queues.executors++;
		queues.calls++;
	}
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* Somebody looks at what is ready. */
static void call_leader(bool at_once)
{
	if (queues.leader) {
		if (at_once || queues.asleep)
			pthread_cond_signal(&queues.lead);
	} else if (queues.followers > queues.calls) {
		queues.calls++;
		pthread_cond_signal(&queues.follow);
	} else if (!queues.calls) {
		make_executor();
	}
}

static bool is_due(const struct work *w)
{
	return queues.blocked || (int)(queues.hurried - w->number) >= 0 ||
	       queues.tick - w->tick >= 2;
}

static struct work *find_due(void)
{
	if (queues.paused)
		return NULL;
	for (struct queue *q = list.first; q; q = q->next)
		if (is_ready(q->head) && is_due(q->head))
			return q->head;
	return NULL;
}

/* Until the next tick, or until there is something to look at. */
static void lead(unsigned *idle_ticks, unsigned *seen)
{
	struct timespec until;

	if (queues.submitted != *seen || queues.unfinished)
		*idle_ticks = 0;
	*seen = queues.submitted;
	if (++*idle_ticks > TICKS_AWAKE) {
		queues.asleep = true;
		pthread_cond_wait(&queues.lead, &queues.lock);
		queues.asleep = false;
		*idle_ticks = 0;
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += TICK_NS;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_cond_clockwait(&queues.lead, &queues.lock, CLOCK_MONOTONIC, &until);
	queues.tick++;
}

static void *executor(void *unused)
{
	unsigned idle_ticks = 0, seen = 0;
	bool leads = false;

	(void)unused;
	pthread_setname_np(pthread_self(), MACHINE_THREAD_NAME "stream");
	lock_queues();
	if (queues.calls)
		queues.calls--;
	for (;;) {
		struct work *w = find_due();

		if (w) {
			if (leads)
				queues.leader = leads = false;
			queues.busy++;
			w->state = RUNNING;
			if (queues.unfinished > queues.busy)
				call_leader(false);
			run(w);
			if (!--queues.busy)
				pthread_cond_broadcast(&queues.done);
		} else if (leads || !queues.leader) {
			queues.leader = leads = true;
			lead(&idle_ticks, &seen);
		} else {
			queues.followers++;
			pthread_cond_wait(&queues.follow, &queues.lock);
			queues.followers--;
			if (queues.calls)
				queues.calls--;
		}
	}
	return NULL;
}

struct work *work_new(enum work_kind kind, void (*fn)(void *data), size_t size, void **ret_data)
{
	struct work *w = malloc(sizeof(*w) + size);

	if (!w)
		return NULL;
	*w = (struct work){ .kind = kind, .refs = 1, .run = fn };
	*ret_data = w->data;
	return w;
}

/* With the lock. Takes w, also when it fails. */
static CUresult append(struct queue *q, struct work *w)
{
	if (add_legacy_order(w, q)) {
		drop_dependencies(w);
		drop_reference(w);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	w->queue = q;
	w->tick = queues.tick;
	w->number = ++queues.submitted;
	if (q->tail)
		q->tail->next = w;
	else
		q->head = w;
	q->tail = w;
	queues.unfinished++;
	call_leader(false);
	return CUDA_SUCCESS;
}

CUresult queue_take(struct queue *q, struct work *w)
{
	CUresult result;

	lock_queues();
	result = append(q, w);
	unlock_queues();
	return result;
}

CUresult queue_submit(struct queue *q, enum work_kind kind, void (*fn)(void *data),
		      const void *data, size_t size)
{
	void *at;
	struct work *w = work_new(kind, fn, size, &at);

	if (!w)
		return CUDA_ERROR_OUT_OF_MEMORY;
	memcpy(at, data, size);
	return queue_take(q, w);
}

static bool queue_idle(struct queue *q)
{
	bool idle;

	if (!queues.unfinished)
		return true;
	lock_queues();
	idle = is_idle(q);
	unlock_queues();
	return idle;
}

CUresult queue_do(struct queue *q, void (*fn)(void *data), const void *data, size_t size)
{
	if (!queue_idle(q))
		return queue_submit(q, WORK_DEVICE, fn, data, size);
	turn.queue = q;
	fn((void *)data);
	turn.queue = NULL;
	return CUDA_SUCCESS;
}

CUresult queue_mark(struct queue *q, struct work **ret)
{
	struct work *w;
	CUresult result = CUDA_SUCCESS;
	void *none;

	*ret = NULL;
	if (queue_idle(q))
		return CUDA_SUCCESS;
	w = work_new(WORK_MARK, NULL, 0, &none);
	if (!w)
		return CUDA_ERROR_OUT_OF_MEMORY;
	lock_queues();
	w->refs++;
	result = append(q, w);
	if (result)
		drop_reference(w);
	else
		*ret = w;
	unlock_queues();
	return result;
}

static bool work_done(struct work *w)
{
	bool done;

	lock_queues();
	done = w->state == DONE;
	unlock_queues();
	return done;
}

CUresult queue_after(struct queue *q, struct work *before)
{
	struct work *w;
	CUresult result = CUDA_SUCCESS;
	void *none;

	if (!before || work_done(before))
		return CUDA_SUCCESS;
	w = work_new(WORK_MARK, NULL, 0, &none);
	if (!w)
		return CUDA_ERROR_OUT_OF_MEMORY;
	lock_queues();
	if (add_dependency(w, before)) {
		drop_reference(w);
		result = CUDA_ERROR_OUT_OF_MEMORY;
	} else {
		result = append(q, w);
	}
	unlock_queues();
	return result;
}

struct timespec work_time(const struct work *w)
{
	return w->end;
}

void work_release(struct work *w)
{
	if (!w)
		return;
	lock_queues();
	drop_reference(w);
	unlock_queues();
}

/* The host looks whether something is done, so it waits in its own way: nothing is put off. */
static void hurry(void)
{
	queues.hurried = queues.submitted;
	if (find_due())
		call_leader(true);
}

bool queue_poll(struct queue *q)
{
	bool idle;

	if (!queues.unfinished)
		return true;
	lock_queues();
	idle = q->legacy ? is_idle(q) : !q->head;
	if (!idle)
		hurry();
	unlock_queues();
	return idle;
}

bool work_poll(struct work *w)
{
	bool done;

	lock_queues();
	done = w->state == DONE;
	if (!done)
		hurry();
	unlock_queues();
	return done;
}

/* With the lock. Without executors (the process may make no threads) everything is run here. */
static void wait_for(struct work *w)
{
	w->refs++;
	w->awaited = true;
	queues.waiting++;
	while (w->state != DONE) {
		struct work *first = find_before(w);

		if (first && (first->kind != WORK_HOST || !queues.executors)) {
			run(first);
			if (queues.blocked && find_due())
				call_leader(true);
			continue;
		}
		queues.blocked++;
		if (first || find_due())
			call_leader(true);
		wait_done();
		queues.blocked--;
	}
	queues.waiting--;
	drop_reference(w);
}

CUresult queue_run(struct queue *q, struct work *w)
{
	CUresult result;

	/* With nothing before it, nobody else gets hold of it. */
	queue_wait(q);
	lock_queues();
	w->refs++;
	result = append(q, w);
	if (!result)
		wait_for(w);
	drop_reference(w);
	unlock_queues();
	return result;
}

void work_wait(struct work *w)
{
	lock_queues();
	wait_for(w);
	unlock_queues();
}

void queue_wait(struct queue *q)
{
	struct work *mark;

	if (!queues.unfinished)
		return;
	if (q->legacy) {
		/* A mark waits for all streams that an item of this one would have to wait for. */
		if (!queue_mark(q, &mark) && mark) {
			work_wait(mark);
			work_release(mark);
		}
		return;
	}
	lock_queues();
	if (q->tail)
		wait_for(q->tail);
	unlock_queues();
}

/* It waits for the items that were there when it was called; those that come meanwhile from other
 * threads are theirs to wait for. */
void queue_wait_device(int device)
{
	unsigned last;
	struct queue *q;

	if (!queues.unfinished)
		return;
	lock_queues();
	last = queues.submitted;
	do {
		for (q = list.first; q; q = q->next)
			if (q->head && (device < 0 || q->device == device) &&
			    (int)(last - q->head->number) >= 0)
				break;
		if (q)
			wait_for((int)(last - q->tail->number) >= 0 ? q->tail : q->head);
	} while (q);
	unlock_queues();
}

const struct queue *queue_at_work(void)
{
	return turn.queue;
}

struct work *queue_running(void)
{
	return turn.work;
}

bool queue_in_host_function(void)
{
	return turn.work && turn.work->kind == WORK_HOST;
}

/* The driver's own threads have names that begin so. */
static bool is_own(const char *tid)
{
	char path[64], name[sizeof(MACHINE_THREAD_NAME)] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%.20s/comm", tid);
	f = fopen(path, "re");
	if (f && !fgets(name, sizeof(name), f))
		name[0] = '\0';
	if (f)
		fclose(f);
	return !strcmp(name, MACHINE_THREAD_NAME);
}

static unsigned count_awake(void)
{
	DIR *tasks = opendir("/proc/self/task");
	unsigned n = 0;

	if (!tasks)
		return 0;
	for (const struct dirent *d = readdir(tasks); d; d = readdir(tasks))
		n += d->d_name[0] != '.' && !is_own(d->d_name) &&
		     thread_awake((pid_t)strtol(d->d_name, NULL, 10));
	closedir(tasks);
	return n;
}

/* A thread of the program goes on by itself. Those that wait for the device and run something
 * meanwhile are awake. */
static bool program_goes_on(void)
{
	unsigned awake = queue_threads.count ? (unsigned)queue_threads.count() : count_awake();

	return awake > queues.waiting - queues.blocked;
}

bool queue_may_free(void *work)
{
	struct work *self = work;
	struct timespec now;
	bool may = false;

	clock_gettime(CLOCK_MONOTONIC, &now);
	lock_queues();
	if (self)
		self->stalled = now.tv_sec;
	for (const struct queue *q = list.first; q && !may; q = q->next) {
		const struct work *w = q->head;

		if (!w || w == self)
			continue;
		if (w->state == RUNNING)
			may = w->kind == WORK_HOST ||
			      now.tv_sec - w->stalled > 2 * MACHINE_STALL_SECONDS;
		else
			may = !queues.paused && is_ready(w);
	}
	if (!may && self)
		may = program_goes_on();
	unlock_queues();
	return may;
}

/* Going on takes no lock: a thread that was stopped meanwhile may hold it. The leader does not
 * sleep while there is work. */
void queue_pause(bool on)
{
	queues.paused = on;
	if (!on || !queues.executors)
		return;
	lock_queues();
	while (queues.busy)
		wait_done();
	unlock_queues();
}
