/* SPDX-License-Identifier: Apache-2.0 */
/* One function a kind of node: how its parameters are taken over. */
#include "emulator/driver/graph/graph-content.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/driver/graph/graph-condition.h"
#include "emulator/driver/memory/graph-memory.h"
#include "emulator/driver/module/cu-module.h"
#include "emulator/driver/module/launch-arguments.h"

/* ---- launches ---- */

/* The arguments lie behind the pointers to them. */
static CUresult take_launch(CUgraphNode n)
{
	CUDA_KERNEL_NODE_PARAMS_v3 *k = &n->params.kernel;
	CUfunction f = k->func ? k->func : (CUfunction)k->kern;
	size_t head, count;
	CUresult result;
	void **pointers;

	if (!cu_function_valid(f))
		return CUDA_ERROR_INVALID_VALUE;
	count = f->ptx->param_count;
	head = (count + 1) * sizeof(void *);
	pointers = calloc(1, head + f->ptx->param_size);
	if (!pointers)
		return CUDA_ERROR_OUT_OF_MEMORY;
	n->block = pointers;
	if (count) {
		result = launch_arguments_pack(f, k->kernelParams, k->extra,
					       (char *)pointers + head);
		if (result)
			return result;
	}
	for (size_t i = 0; i < count; i++)
		pointers[i] = (char *)pointers + head + f->ptx->params[i].offset;
	k->func = f;
	k->kernelParams = pointers;
	k->extra = NULL;
	return CUDA_SUCCESS;
}

/* ---- copies and fills ---- */

static CUresult take_fill(CUgraphNode n)
{
	const CUDA_MEMSET_NODE_PARAMS_v2 *f = &n->params.memset;

	return f->elementSize == 1 || f->elementSize == 2 || f->elementSize == 4
		       ? CUDA_SUCCESS
		       : CUDA_ERROR_INVALID_VALUE;
}

/* ---- what the host does, events, values in memory ---- */

static CUresult take_host(CUgraphNode n)
{
	return n->params.host.fn ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult take_event(CUgraphNode n)
{
	return n->params.eventRecord.event ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult take_values(CUgraphNode n)
{
	CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 *m = &n->params.memOp;
	size_t size = m->count * sizeof(*m->paramArray);

	if (!m->count || !m->paramArray)
		return CUDA_ERROR_INVALID_VALUE;
	n->block = malloc(size);
	if (!n->block)
		return CUDA_ERROR_OUT_OF_MEMORY;
	m->paramArray = memcpy(n->block, m->paramArray, size);
	return CUDA_SUCCESS;
}

/* ---- graphs ---- */

static CUresult take_child(CUgraphNode n)
{
	CUgraph *child = &n->params.graph.graph;
	CUresult result = graph_valid(*child) && !graph_is_conditional(*child)
				  ? graph_clone(*child, child)
				  : CUDA_ERROR_INVALID_VALUE;

	if (result)
		*child = NULL;
	else
		(*child)->owned = true;
	return result;
}

/* ---- memory ---- */

static CUresult take_memory(CUgraphNode n)
{
	CUDA_MEM_ALLOC_NODE_PARAMS_v2 *a = &n->params.alloc;
	CUresult result;

	if (!a->bytesize || a->poolProps.allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
	    a->poolProps.location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
	    !gpu_has(a->poolProps.location.id))
		return CUDA_ERROR_INVALID_VALUE;
	result = graph_memory_new(a->poolProps.location.id, a->bytesize, &n->memory);
	if (result)
		return result;
	a->dptr = n->memory->address;
	a->accessDescs = NULL;
	a->accessDescCount = 0;
	return CUDA_SUCCESS;
}

/* ---- kinds ---- */

static CUresult take_as_it_is(CUgraphNode n)
{
	(void)n;
	return CUDA_SUCCESS;
}

/* The node gets its own copy of what its parameters point at. NULL: a kind that is not here. */
static CUresult (*const kinds[])(CUgraphNode n) = {
	[CU_GRAPH_NODE_TYPE_KERNEL] = take_launch,
	[CU_GRAPH_NODE_TYPE_MEMCPY] = take_as_it_is,
	[CU_GRAPH_NODE_TYPE_MEMSET] = take_fill,
	[CU_GRAPH_NODE_TYPE_HOST] = take_host,
	[CU_GRAPH_NODE_TYPE_GRAPH] = take_child,
	[CU_GRAPH_NODE_TYPE_EMPTY] = take_as_it_is,
	[CU_GRAPH_NODE_TYPE_WAIT_EVENT] = take_event,
	[CU_GRAPH_NODE_TYPE_EVENT_RECORD] = take_event,
	[CU_GRAPH_NODE_TYPE_MEM_ALLOC] = take_memory,
	[CU_GRAPH_NODE_TYPE_MEM_FREE] = take_as_it_is,
	[CU_GRAPH_NODE_TYPE_BATCH_MEM_OP] = take_values,
	[CU_GRAPH_NODE_TYPE_CONDITIONAL] = graph_condition_take,
};

static bool has_kind(CUgraphNodeType type)
{
	return (size_t)type < sizeof(kinds) / sizeof(kinds[0]) && kinds[type];
}

CUresult graph_content_init(CUgraphNode n, const CUgraphNodeParams *params)
{
	CUresult result;

	if (!has_kind(params->type))
		return CUDA_ERROR_NOT_SUPPORTED;
	n->params = *params;
	result = kinds[params->type](n);
	if (result)
		graph_content_release(n);
	return result;
}

static CUresult copy_bodies(CUgraphNode n, const struct CUgraphNode_st *from)
{
	const CUDA_CONDITIONAL_NODE_PARAMS *c = &from->params.conditional;
	CUgraph *bodies = calloc(c->size, sizeof(*bodies));
	CUresult result = bodies ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;

	n->params = from->params;
	n->params.conditional.size = 0;
	n->params.conditional.phGraph_out = n->block = bodies;
	for (unsigned i = 0; i < c->size && !result; i++) {
		result = graph_clone(c->phGraph_out[i], &bodies[i]);
		if (!result) {
			bodies[i]->owned = true;
			n->params.conditional.size++;
		}
	}
	if (result)
		graph_content_release(n);
	return result;
}

CUresult graph_content_copy(CUgraphNode n, const struct CUgraphNode_st *from)
{
	n->cooperative = from->cooperative;
	if (from->params.type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
		return copy_bodies(n, from);
	if (!from->memory)
		return graph_content_init(n, &from->params);
	n->params = from->params;
	n->memory = graph_memory_hold(from->memory);
	return CUDA_SUCCESS;
}

void graph_content_release(CUgraphNode n)
{
	size_t n_inner;
	CUgraph *inner = graph_inner(n, &n_inner);

	for (size_t i = 0; i < n_inner; i++)
		graph_free(inner[i]);
	graph_memory_release(n->memory);
	free(n->block);
	n->block = NULL;
	n->memory = NULL;
	n->params = (CUgraphNodeParams){ .type = CU_GRAPH_NODE_TYPE_EMPTY };
}
