/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs put in order (common/cuda/graph-order.h). Nodes that do not depend on each other are in
 * lanes of their own. */
#include <stdlib.h>

#include "common/cuda/graph-order.h"
#include "emulator/driver/graph/graph.h"

static uint32_t dependency(const void *graph, uint32_t node, uint32_t i)
{
	const struct CUgraphNode_st *n = ((const struct CUgraph_st *)graph)->nodes[node];

	return i < n->n_deps ? (uint32_t)n->deps[i]->number : GRAPH_NO_NODE;
}

static uint32_t place(const void *graph, uint32_t node)
{
	return (uint32_t)((const struct CUgraph_st *)graph)->nodes[node]->device;
}

CUresult graph_put_in_order(CUgraph g)
{
	struct graph_order_source source = { g, (uint32_t)g->n, dependency, place };
	struct graph_step *steps = calloc(g->n + 1, sizeof(*steps));
	int lanes = steps ? graph_order(&source, steps) : GRAPH_ORDER_MEMORY;
	CUstream *streams = lanes >= 0 ? calloc((size_t)lanes + 1, sizeof(*streams)) : NULL;
	CUresult result = lanes == GRAPH_ORDER_CIRCLE ? CUDA_ERROR_INVALID_VALUE
			  : streams                   ? CUDA_SUCCESS
						      : CUDA_ERROR_OUT_OF_MEMORY;

	for (size_t i = 0; i < g->n && !result; i++) {
		size_t n_inner;
		CUgraph *inner = graph_inner(g->nodes[i], &n_inner);

		for (size_t k = 0; k < n_inner && !result; k++)
			result = graph_put_in_order(inner[k]);
	}
	if (result) {
		free(steps);
		free(streams);
		return result;
	}
	graph_release_order(g);
	g->steps = steps;
	g->lanes = streams;
	g->n_lanes = (unsigned)lanes;
	return CUDA_SUCCESS;
}

void graph_release_order(CUgraph g)
{
	for (unsigned i = 0; i < g->n_lanes; i++)
		if (g->lanes[i])
			g->end_lane(g->lanes[i]);
	free(g->steps);
	free(g->lanes);
	g->steps = NULL;
	g->lanes = NULL;
	g->n_lanes = 0;
}
