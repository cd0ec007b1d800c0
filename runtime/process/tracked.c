/* SPDX-License-Identifier: Apache-2.0 */
/* A singly linked list in META: a cell holds few of these. */
#include "runtime/process/tracked.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buffer.h"
#include "runtime/arena/arena.h"
#include "runtime/arena/meta.h"
#include "runtime/process/worker.h"

#define LINES_MAX 8 /* of a kind in the report */

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

static const struct kind {
	const char *named, *nameless, *more;
} kinds[] = {
	[TRACKED_FILE] = { "the open file %s of cell %u", "", "%u more open files" },
	[TRACKED_PROCESS] = { "the process %s of cell %u", "", "%u more processes" },
	[TRACKED_THREAD] = { "thread `%s` started in cell %u ended",
			     "a thread started in cell %u ended", "%u more threads ended" },
	[TRACKED_LIBRARY] = { "the library %s of cell %u", "", "%u more libraries" },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* A line of the report: things of one name and cell. */
struct line {
	struct arena_tracked first;
	unsigned n;
};

static struct line *find_line(struct line *lines, unsigned n, const struct arena_tracked *t)
{
	for (unsigned i = 0; i < n; i++)
		if (lines[i].first.kind == t->kind && lines[i].first.cell == t->cell &&
		    !strcmp(lines[i].first.name, t->name))
			return &lines[i];
	return NULL;
}

static void put_line(const struct line *l, struct buffer *out)
{
	const struct kind *k = &kinds[l->first.kind];

	if (l->first.name[0] || !*k->nameless)
		buffer_printf(out, k->named, l->first.name, l->first.cell);
	else
		buffer_printf(out, k->nameless, l->first.cell);
	if (l->n > 1)
		buffer_printf(out, " (%u of them)", l->n);
	buffer_putc(out, '\n');
}

void tracked_report_lost(struct buffer *out)
{
	struct line lines[KINDS * LINES_MAX], *same;
	unsigned n = 0, of_kind[KINDS] = { 0 }, more[KINDS] = { 0 };

	while (*root()) {
		struct arena_tracked *t = *root();

		same = find_line(lines, n, t);
		if (same) {
			same->n++;
		} else if (of_kind[t->kind] < LINES_MAX) {
			of_kind[t->kind]++;
			lines[n++] = (struct line){ *t, 1 };
		} else {
			more[t->kind]++;
		}
		*root() = t->next;
		meta_free(t);
	}
	for (unsigned i = 0; i < n; i++)
		put_line(&lines[i], out);
	for (unsigned i = 0; i < KINDS; i++) {
		if (!more[i])
			continue;
		buffer_printf(out, kinds[i].more, more[i]);
		buffer_putc(out, '\n');
	}
}
