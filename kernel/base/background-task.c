/* SPDX-License-Identifier: Apache-2.0 */
/* The thread signals its end by an eventfd. */
#define _GNU_SOURCE
#include "kernel/base/background-task.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include "kernel/base/loop.h"
#include "kernel/base/thread.h"

static void *run(void *data)
{
	struct background_task *a = data;

	a->result = a->work(a->data, &a->err);
	eventfd_write(a->event, 1);
	return NULL;
}

int background_task_start(struct background_task *a, int (*work)(void *data, struct error *err),
			  struct loop *loop, void (*done)(void *data), void *data,
			  struct error *err)
{
	*a = (struct background_task){ .work = work,
				       .data = data,
				       .loop = loop,
				       .event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
	if (a->event < 0)
		return error_errno(err, "eventfd for a thread");
	a->source = loop_add_fd(loop, a->event, done, data);
	if (a->source && !thread_start(&a->thread, run, a)) {
		a->running = true;
		return 0;
	}
	loop_remove(loop, a->source);
	close(a->event);
	return error_set(err, ERROR_MEMORY, "no thread for copying");
}

int background_task_join(struct background_task *a, struct error *err)
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
