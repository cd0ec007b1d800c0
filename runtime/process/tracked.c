/* SPDX-License-Identifier: Apache-2.0 */
/* A singly linked list in META: a cell holds few of these. */
#include "runtime/process/tracked.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/buffer.h"
#include "runtime/arena/arena.h"
#include "runtime/arena/meta.h"
#include "runtime/process/worker.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct arena_tracked **root(void)
{
	return (struct arena_tracked **)&arena_header()->root[ARENA_ROOT_TRACKED];
}

void tracked_add(enum tracked_kind kind, const void *handle, const char *name)
{
	struct arena_tracked *t;

	if (worker.is_child || !arena_attached())
		return;
	meta_enter();
	pthread_mutex_lock(&lock);
	t = meta_alloc(sizeof(*t));
	if (t) {
		t->kind = kind;
		t->handle = handle;
		t->cell = worker.cell;
		snprintf(t->name, sizeof(t->name), "%s", name);
		t->next = *root();
		*root() = t;
	}
	pthread_mutex_unlock(&lock);
	meta_leave();
}

void tracked_remove(const void *handle)
{
	if (worker.is_child || !arena_attached())
		return;
	meta_enter();
	pthread_mutex_lock(&lock);
	for (struct arena_tracked **at = root(); *at; at = &(*at)->next) {
		struct arena_tracked *t = *at;

		if (t->handle != handle)
			continue;
		*at = t->next;
		meta_free(t);
		break;
	}
	pthread_mutex_unlock(&lock);
	meta_leave();
}

void tracked_report_lost(struct buffer *out)
{
	static const char *const what[] = {
		[TRACKED_FILE] = "the open file %s of cell %u\n",
		[TRACKED_PROCESS] = "the process %s of cell %u\n",
		[TRACKED_THREAD] = "thread `%s` started in cell %u ended\n",
		[TRACKED_LIBRARY] = "the library %s of cell %u\n",
	};

	while (*root()) {
		struct arena_tracked *t = *root();

		if (t->kind == TRACKED_THREAD && !t->name[0])
			buffer_printf(out, "a thread started in cell %u ended\n", t->cell);
		else
			buffer_printf(out, what[t->kind], t->name, t->cell);
		*root() = t->next;
		meta_free(t);
	}
}
