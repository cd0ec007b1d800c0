/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Annotated buffers and what device code may touch. A mapping without annotations is one buffer; in
 * an annotated one only the live annotated buffers are memory, so a kernel that runs past an array
 * is caught at the exact byte although the bytes behind it are mapped. Freed buffers stay in the
 * table for reports until something is put there.
 */
#include <string.h>
#include <sys/mman.h>

#include "emulator/driver/device/memory-table.h"
#include "emulator/driver/device/memory.h"
#include "emulator/memory/shadow.h"

#define FREED_MAX 1024

static void remove_buffer(struct machine_buffer *b)
{
	if (b->freed)
		memory_table.freed_count--;
	memory_retire_shadow(&b->shadow);
	range_remove(&memory_table.buffers, b);
}

/* The first buffer that has a byte in the range, NULL when there is none. */
static struct machine_buffer *first_in(uint64_t address, uint64_t size)
{
	struct machine_buffer *b = range_find(&memory_table.buffers, address);
	size_t i;

	if (b)
		return b;
	i = range_index(&memory_table.buffers, address);
	if (i == memory_table.buffers.n)
		return NULL;
	b = range_at(&memory_table.buffers, i);
	return b->address < address + size ? b : NULL;
}

void memory_forget_buffers(uint64_t address, uint64_t size)
{
	struct machine_buffer *b;
	size_t i = range_index(&memory_table.buffers, address);

	while (i < memory_table.buffers.n) {
		b = range_at(&memory_table.buffers, i);
		if (b->address >= address + size)
			break;
		/* A freed buffer's story outlives its mapping. */
		if (b->freed)
			i++;
		else
			remove_buffer(b);
	}
}

static void drop_old_freed(void)
{
	for (size_t i = 0; i < memory_table.buffers.n && memory_table.freed_count >= FREED_MAX;) {
		struct machine_buffer *b = range_at(&memory_table.buffers, i);

		if (b->freed)
			remove_buffer(b);
		else
			i++;
	}
}

static void insert_freed(uint64_t address, uint64_t size, const char *name, uint32_t tag,
			 uint32_t freed_tag)
{
	struct machine_buffer *b;

	drop_old_freed();
	while ((b = first_in(address, size)))
		remove_buffer(b);
	b = range_insert(&memory_table.buffers, address);
	if (!b)
		return;
	*b = (struct machine_buffer){
		.address = address, .size = size, .freed = true, .tag = tag, .freed_tag = freed_tag
	};
	strncpy(b->name, name, sizeof(b->name) - 1);
	memory_table.freed_count++;
}

void memory_remember_freed(const struct mapping *m)
{
	if (m->kind == MAPPING_ALLOC)
		insert_freed(m->address, m->size, m->name, 0, 0);
}

int memory_annotate(const struct emulator_annotation *a)
{
	int result = CUDA_ERROR_INVALID_VALUE;
	struct shadow *kept = NULL;
	uint64_t lifted;
	struct machine_buffer *b;
	struct mapping *m;

	pthread_rwlock_wrlock(&memory_table.lock);
	lifted = memory_table.guard.number;
	m = range_find(&memory_table.mappings, a->address);
	if (!m || a->address + a->size > m->address + m->size)
		goto out;
	m->annotated = true;
	memory_table.generation++;
	result = CUDA_SUCCESS;
	if (!a->size)
		goto out;
	b = range_find(&memory_table.buffers, a->address);
	/* A name that has become known changes nothing. */
	if (b && b->address == a->address && b->size == a->size && !b->freed && !a->unwritten) {
		kept = b->shadow;
		b->shadow = NULL;
		lifted = b->lifted;
	}
	while ((b = first_in(a->address, a->size)))
		remove_buffer(b);
	b = range_insert(&memory_table.buffers, a->address);
	if (!b) {
		memory_retire_shadow(&kept);
		result = CUDA_ERROR_OUT_OF_MEMORY;
		goto out;
	}
	*b = (struct machine_buffer){
		.address = a->address,
		.size = a->size,
		.bytes = (char *)m->bytes + (a->address - m->address),
		.read_only = a->read_only,
		.tag = a->cell,
		.lifted = lifted,
		.shadow = a->unwritten ? shadow_new(a->size) : kept,
	};
	if (a->name)
		strncpy(b->name, a->name, sizeof(b->name) - 1);
out:
	pthread_rwlock_unlock(&memory_table.lock);
	return result;
}

