/* SPDX-License-Identifier: Apache-2.0 */
/* A list of what was given back, linked in front of the objects, so that these stay zero. */
#include "emulator/driver/device/handle-memory.h"

#include <stdlib.h>
#include <string.h>

struct handle_spare {
	_Alignas(max_align_t) struct handle_spare *next;
};

void *handle_memory_take(struct handle_memory *m)
{
	struct handle_spare *s;

	pthread_mutex_lock(&m->lock);
	s = m->spare;
	if (s)
		m->spare = s->next;
	pthread_mutex_unlock(&m->lock);
	if (!s)
		s = calloc(1, sizeof(*s) + m->size);
	return s ? s + 1 : NULL;
}

void handle_memory_give(struct handle_memory *m, void *object)
{
	struct handle_spare *s;

	if (!object)
		return;
	s = (struct handle_spare *)object - 1;
	memset(object, 0, m->size);
	pthread_mutex_lock(&m->lock);
	s->next = m->spare;
	m->spare = s;
	pthread_mutex_unlock(&m->lock);
}
