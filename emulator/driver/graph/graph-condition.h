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

/* A new one of g, to be filled in; NULL: out of memory. */
struct graph_condition *graph_condition_add(CUgraph g);
CUresult graph_copy_conditions(CUgraph to, CUgraph from);
void graph_release_conditions(CUgraph g);
/* It has a conditional node. */
bool graph_is_conditional(CUgraph g);
/* Why it cannot be made executable: *ret_why, with the node. */
CUresult graph_check_bodies(CUgraph g, CUgraphInstantiateResult *ret_why, CUgraphNode *ret_node);

/* The parameters of a conditional node are taken over: its bodies are made. */
CUresult graph_condition_take(CUgraphNode n);

#endif