int memory_annotate_freed(uint64_t address, uint32_t cell)
{
	int result = CUDA_ERROR_INVALID_VALUE;
	struct machine_buffer *b, old;

	pthread_rwlock_wrlock(&memory_table.lock);
	b = range_find(&memory_table.buffers, address);
	if (b && b->address == address && !b->freed) {
		old = *b;
		insert_freed(old.address, old.size, old.name, old.tag, cell);
		memory_table.generation++;
		result = CUDA_SUCCESS;
	}
	pthread_rwlock_unlock(&memory_table.lock);
	return result;
}

/* How a device sees a mapping, as `prot` says. */
static void as_buffer(const struct mapping *m, int prot, struct machine_buffer *ret)
{
	*ret = (struct machine_buffer){
		.address = m->address,
		.size = m->size,
		.bytes = m->bytes,
		.read_only = !(prot & PROT_WRITE),
		.device = m->device,
		.shadow = m->shadow,
	};
	memcpy(ret->name, m->name, sizeof(ret->name));
}

static int device_of(const void *data)
{
	return (int)(intptr_t)data;
}

/* The program's own memory there, or nearest to there. The program is asked without a lock. */
static bool find_host(uint64_t address, struct machine_buffer *ret)
{
	struct emulator_host_memory h = { 0 };

	if (!memory_table.find_host || memory_is_device(address) ||
	    !memory_table.find_host(address, &h))
		return false;
	*ret = (struct machine_buffer){
		.address = h.address,
		.size = h.size,
		.bytes = (void *)(uintptr_t)h.address,
		.read_only = h.read_only,
		.freed = h.freed,
		.tag = h.cell,
		.freed_tag = h.freed_cell,
	};
	memcpy(ret->name, h.name, sizeof(ret->name));
	return true;
}

static bool find_mapped(void *data, uint64_t address, struct machine_buffer *ret)
{
	const struct machine_buffer *b;
	const struct mapping *m;
	bool found = false;
	int prot;

	pthread_rwlock_rdlock(&memory_table.lock);
	m = range_find(&memory_table.mappings, address);
	prot = m ? memory_reach(m, device_of(data)) : PROT_NONE;
	if (prot && !m->annotated) {
		as_buffer(m, prot, ret);
		found = true;
	} else if (prot) {
		b = range_find(&memory_table.buffers, address);
		if (b && !b->freed) {
			*ret = *b;
			ret->read_only |= !(prot & PROT_WRITE);
			ret->device = m->device;
			ret->guarded = memory_table.guard.before_write && m->kind == MAPPING_VMM &&
				       b->lifted != memory_table.guard.number;
			found = true;
		}
	}
	pthread_rwlock_unlock(&memory_table.lock);
	return found;
}

static bool find(void *data, uint64_t address, struct machine_buffer *ret)
{
	return find_mapped(data, address, ret) ||
	       (find_host(address, ret) && !ret->freed && address - ret->address < ret->size);
}

static uint64_t distance(const struct range *r, uint64_t address)
{
	if (address < r->address)
		return r->address - address;
	return address - r->address < r->size ? 0 : address - (r->address + r->size) + 1;
}

/* The item of the table that is nearest, NULL for an empty table. Skips annotated mappings: their
 * buffers count. */
