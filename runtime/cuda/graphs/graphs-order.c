/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which the nodes of a graph run, and its lanes: common/cuda/graph-order.h. */
#include <stdlib.h>

#include "common/cuda/graph-order.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/graphs/graphs.h"
#include "runtime/cuda/session/handles.h"

static uint32_t dependency(const void *graph, uint32_t node, uint32_t i)
{
	const struct session_node *n = graphs_node_at(graph, node);

	return i < n->deps.n ? (*session_at(&n->deps, struct session_node *, i))->number
			     : GRAPH_NO_NODE;
}

static uint32_t place(const void *graph, uint32_t node)
{
	return (uint32_t)graphs_node_at(graph, node)->device;
}

static cudaError_t keep(struct session_graph *g, const struct graph_step *steps, int lanes)
{
	bool room = true;

	for (uint32_t i = 0; i < g->nodes.n && room; i++) {
		struct graph_step *s = session_append(&g->steps, struct graph_step);

		room = s;
		if (s)
			*s = steps[i];
	}
	for (int i = 0; i < lanes && room; i++)
		room = session_append(&g->lanes, cudaStream_t);
	return room ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t graphs_order_make(struct session_graph *g)
{
	struct graph_order_source source = { g, g->nodes.n, dependency, place };
	struct graph_step *steps = calloc(g->nodes.n + 1, sizeof(*steps));
	int lanes = steps ? graph_order(&source, steps) : GRAPH_ORDER_MEMORY;
	cudaError_t result =
		lanes == GRAPH_ORDER_CIRCLE ? cudaErrorInvalidValue : cudaErrorMemoryAllocation;

	graphs_order_release(g);
	if (lanes >= 0)
		result = keep(g, steps, lanes);
	free(steps);
	return result;
}

void graphs_order_release(struct session_graph *g)
{
	for (uint32_t i = 0; i < g->lanes.n; i++)
		if (*session_at(&g->lanes, cudaStream_t, i))
			handles_stream_free(*session_at(&g->lanes, cudaStream_t, i));
	session_array_clear(&g->lanes);
	session_array_clear(&g->steps);
}
