/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list of all of it: who frees an address asks whether it is a graph's. It is taken when a node
 * is made and given back with the last copy, so none is kept in reserve.
 */
#include "emulator/driver/memory/graph-memory.h"

#include <pthread.h>
#include <stdlib.h>

#include "emulator/driver/device/memory.h"

static struct graph_memory_list {
	pthread_mutex_t lock;
	struct graph_memory *first;
	uint64_t used[GPU_DEVICES_MAX], most[GPU_DEVICES_MAX]; /* bytes of each device */
} memories = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct graph_memory **find(CUdeviceptr address)
{
	struct graph_memory **at = &memories.first;

	while (*at && (*at)->address != address)
		at = &(*at)->next;
	return at;
}

bool graph_has_memory(CUdeviceptr address)
{
	bool has;

	pthread_mutex_lock(&memories.lock);
	has = *find(address);
	pthread_mutex_unlock(&memories.lock);
	return has;
}

CUresult graph_memory_new(int device, size_t size, struct graph_memory **ret)
{
	struct graph_memory *m = calloc(1, sizeof(*m));
	uint64_t address;
	CUresult result = m ? memory_alloc(device, size, MAPPING_ALLOC, "", &address)
			    : CUDA_ERROR_OUT_OF_MEMORY;

	if (result) {
		free(m);
		return result;
	}
	memory_unwritten(address);
	m->address = address;
	m->device = device;
	m->size = size;
	m->references = 1;
	pthread_mutex_lock(&memories.lock);
	m->next = memories.first;
	memories.first = m;
	memories.used[device] += size;
	if (memories.used[device] > memories.most[device])
		memories.most[device] = memories.used[device];
	pthread_mutex_unlock(&memories.lock);
	*ret = m;
	return CUDA_SUCCESS;
}

struct graph_memory *graph_memory_hold(struct graph_memory *m)
{
	pthread_mutex_lock(&memories.lock);
	m->references++;
	pthread_mutex_unlock(&memories.lock);
	return m;
}

void graph_memory_release(struct graph_memory *m)
{
	bool last;

	if (!m)
		return;
	pthread_mutex_lock(&memories.lock);
	last = !--m->references;
	if (last) {
		*find(m->address) = m->next;
		memories.used[m->device] -= m->size;
	}
	pthread_mutex_unlock(&memories.lock);
	if (!last)
		return;
	cuMemFree(m->address);
	free(m);
}

/* value NULL: none was given. */
static CUresult enter(const char *call, CUdevice device, CUgraphMem_attribute attribute,
		      const void *value)
{
	CUresult result = gpu_enter(call, GPU_CALL_DEVICE);

	if (result || !gpu_has(device))
		return result ? result : CUDA_ERROR_INVALID_DEVICE;
	return value && (unsigned)attribute <= CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH
		       ? CUDA_SUCCESS
		       : CUDA_ERROR_INVALID_VALUE;
}

static bool is_mark(CUgraphMem_attribute attribute)
{
	return attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH ||
	       attribute == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH;
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *ret)
{
	CUresult result = enter("cuDeviceGetGraphMemAttribute", device, attribute, ret);

	if (result)
		return result;
	pthread_mutex_lock(&memories.lock);
	*(cuuint64_t *)ret = is_mark(attribute) ? memories.most[device] : memories.used[device];
	pthread_mutex_unlock(&memories.lock);
	return CUDA_SUCCESS;
}

/* The marks can be set to 0 only: to what is used now. */
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *value)
{
	CUresult result = enter("cuDeviceSetGraphMemAttribute", device, attribute, value);

	if (result || !is_mark(attribute) || *(cuuint64_t *)value)
		return result ? result : CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&memories.lock);
	memories.most[device] = memories.used[device];
	pthread_mutex_unlock(&memories.lock);
	return CUDA_SUCCESS;
}

CUresult cuDeviceGraphMemTrim(CUdevice device)
{
	return enter("cuDeviceGraphMemTrim", device, 0, &memories.lock);
}
