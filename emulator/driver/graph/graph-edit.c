/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs are changed, copied and freed as a whole: nodes with what their parameters point at, which
 * may be graphs again.
 */
#include "emulator/driver/graph/graph.h"

#include <stdlib.h>

#include "emulator/driver/device/context.h"
#include "emulator/driver/graph/graph-condition.h"
#include "emulator/driver/graph/graph-content.h"
#include "emulator/driver/graph/graph-object.h"

static void node_free(CUgraphNode n)
{
	graph_content_release(n);
	graph_give_node(n);
}

void graph_free(CUgraph g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->n; i++)
		node_free(g->nodes[i]);
	graph_release_conditions(g);
	graph_release_objects(g);
	graph_release_order(g);
	graph_give(g);
}

static void drop_last(CUgraph g)
{
	node_free(g->nodes[--g->n]);
}

/* In which it runs: its own, or the current one. */
static CUcontext context_of(const CUgraphNodeParams *p)
{
	CUcontext own = p->type == CU_GRAPH_NODE_TYPE_KERNEL        ? p->kernel.ctx
			: p->type == CU_GRAPH_NODE_TYPE_MEMCPY      ? p->memcpy.copyCtx
			: p->type == CU_GRAPH_NODE_TYPE_MEMSET      ? p->memset.ctx
			: p->type == CU_GRAPH_NODE_TYPE_CONDITIONAL ? p->conditional.ctx
								    : NULL;

	return own && context_valid(own) ? own : context_current();
}

CUresult graph_add(CUgraph g, const CUgraphNodeParams *params, const CUgraphNode *deps, size_t n,
		   CUgraphNode *ret)
{
	CUresult result = CUDA_SUCCESS;
	CUgraphNode node;

	for (size_t i = 0; i < n; i++)
		if (!graph_node_valid(deps[i]) || deps[i]->graph != g)
			return CUDA_ERROR_INVALID_VALUE;
	node = graph_append(g);
	if (!node)
		return CUDA_ERROR_OUT_OF_MEMORY;
	node->context = context_of(params);
	node->device = node->context ? context_device_of(node->context) : 0;
	for (size_t i = 0; i < n && !result; i++)
		result = graph_depend(node, deps[i]);
	if (!result)
		result = graph_content_init(node, params);
	if (result)
		drop_last(g);
	else
		*ret = node;
	return result;
}

void graph_remove(CUgraphNode n)
{
	CUgraph g = n->graph;

	for (size_t i = 0; i < g->n; i++)
		graph_undepend(g->nodes[i], n);
	g->n--;
	for (size_t i = n->number; i < g->n; i++) {
		g->nodes[i] = g->nodes[i + 1];
		g->nodes[i]->number = i;
	}
	node_free(n);
}

CUresult graph_node_set(CUgraphNode n, const CUgraphNodeParams *params)
{
	struct CUgraphNode_st fresh = { 0 };
	CUresult result = params->type == n->params.type ? graph_content_init(&fresh, params)
							 : CUDA_ERROR_INVALID_VALUE;

	if (!result && params->type == CU_GRAPH_NODE_TYPE_GRAPH && n->graph->steps) {
		result = graph_put_in_order(fresh.params.graph.graph);
		if (result)
			graph_content_release(&fresh);
	}
	if (result)
		return result;
	graph_content_release(n);
	n->params = fresh.params;
	n->block = fresh.block;
	n->memory = fresh.memory;
	return CUDA_SUCCESS;
}

CUresult graph_clone(CUgraph from, CUgraph *ret)
{
	CUgraph g = graph_new();
	CUresult result = g ? graph_copy_conditions(g, from) : CUDA_ERROR_OUT_OF_MEMORY;

	if (!result)
		result = graph_copy_objects(g, from);
	/* All nodes first: a dependency may lead to a later one. */
	for (size_t i = 0; i < from->n && !result; i++) {
		CUgraphNode n = graph_append(g);

		result = n ? graph_content_copy(n, from->nodes[i]) : CUDA_ERROR_OUT_OF_MEMORY;
		if (!n)
			break;
		n->origin = from->nodes[i];
		n->context = from->nodes[i]->context;
		n->device = from->nodes[i]->device;
	}
	for (size_t i = 0; i < from->n && !result; i++)
		for (size_t k = 0; k < from->nodes[i]->n_deps && !result; k++)
			result = graph_depend(g->nodes[i],
					      g->nodes[from->nodes[i]->deps[k]->number]);
	if (result)
		graph_free(g);
	else
		*ret = g;
	return result;
}
