/* SPDX-License-Identifier: Apache-2.0 */
/* The thread says that it is done by an eventfd. */
#define _GNU_SOURCE
#include "kernel/supervisor/commit-aside.h"

#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "kernel/loop.h"
#include "kernel/thread.h"

/* About two milliseconds of copying. */
#define ASIDE_BYTES (4ull * 1024 * 1024)

bool commit_aside_suits(const struct commit *c)
{
	return c->bytes >= ASIDE_BYTES;
}

static void *work(void *data)
{
	struct commit_aside *a = data;

	a->result = commit_copy(&a->commit, &a->err);
	eventfd_write(a->event, 1);
	return NULL;
}

int commit_aside_start(struct commit_aside *a, const struct commit *c, struct loop *loop, void (*done)(void *data),
		       void *data, struct error *err)
{
	*a = (struct commit_aside){ .commit = *c, .loop = loop, .event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
	if (a->event < 0)
		return error_errno(err, "eventfd for a commit");
	a->source = loop_add_fd(loop, a->event, done, data);
	if (a->source && !thread_start(&a->thread, work, a)) {
		a->running = true;
		return 0;
	}
	loop_remove(loop, a->source);
	close(a->event);
	return error_set(err, ERROR_MEMORY, "no thread for a commit");
}

int commit_aside_join(struct commit_aside *a, struct error *err)
{
	if (!a->running)
		return 0;
	pthread_join(a->thread, NULL);
	a->running = false;
	loop_remove(a->loop, a->source);
	close(a->event);
	if (a->result && err)
		*err = a->err;
	return a->result;
}
