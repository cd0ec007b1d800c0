/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources are in one list; the array for poll() is rebuilt from it whenever a source was added or
 * removed. A source that is removed while callbacks run is only marked, and freed when the pass is
 * over, so a callback may remove any source. Few timers exist at a time, so the next one is found
 * by a linear search.
 *
 * A ZeroMQ socket has a descriptor that becomes readable once when the socket's state may have
 * changed (edge-triggered): any send or receive consumes that event, together with later ones. So
 * the socket is asked for its state (two system calls) when its descriptor is readable, and before
 * the loop sleeps if the socket was used since it was last asked.
 */
#include "kernel/base/loop.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <zmq.h>

#include "common/base/bug.h"
#include "common/base/clock.h"
#include "common/base/log.h"

enum source_kind { SOURCE_FD, SOURCE_SOCKET, SOURCE_TIMER };

struct loop_source {
	struct loop_source *next;
	enum source_kind kind;
	bool removed;
	bool used;   /* the state of a socket may have changed without an event */
	bool is_due; /* to be called in this pass */
	int fd;      /* for a socket: the descriptor with its events */
	void *socket;
	uint64_t due_ms;
	loop_fn *fn;
	void *data;
};

struct loop {
	struct loop_source *sources; /* newest first */
	struct pollfd *items;        /* the descriptors of `polled`, same order */
	struct loop_source **polled;
	int n_polled, cap_polled;
	bool changed; /* items is out of date */
	bool has_removed;
	bool stop;
};

uint64_t loop_now_ms(void)
{
	return (uint64_t)clock_now_ms();
}

struct loop *loop_new(void)
{
	return calloc(1, sizeof(struct loop));
}

void loop_free(struct loop *l)
{
	if (!l)
		return;
	while (l->sources) {
		struct loop_source *s = l->sources;

		l->sources = s->next;
		free(s);
	}
	free(l->items);
	free(l->polled);
	free(l);
}

static struct loop_source *add(struct loop *l, enum source_kind kind, loop_fn *fn, void *data)
{
	struct loop_source *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->kind = kind;
	s->fd = -1;
	s->fn = fn;
	s->data = data;
	s->next = l->sources;
	l->sources = s;
	l->changed = true;
	return s;
}

struct loop_source *loop_add_fd(struct loop *l, int fd, loop_fn *fn, void *data)
{
	struct loop_source *s = add(l, SOURCE_FD, fn, data);

	if (s)
		s->fd = fd;
	return s;
}

struct loop_source *loop_add_socket(struct loop *l, void *zmq_socket, loop_fn *fn, void *data)
{
	struct loop_source *s = add(l, SOURCE_SOCKET, fn, data);
	size_t size = sizeof(s->fd);

	if (!s)
		return NULL;
	if (zmq_getsockopt(zmq_socket, ZMQ_FD, &s->fd, &size))
		BUG("a ZeroMQ socket without a descriptor: %s", zmq_strerror(errno));
	s->socket = zmq_socket;
	s->used = true;
	return s;
}

void loop_sent(struct loop *l, void *zmq_socket)
{
	for (struct loop_source *s = l->sources; s; s = s->next)
		if (s->kind == SOURCE_SOCKET && s->socket == zmq_socket)
			s->used = true;
}

struct loop_source *loop_add_timer(struct loop *l, uint64_t ms, loop_fn *fn, void *data)
{
	struct loop_source *s = add(l, SOURCE_TIMER, fn, data);

	if (s)
		s->due_ms = loop_now_ms() + ms;
	return s;
}

void loop_remove(struct loop *l, struct loop_source *source)
{
	if (!source || source->removed)
		return;
	source->removed = true;
	l->has_removed = l->changed = true;
}

static void sweep(struct loop *l)
{
	struct loop_source **at = &l->sources;

	while (*at) {
		struct loop_source *s = *at;

		if (s->removed) {
			*at = s->next;
			free(s);
		} else {
			at = &s->next;
		}
	}
	l->has_removed = false;
}

