/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes and dependencies; what a node's parameters point at is graph-content.c, how a graph is run
 * graph-run.c. */
#include "emulator/driver/graph/graph.h"

#include <stdlib.h>

#include "common/array.h"
#include "emulator/driver/api/cu-context.h"
#include "emulator/driver/device/handle-memory.h"
#include "emulator/driver/graph/graph-condition.h"
#include "emulator/driver/graph/graph-content.h"
#include "emulator/driver/graph/graph-object.h"

#define GRAPH_MAGIC 0x47524150ull
#define NODE_MAGIC 0x4e4f4445ull

static struct handle_memory graphs = HANDLE_MEMORY(struct CUgraph_st);
static struct handle_memory nodes = HANDLE_MEMORY(struct CUgraphNode_st);

bool graph_valid(CUgraph g)
{
	return g && g->magic == GRAPH_MAGIC;
}

bool graph_exec_valid(CUgraphExec e)
{
	return e && e->magic == GRAPH_EXEC_MAGIC;
}

bool graph_node_valid(CUgraphNode n)
{
	return n && n->magic == NODE_MAGIC;
}

CUgraph graph_new(void)
{
	CUgraph g = handle_memory_take(&graphs);

	if (g)
		g->magic = GRAPH_MAGIC;
	return g;
}

static void node_free(CUgraphNode n)
{
	n->magic = 0;
	graph_content_release(n);
	free(n->deps);
	handle_memory_give(&nodes, n);
}

void graph_free(CUgraph g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->n; i++)
		node_free(g->nodes[i]);
	graph_release_conditions(g);
	graph_release_objects(g);
	free(g->nodes);
	graph_release_order(g);
	handle_memory_give(&graphs, g);
}

static size_t place_of(const struct CUgraphNode_st *n, CUgraphNode on)
{
	size_t i = 0;

	while (i < n->n_deps && n->deps[i] != on)
		i++;
	return i;
}

bool graph_depends(const struct CUgraphNode_st *n, CUgraphNode on)
{
	return place_of(n, on) < n->n_deps;
}

CUresult graph_depend(CUgraphNode n, CUgraphNode on)
{
	if (graph_depends(n, on))
		return CUDA_SUCCESS;
	if (!ARRAY_ROOM(n->deps, n->n_deps, &n->cap_deps))
		return CUDA_ERROR_OUT_OF_MEMORY;
	n->deps[n->n_deps++] = on;
	return CUDA_SUCCESS;
}

bool graph_undepend(CUgraphNode n, CUgraphNode on)
{
	size_t at = place_of(n, on);

	if (at == n->n_deps)
		return false;
	n->n_deps--;
	for (; at < n->n_deps; at++)
		n->deps[at] = n->deps[at + 1];
	return true;
}

/* A node without content at the end of g; NULL when memory is out. */
static CUgraphNode append(CUgraph g)
{
	CUgraphNode n = ARRAY_ROOM(g->nodes, g->n, &g->cap) ? handle_memory_take(&nodes) : NULL;

	if (!n)
		return NULL;
	n->magic = NODE_MAGIC;
	n->graph = g;
	n->number = g->n;
	g->nodes[g->n++] = n;
	return n;
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
	node = append(g);
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
		CUgraphNode n = append(g);

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

CUgraph *graph_inner(CUgraphNode n, size_t *ret_n)
{
	CUgraphNodeType type = n->params.type;

	*ret_n = type == CU_GRAPH_NODE_TYPE_GRAPH         ? 1
		 : type == CU_GRAPH_NODE_TYPE_CONDITIONAL ? n->params.conditional.size
							  : 0;
	return type == CU_GRAPH_NODE_TYPE_GRAPH ? &n->params.graph.graph
						: n->params.conditional.phGraph_out;
}

CUgraphNode graph_copy_of(CUgraph g, CUgraphNode origin)
{
	CUgraphNode found = NULL;

	for (size_t i = 0; i < g->n && !found; i++) {
		size_t n;
		CUgraph *inner = graph_inner(g->nodes[i], &n);

		if (g->nodes[i]->origin == origin)
			found = g->nodes[i];
		for (size_t k = 0; k < n && !found; k++)
			found = graph_copy_of(inner[k], origin);
	}
	return found;
}
