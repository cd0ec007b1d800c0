/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs one long piece of work, such as a large copy, on a thread of its own, so that the event loop
 * goes on answering. Until it is joined, nobody else may use the data that it works on.
 */
#ifndef CGPU_KERNEL_BASE_BACKGROUND_TASK_H
#define CGPU_KERNEL_BASE_BACKGROUND_TASK_H

#include <pthread.h>
#include <stdbool.h>

#include "common/base/error.h"

struct loop;
struct loop_source;

struct background_task {
	int (*work)(void *data, struct error *err);
	void *data;
	struct loop *loop;
	struct loop_source *source;
	int event; /* readable when the thread is done */
	pthread_t thread;
	bool running;
	int result; /* the return value of work(), and its error */
	struct error err;
};

/* Runs work(data) on a thread; done(data) is called from the loop, and must call
 * background_task_join(). */
int background_task_start(struct background_task *a, int (*work)(void *data, struct error *err),
			  struct loop *loop, void (*done)(void *data), void *data,
			  struct error *err);
/* Waits for the thread and returns the result of work(), or 0 when nothing was started. done() is
 * not called after this. */
int background_task_join(struct background_task *a, struct error *err);

#endif
