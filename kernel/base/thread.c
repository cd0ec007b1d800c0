/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A new thread inherits the signal mask of its creator. All signals are therefore blocked before
 * pthread_create() and the old mask is restored after it: there is no moment at which the thread
 * could take a signal that is meant for the event loop.
 */
#define _GNU_SOURCE
#include "kernel/base/thread.h"

#include <signal.h>

int thread_start(pthread_t *ret, void *(*fn)(void *data), void *data)
{
	sigset_t all, before;
	int failed;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(ret, NULL, fn, data);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return failed;
}