static int make_room(struct loop *l, int n)
{
	struct pollfd *items;
	struct loop_source **polled;

	if (n <= l->cap_polled)
		return 0;
	items = realloc(l->items, (size_t)n * 2 * sizeof(*items));
	if (!items)
		return -1;
	l->items = items;
	polled = realloc(l->polled, (size_t)n * 2 * sizeof(*polled));
	if (!polled)
		return -1;
	l->polled = polled;
	l->cap_polled = n * 2;
	return 0;
}

static void rebuild(struct loop *l)
{
	int n = 0;

	for (struct loop_source *s = l->sources; s; s = s->next)
		n += s->kind != SOURCE_TIMER;
	if (make_room(l, n)) {
		log_error(
			"the event loop is out of memory; it goes on with the sources that it had");
		return;
	}
	n = 0;
	for (struct loop_source *s = l->sources; s; s = s->next) {
		if (s->kind == SOURCE_TIMER)
			continue;
		l->items[n] = (struct pollfd){ .fd = s->fd, .events = POLLIN };
		l->polled[n++] = s;
	}
	l->n_polled = n;
	l->changed = false;
}

/* Returns the milliseconds until the next timer, -1 for never. */
static long wait_ms(const struct loop *l)
{
	uint64_t now = loop_now_ms(), next = UINT64_MAX;

	for (const struct loop_source *s = l->sources; s; s = s->next)
		if (s->kind == SOURCE_TIMER && !s->removed && s->due_ms < next)
			next = s->due_ms;
	if (next == UINT64_MAX)
		return -1;
	return next > now ? (long)(next - now) : 0;
}

static void call_timers(struct loop *l)
{
	uint64_t now = loop_now_ms();

	/* A timer made by a callback of this pass is in front of s and waits for the next pass. */
	for (struct loop_source *s = l->sources; s; s = s->next) {
		if (s->kind != SOURCE_TIMER || s->removed || s->due_ms > now)
			continue;
		loop_remove(l, s);
		s->fn(s->data);
	}
}

/* A signal may cut the question short, which has then consumed the event. */
static bool is_readable(struct loop_source *s)
{
	int events = 0;
	size_t size = sizeof(events);

	s->used = zmq_getsockopt(s->socket, ZMQ_EVENTS, &events, &size) != 0;
	return events & ZMQ_POLLIN;
}

/* Asks sockets that were used for events that their descriptors did not signal; true if there are
 * some. */
static bool ask_used(struct loop *l)
{
	bool any = false;

	for (int i = 0; i < l->n_polled; i++) {
		struct loop_source *s = l->polled[i];

		s->is_due = s->used && is_readable(s);
		any |= s->is_due;
	}
	return any;
}

static void take_events(struct loop *l)
{
	for (int i = 0; i < l->n_polled; i++) {
		struct loop_source *s = l->polled[i];

		if (l->items[i].revents && !s->is_due)
			s->is_due = s->kind == SOURCE_FD || is_readable(s);
	}
}

static void call_due(struct loop *l)
{
	for (int i = 0; i < l->n_polled; i++) {
		struct loop_source *s = l->polled[i];

		if (!s->is_due || s->removed)
			continue;
		/* The callback may have left messages in the socket. */
		s->used = s->kind == SOURCE_SOCKET;
		s->fn(s->data);
	}
}

void loop_run(struct loop *l)
{
	l->stop = false;
	while (!l->stop) {
		bool due;

		if (l->has_removed)
			sweep(l);
		if (l->changed)
			rebuild(l);
		due = ask_used(l);
		if (poll(l->items, (nfds_t)l->n_polled, due ? 0 : (int)wait_ms(l)) > 0)
			take_events(l);
		call_due(l);
		call_timers(l);
	}
}

void loop_stop(struct loop *l)
{
	l->stop = true;
}
