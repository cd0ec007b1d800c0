/* SPDX-License-Identifier: Apache-2.0 */
/* Handles of graphs and nodes, and dependencies between nodes. */
#include "emulator/driver/graph/graph.h"

#include <stdlib.h>

#include "common/base/array.h"
#include "emulator/driver/device/handle-memory.h"

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

CUgraphNode graph_append(CUgraph g)
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

void graph_give_node(CUgraphNode n)
{
	n->magic = 0;
	free(n->deps);
	handle_memory_give(&nodes, n);
}

void graph_give(CUgraph g)
{
	free(g->nodes);
	handle_memory_give(&graphs, g);
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
