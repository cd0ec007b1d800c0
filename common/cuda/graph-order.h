/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In which order the nodes of a graph can be run, and which of them side by side: nodes fall into
 * lanes, chains in which each is behind the one before. Who runs the graph gives each lane a
 * stream, and lets a node wait for what it depends on in other lanes.
 */
#ifndef CGPU_COMMON_CUDA_GRAPH_ORDER_H
#define CGPU_COMMON_CUDA_GRAPH_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#define GRAPH_LANES_MAX 16 /* and as many as there are places */
#define GRAPH_NO_NODE UINT32_MAX

struct graph_order_source {
	const void *graph;
	uint32_t n;
	/* The i-th node that `node` depends on; GRAPH_NO_NODE behind the last one. */
	uint32_t (*dependency)(const void *graph, uint32_t node, uint32_t i);
	/* Where it runs: nodes of a lane are of one place. */
	uint32_t (*place)(const void *graph, uint32_t node);
};

struct graph_step {
	uint32_t node;
	uint32_t lane;
	bool awaited; /* a node of another lane depends on it */
};

enum { GRAPH_ORDER_CIRCLE = -1, GRAPH_ORDER_MEMORY = -2 };

/* Fill n steps. Returns how many lanes there are, or GRAPH_ORDER_CIRCLE: nodes depend on each
 * other. */
int graph_order(const struct graph_order_source *s, struct graph_step *ret);

#endif
