/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One job at a time: a helper that wakes takes a seat while there are some left; the launching
 * thread closes the job when its own part is done and waits for the seats that were taken. Helpers
 * block all signals, which so go to threads that know what to do with them.
 */
#define _GNU_SOURCE
#include "emulator/launch/machine-pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#include "emulator/warp/machine.h"

#define HELPERS_MAX 255

static struct machine_pool {
	pthread_mutex_t lock;
	pthread_cond_t wake, done;
	pthread_mutex_t owner_lock; /* held for two assignments only, never over a fork by this
				       library */
	pid_t owner;                /* process that made the helpers; another one after a fork */
	unsigned helpers;
	unsigned seats;   /* of the current job, not yet taken */
	unsigned running; /* helpers at work */
	bool busy;
	void (*work)(void *data);
	void *data;
} pool = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.owner_lock = PTHREAD_MUTEX_INITIALIZER,
	.wake = PTHREAD_COND_INITIALIZER,
	.done = PTHREAD_COND_INITIALIZER,
};

/* In a child the parent's helpers are gone and its locks mean nothing. */
static void renew_after_fork(void)
{
	static const pthread_mutex_t fresh_lock = PTHREAD_MUTEX_INITIALIZER;
	static const pthread_cond_t fresh_cond = PTHREAD_COND_INITIALIZER;

	pool.lock = fresh_lock;
	pool.wake = fresh_cond;
	pool.done = fresh_cond;
	pool.helpers = pool.seats = pool.running = 0;
	pool.busy = false;
}

unsigned machine_pool_default(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0)
		return (unsigned)CPU_COUNT(&set);
	return 1;
}

static void *helper(void *unused)
{
	(void)unused;
	pthread_setname_np(pthread_self(), MACHINE_THREAD_NAME "machine");
	pthread_mutex_lock(&pool.lock);
	for (;;) {
		while (!pool.seats)
			pthread_cond_wait(&pool.wake, &pool.lock);
		pool.seats--;
		pool.running++;
		pthread_mutex_unlock(&pool.lock);
		pool.work(pool.data);
		pthread_mutex_lock(&pool.lock);
		if (!--pool.running)
			pthread_cond_signal(&pool.done);
	}
	return NULL;
}

/* With the lock held. Fewer helpers than wanted are fine. */
static void make_helpers(unsigned wanted)
{
	sigset_t all, old;

	if (wanted > HELPERS_MAX)
		wanted = HELPERS_MAX;
	if (pool.helpers >= wanted)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (pool.helpers < wanted) {
		pthread_t t;

		if (pthread_create(&t, NULL, helper, NULL))
			break;
		pthread_detach(t);
		pool.helpers++;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void machine_pool_run(unsigned threads, void (*work)(void *data), void *data)
{
	bool mine;

	if (threads <= 1) {
		work(data);
		return;
	}
	pthread_mutex_lock(&pool.owner_lock);
	if (pool.owner != getpid()) {
		renew_after_fork();
		pool.owner = getpid();
	}
	pthread_mutex_unlock(&pool.owner_lock);
	pthread_mutex_lock(&pool.lock);
	mine = !pool.busy;
	if (mine) {
		make_helpers(threads - 1);
		pool.busy = true;
		pool.work = work;
		pool.data = data;
		pool.seats = threads - 1;
		pthread_cond_broadcast(&pool.wake);
	}
	pthread_mutex_unlock(&pool.lock);
	work(data);
	if (!mine)
		return;
	pthread_mutex_lock(&pool.lock);
	pool.seats = 0;
	while (pool.running)
		pthread_cond_wait(&pool.done, &pool.lock);
	pool.busy = false;
	pthread_mutex_unlock(&pool.lock);
}
