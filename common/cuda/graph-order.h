/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orders the nodes of a graph for execution, and finds which can run concurrently: nodes are
 * divided into lanes, chains in which each node is behind the one before. The executor gives each
 * lane a stream, and makes a node wait for its dependencies in other lanes.
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
	/* Returns the i-th dependency of `node`; GRAPH_NO_NODE behind the last one. */
	uint32_t (*dependency)(const void *graph, uint32_t node, uint32_t i);
	/* Returns the place where the node runs: all nodes of a lane have the same. */
	uint32_t (*place)(const void *graph, uint32_t node);
};

struct graph_step {
	uint32_t node;
	uint32_t lane;
	bool awaited; /* a node of another lane depends on it */
};

enum { GRAPH_ORDER_CIRCLE = -1, GRAPH_ORDER_MEMORY = -2 };

/* Fills n steps and returns the number of lanes, or GRAPH_ORDER_CIRCLE when the nodes depend on
 * each other. */
int graph_order(const struct graph_order_source *s, struct graph_step *ret);

#endif
