/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shadows of buffers (emulator/memory/shadow.h) as the host's calls change them. A
 * buffer has a shadow from its cudaMalloc() until it is known as a whole. A launch that is running
 * may hold pointers to a shadow: what is given up meanwhile waits until none is.
 */
#include <string.h>

#include "emulator/driver/device/memory-table.h"
#include "emulator/driver/device/memory.h"
#include "emulator/memory/shadow.h"
#include "emulator/report/gpu-fault.h"

static void free_retired(void)
{
	while (memory_table.retired) {
		struct shadow *s = memory_table.retired;

		memory_table.retired = s->next;
		shadow_free(s);
	}
}

void memory_retire_shadow(struct shadow **s)
{
	if (!*s)
		return;
	(*s)->next = memory_table.retired;
	memory_table.retired = *s;
	*s = NULL;
	if (!memory_table.launches)
		free_retired();
}

/* The shadow of the buffer or mapping around the address, and where that starts. */
static struct shadow **find_shadow(uint64_t address, uint64_t *ret_start, uint64_t *ret_end)
{
	struct mapping *m = range_find(&memory_table.mappings, address);
	struct machine_buffer *b;

	if (!m)
		return NULL;
	if (!m->annotated) {
		*ret_start = m->address;
		*ret_end = m->address + m->size;
		return &m->shadow;
	}
	b = range_find(&memory_table.buffers, address);
	if (!b || b->freed)
		return NULL;
	*ret_start = b->address;
	*ret_end = b->address + b->size;
	return &b->shadow;
}

void memory_launch_begins(void)
{
	pthread_rwlock_wrlock(&memory_table.lock);
	memory_table.launches++;
	/* The host may have allocated and freed since the last one. */
	if (memory_table.find_host)
		memory_table.generation++;
	pthread_rwlock_unlock(&memory_table.lock);
}

/* Shadows that the launch has filled are not needed any more. */
void memory_launch_ended(void)
{
	pthread_rwlock_wrlock(&memory_table.lock);
	if (!--memory_table.launches) {
		for (size_t i = 0; i < memory_table.buffers.n; i++) {
			struct machine_buffer *b = range_at(&memory_table.buffers, i);

			if (b->shadow && shadow_full(b->shadow))
				memory_retire_shadow(&b->shadow);
		}
		for (size_t i = 0; i < memory_table.mappings.n; i++) {
			struct mapping *m = range_at(&memory_table.mappings, i);

			if (m->shadow && shadow_full(m->shadow))
				memory_retire_shadow(&m->shadow);
		}
		free_retired();
	}
	pthread_rwlock_unlock(&memory_table.lock);
}

/* A range may go over several buffers: each part is told to `apply`. */
static void for_parts(uint64_t address, uint64_t size,
		      void (*apply)(struct shadow **s, uint64_t offset, uint64_t size, uint64_t at,
				    void *data),
		      void *data)
{
	uint64_t at = address, end = address + size;

	while (at < end) {
		uint64_t start = at, stop = end;
		struct shadow **s = find_shadow(at, &start, &stop);

		if (!s)
			return;
		if (stop > end)
			stop = end;
		if (*s)
			apply(s, at - start, stop - at, at - address, data);
		at = stop;
	}
}

static void written(struct shadow **s, uint64_t offset, uint64_t size, uint64_t at, void *data)
{
	(void)at;
	(void)data;
	shadow_written(*s, offset, size);
	if (shadow_full(*s))
		memory_retire_shadow(s);
}

void memory_written(uint64_t address, uint64_t size)
{
	if (!memory_is_device(address))
		return;
	pthread_rwlock_wrlock(&memory_table.lock);
	for_parts(address, size, written, NULL);
	pthread_rwlock_unlock(&memory_table.lock);
}

static void copied(struct shadow **s, uint64_t offset, uint64_t size, uint64_t at, void *data)
{
	uint64_t source = *(const uint64_t *)data + at, start = 0, end = 0;
	struct shadow **from = memory_is_device(source) ? find_shadow(source, &start, &end) : NULL;

	if (from && *from && source + size <= end)
		shadow_copied(*s, offset, *from, source - start, size);
	else
		shadow_written(*s, offset, size);
	if (shadow_full(*s))
		memory_retire_shadow(s);
}

void memory_copied(uint64_t to, uint64_t from, uint64_t size)
{
	if (!memory_is_device(to))
		return;
	pthread_rwlock_wrlock(&memory_table.lock);
	for_parts(to, size, copied, &from);
	pthread_rwlock_unlock(&memory_table.lock);
}

struct reading {
	bool untouched, computed;
	struct gpu_fault *cause;
};

static void look(struct shadow **s, uint64_t offset, uint64_t size, uint64_t at, void *data)
{
	struct reading *r = data;

	(void)at;
	r->untouched = shadow_untouched(*s, offset, size);
	if (r->computed || !shadow_computed(*s, offset, size))
		return;
	r->computed = true;
	if (atomic_load(&(*s)->cause))
		*r->cause = *atomic_load(&(*s)->cause);
}

enum memory_state memory_state(uint64_t address, uint64_t size, struct gpu_fault *ret_cause)
{
	struct reading r = { .cause = ret_cause };

	if (!memory_is_device(address) || !size)
		return MEMORY_KNOWN;
	pthread_rwlock_rdlock(&memory_table.lock);
	for_parts(address, size, look, &r);
	pthread_rwlock_unlock(&memory_table.lock);
	return r.computed ? MEMORY_COMPUTED : r.untouched ? MEMORY_UNTOUCHED : MEMORY_KNOWN;
}
