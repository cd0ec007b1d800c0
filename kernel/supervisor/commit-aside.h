/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A commit whose copying takes long runs on a thread of its own, so that the event loop answers meanwhile. Used by
 * kernel/supervisor/cell-run.c, which lets nobody else near snapshot and journal until it is over.
 */
#ifndef CGPU_KERNEL_SUPERVISOR_COMMIT_ASIDE_H
#define CGPU_KERNEL_SUPERVISOR_COMMIT_ASIDE_H

#include <pthread.h>
#include <stdbool.h>

#include "common/error.h"
#include "kernel/supervisor/commit.h"

struct loop;
struct loop_source;

struct commit_aside {
	struct commit commit;
	struct loop *loop;
	struct loop_source *source;
	int event; /* readable when the thread is done */
	pthread_t thread;
	bool running;
	int result; /* of commit_copy(), and its error */
	struct error err;
};

/* Worth a thread? */
bool commit_aside_suits(const struct commit *c);
/* commit_copy() on a thread; done(data) is called from the loop, and calls commit_aside_join(). */
int commit_aside_start(struct commit_aside *a, const struct commit *c, struct loop *loop, void (*done)(void *data),
		       void *data, struct error *err);
/* Wait for the thread; done() is not called after this. The result of commit_copy(). */
int commit_aside_join(struct commit_aside *a, struct error *err);

#endif
