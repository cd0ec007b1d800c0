/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that cannot be started is no error: the others do its share. */
#define _GNU_SOURCE
#include "kernel/base/parallel-for.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "common/base/error.h"
#include "kernel/base/thread.h"

/* More threads do not help, since memory bandwidth is the limit. */
#define THREADS_MAX 4

struct crew {
	size_t n;
	int (*piece)(void *data, size_t i, struct error *err);
	void *data;
	_Atomic size_t next;
	atomic_flag has_failed;
	struct error first; /* written by the thread that sets has_failed */
};

static void *work(void *data)
{
	struct crew *c = data;

	for (;;) {
		struct error err = ERROR_INIT;
		size_t i = atomic_fetch_add(&c->next, 1);

		if (i >= c->n)
			return NULL;
		if (!c->piece(c->data, i, &err))
			continue;
		atomic_store(&c->next, c->n);
		if (!atomic_flag_test_and_set(&c->has_failed))
			c->first = err;
		return NULL;
	}
}

static size_t processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : (size_t)CPU_COUNT(&set);
}

int parallel_for(size_t n, int (*piece)(void *data, size_t i, struct error *err), void *data,
		 struct error *err)
{
	struct crew crew = { .n = n, .piece = piece, .data = data, .has_failed = ATOMIC_FLAG_INIT };
	pthread_t threads[THREADS_MAX];
	size_t most = n > 1 ? processors() : 1, started = 0;

	if (most > THREADS_MAX)
		most = THREADS_MAX;
	while (started + 1 < most && started + 1 < n &&
	       !thread_start(&threads[started], work, &crew))
		started++;
	work(&crew);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	if (!atomic_flag_test_and_set(&crew.has_failed))
		return 0;
	if (err)
		*err = crew.first;
	return -1;
}
