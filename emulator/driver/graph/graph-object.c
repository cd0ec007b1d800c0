/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver API, chapter Graph Management: user objects. With the last reference the program's
 * function is called, in the thread that gives it up, when the devices have done what they had to:
 * a launch that is under way may still use the object.
 */
#include "emulator/driver/graph/graph-object.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/base/array.h"
#include "emulator/driver/device/handle-memory.h"
#include "emulator/driver/device/queue.h"

#define OBJECT_MAGIC 0x4f424a45ull

struct CUuserObject_st {
	uint64_t magic;
	_Atomic uint64_t references;
	CUhostFn destroy;
	void *data;
};

static struct handle_memory objects = HANDLE_MEMORY(struct CUuserObject_st);

static bool is_object(CUuserObject o)
{
	return o && o->magic == OBJECT_MAGIC;
}

static void release(CUuserObject o, unsigned count)
{
	if (atomic_fetch_sub(&o->references, count) != count)
		return;
	queue_wait_device(-1);
	o->magic = 0;
	o->destroy(o->data);
	handle_memory_give(&objects, o);
}

static CUresult hold(CUgraph g, CUuserObject o, unsigned count)
{
	size_t i = 0;

	while (i < g->n_objects && g->objects[i].object != o)
		i++;
	if (i == g->n_objects) {
		if (!ARRAY_ROOM(g->objects, g->n_objects, &g->cap_objects))
			return CUDA_ERROR_OUT_OF_MEMORY;
		g->objects[g->n_objects++] = (struct graph_object){ .object = o };
	}
	g->objects[i].count += count;
	return CUDA_SUCCESS;
}

CUresult graph_copy_objects(CUgraph to, CUgraph from)
{
	CUresult result = CUDA_SUCCESS;

	for (size_t i = 0; i < from->n_objects && !result; i++) {
		result = hold(to, from->objects[i].object, from->objects[i].count);
		if (!result)
			from->objects[i].object->references += from->objects[i].count;
	}
	return result;
}

void graph_release_objects(CUgraph g)
{
	for (size_t i = 0; i < g->n_objects; i++)
		release(g->objects[i].object, g->objects[i].count);
	free(g->objects);
	g->objects = NULL;
	g->n_objects = g->cap_objects = 0;
}

CUresult cuUserObjectCreate(CUuserObject *ret, void *data, CUhostFn destroy,
			    unsigned int references, unsigned int flags)
{
	CUresult result = gpu_enter("cuUserObjectCreate", GPU_CALL_DEVICE);
	CUuserObject o;

	if (result)
		return result;
	if (!ret || !destroy || !references || references > INT_MAX ||
	    flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
		return CUDA_ERROR_INVALID_VALUE;
	o = handle_memory_take(&objects);
	if (!o)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*o = (struct CUuserObject_st){ OBJECT_MAGIC, references, destroy, data };
	*ret = o;
	return CUDA_SUCCESS;
}

static CUresult enter(const char *call, CUuserObject o, unsigned count)
{
	CUresult result = gpu_enter(call, GPU_CALL_DEVICE);

	return result                                      ? result
	       : is_object(o) && count && count <= INT_MAX ? CUDA_SUCCESS
							   : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuUserObjectRetain(CUuserObject o, unsigned int count)
{
	CUresult result = enter("cuUserObjectRetain", o, count);

	if (!result)
		o->references += count;
	return result;
}

CUresult cuUserObjectRelease(CUuserObject o, unsigned int count)
{
	CUresult result = enter("cuUserObjectRelease", o, count);

	if (!result && count > o->references)
		result = CUDA_ERROR_INVALID_VALUE;
	if (!result)
		release(o, count);
	return result;
}

CUresult cuGraphRetainUserObject(CUgraph g, CUuserObject o, unsigned int count, unsigned int flags)
{
	CUresult result = enter("cuGraphRetainUserObject", o, count);

	if (!result && (!graph_valid(g) || flags & ~(unsigned)CU_GRAPH_USER_OBJECT_MOVE))
		result = CUDA_ERROR_INVALID_VALUE;
	if (!result)
		result = hold(g, o, count);
	if (!result && !(flags & CU_GRAPH_USER_OBJECT_MOVE))
		o->references += count;
	return result;
}

CUresult cuGraphReleaseUserObject(CUgraph g, CUuserObject o, unsigned int count)
{
	CUresult result = enter("cuGraphReleaseUserObject", o, count);
	size_t i = 0;

	if (result || !graph_valid(g))
		return result ? result : CUDA_ERROR_INVALID_VALUE;
	while (i < g->n_objects && g->objects[i].object != o)
		i++;
	if (i == g->n_objects || g->objects[i].count < count)
		return CUDA_ERROR_INVALID_VALUE;
	g->objects[i].count -= count;
	if (!g->objects[i].count)
		g->objects[i] = g->objects[--g->n_objects];
	release(o, count);
	return CUDA_SUCCESS;
}
