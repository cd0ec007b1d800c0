/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditional nodes of graphs. The value that a node looks at lies in device memory, and its handle
 * is the address: device code stores to it. Who launches a graph waits at such a node for what is
 * before it, and then runs a body or none.
 */
#ifndef CGPU_EMULATOR_GRAPH_CONDITION_H
#define CGPU_EMULATOR_GRAPH_CONDITION_H

#include "emulator/driver/graph/graph.h"

struct graph_condition {
	struct graph_memory *memory;
	unsigned preset; /* for each run of its graph, where the flags say so */
	unsigned flags;
};

CUresult graph_condition_new(CUgraph g, int device, unsigned preset, unsigned flags,
			     CUgraphConditionalHandle *ret);
CUresult graph_copy_conditions(CUgraph to, CUgraph from);
void graph_release_conditions(CUgraph g);
/* Of a body as of the whole: its values as it begins. */
CUresult graph_preset(CUgraph g, CUstream stream);

/* It has a conditional node. */
bool graph_is_conditional(CUgraph g);
/* Why it cannot be made executable: *ret_why, with the node. */
CUresult graph_check_bodies(CUgraph g, CUgraphInstantiateResult *ret_why, CUgraphNode *ret_node);

/* What graph-content.c has of each kind of node. */
CUresult graph_condition_take(CUgraphNode n);
CUresult graph_condition_run(CUgraphNode n, CUstream stream);

#endif