static const struct range *nearest_in(const struct range_table *t, uint64_t address, bool mappings)
{
	const struct range *best = NULL;
	size_t i = range_index(t, address);

	for (size_t up = i; up < t->n && !best; up++)
		if (!mappings || !((const struct mapping *)range_at(t, up))->annotated)
			best = range_at(t, up);
	for (size_t down = i; down-- > 0;) {
		const struct range *r = range_at(t, down);

		if (mappings && ((const struct mapping *)r)->annotated)
			continue;
		return best && distance(best, address) < distance(r, address) ? best : r;
	}
	return best;
}

static bool nearest(void *data, uint64_t address, struct machine_buffer *ret)
{
	const struct range *buffer, *mapping;
	const struct mapping *m;

	if (find_host(address, ret))
		return true;
	pthread_rwlock_rdlock(&memory_table.lock);
	buffer = nearest_in(&memory_table.buffers, address, false);
	mapping = nearest_in(&memory_table.mappings, address, true);
	/* When both hold it the mapping is live, and the buffer was freed before. */
	if (buffer && mapping &&
	    (!distance(mapping, address) || distance(mapping, address) < distance(buffer, address)))
		buffer = NULL;
	if (buffer)
		*ret = *(const struct machine_buffer *)buffer;
	else if (mapping)
		as_buffer((const struct mapping *)mapping, PROT_READ | PROT_WRITE, ret);
	m = range_find(&memory_table.mappings, address);
	if (m && (buffer || mapping) && !ret->freed) {
		ret->device = m->device;
		ret->unreachable =
			address - ret->address < ret->size && !memory_reach(m, device_of(data));
	}
	pthread_rwlock_unlock(&memory_table.lock);
	return buffer || mapping;
}

void memory_guard(int (*before_write)(const struct emulator_guarded *g))
{
	pthread_rwlock_wrlock(&memory_table.lock);
	memory_table.guard.before_write = before_write;
	memory_table.guard.number++;
	/* Translations for stores that are known to be free of the last one. */
	memory_table.generation++;
	pthread_rwlock_unlock(&memory_table.lock);
}

void memory_guard_lift(uint64_t address)
{
	struct machine_buffer *b;

	pthread_rwlock_wrlock(&memory_table.lock);
	b = range_find(&memory_table.buffers, address);
	if (b && b->address == address)
		b->lifted = memory_table.guard.number;
	pthread_rwlock_unlock(&memory_table.lock);
}

int memory_guard_holds(uint64_t address)
{
	const struct machine_buffer *b;
	bool holds;

	pthread_rwlock_rdlock(&memory_table.lock);
	b = range_find(&memory_table.buffers, address);
	holds = memory_table.guard.before_write && b && b->address == address &&
		b->lifted != memory_table.guard.number;
	pthread_rwlock_unlock(&memory_table.lock);
	return holds;
}

/* No lock is held: who is asked copies, and may lift the guard. */
static int before_write(void *data, const struct machine_buffer *b)
{
	int (*ask)(const struct emulator_guarded *g);
	struct emulator_guarded g = { b->address, b->size, b->bytes, b->name, b->tag, b->device };

	(void)data;
	pthread_rwlock_rdlock(&memory_table.lock);
	ask = memory_table.guard.before_write;
	pthread_rwlock_unlock(&memory_table.lock);
	return ask ? ask(&g) : 0;
}

void memory_make_views(void)
{
	for (int i = 0; i < GPU_DEVICES_MAX; i++)
		memory_table.device[i].view = (struct machine_memory){
			.data = (void *)(intptr_t)i,
			.find = find,
			.nearest = nearest,
			.before_write = before_write,
			.generation = &memory_table.generation,
			.device = i,
		};
}

void memory_reach_host(emulator_host_fn ask)
{
	pthread_rwlock_wrlock(&memory_table.lock);
	memory_table.find_host = gpu.has_hmm ? ask : NULL;
	for (int i = 0; i < GPU_DEVICES_MAX; i++)
		memory_table.device[i].view.reaches_host = memory_table.find_host;
	memory_table.generation++;
	pthread_rwlock_unlock(&memory_table.lock);
}

const struct machine_memory *memory_view(int device)
{
	return &memory_table.device[device].view;
}
