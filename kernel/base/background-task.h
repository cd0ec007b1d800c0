/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copying that takes long runs on a thread of its own, so that the event loop answers meanwhile.
 * Whoever starts it lets nobody else near what it works on until it is joined.
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
	int result; /* of work(), and its error */
	struct error err;
};

/* work(data) on a thread; done(data) is called from the loop, and calls background_task_join(). */
int background_task_start(struct background_task *a, int (*work)(void *data, struct error *err),
			  struct loop *loop, void (*done)(void *data), void *data,
			  struct error *err);
/* Wait for the thread; done() is not called after this. The result of work(); 0 when nothing was
 * started. */
int background_task_join(struct background_task *a, struct error *err);

#endif
