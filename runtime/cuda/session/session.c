/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays and texts in session memory. */
#include "runtime/cuda/session/session.h"

#include <string.h>

#include "runtime/cuda/driver/device-state.h"

#define SESSION_VERSION 2

struct device_session *session_open(void)
{
	void **root = device.host->session_root;

	if (!*root) {
		struct device_session *s = device.host->session_alloc(sizeof(*s));

		if (!s)
			return NULL;
		memset(s, 0, sizeof(*s));
		s->version = SESSION_VERSION;
		*root = s;
	}
	return *root;
}

void *session_insert(struct session_array *a, size_t size, uint32_t index)
{
	char *at;

	if (a->n == a->cap) {
		uint32_t cap = a->cap ? a->cap * 2 : 16;
		void *items = device.host->session_alloc(cap * size);

		if (!items)
			return NULL;
		if (a->n)
			memcpy(items, a->items, a->n * size);
		if (a->items)
			device.host->session_free(a->items);
		a->items = items;
		a->cap = cap;
	}
	at = (char *)a->items + index * size;
	memmove(at + size, at, (a->n - index) * size);
	memset(at, 0, size);
	a->n++;
	return at;
}

void session_remove(struct session_array *a, size_t size, uint32_t index)
{
	char *at = (char *)a->items + index * size;

	memmove(at, at + size, (a->n - index - 1) * size);
	a->n--;
}

void session_array_clear(struct session_array *a)
{
	if (a->items)
		device.host->session_free(a->items);
	*a = (struct session_array){ 0 };
}

char *session_strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = device.host->session_alloc(size);

	if (copy)
		memcpy(copy, text, size);
	return copy;
}

const char *session_buffer_name(const struct session_buffer *b)
{
	if (b->name[0] || !device.host->name_of_pointer)
		return b->name;
	return device.host->name_of_pointer(b->address);
}

int64_t session_index_of(const struct session_array *a, const void *p)
{
	for (uint32_t i = 0; i < a->n; i++)
		if (*session_at(a, const void *, i) == p)
			return i;
	return -1;
}

struct session_stream *session_find_stream(cudaStream_t stream)
{
	return session_index_of(&device.session->streams, stream) < 0
		       ? NULL
		       : (struct session_stream *)stream;
}

struct session_event *session_find_event(cudaEvent_t event)
{
	return session_index_of(&device.session->events, event) < 0 ? NULL
								    : (struct session_event *)event;
}
