/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDA graphs of the driver API: nodes and what each depends on. A node is what <cuda.h> calls its
 * parameters, with copies of all that they point at; to run it is to give them to the call of a
 * stream that they are made for. An executable graph is a copy of a graph with an order. As the
 * manual has it, a graph is not used by two threads at the same time.
 */
#ifndef CGPU_EMULATOR_GRAPH_H
#define CGPU_EMULATOR_GRAPH_H

#include "emulator/driver/device/gpu.h"

struct graph_memory;
struct graph_condition;
struct graph_object;
struct graph_step;

struct CUgraphNode_st {
	uint64_t magic;
	CUgraph graph;
	size_t number; /* place in its graph */
	CUgraphNodeParams params;
	void *block;                 /* what the parameters point at */
	struct graph_memory *memory; /* of an allocation node, shared by its copies */
	CUgraphNode origin;          /* of a copy; may be gone */
	CUgraphNode *deps;
	size_t n_deps, cap_deps;
	bool cooperative;  /* of a launch */
	bool disabled;     /* in an executable graph */
	CUcontext context; /* in which it runs */
	int device;        /* of that */
};

struct CUgraph_st {
	uint64_t magic;
	bool owned; /* by a node, or by an executable graph */
	CUgraphNode *nodes;
	size_t n, cap;
	struct graph_step
		*steps;  /* the nodes, in the order in which they run; NULL: not executable */
	CUstream *lanes; /* of the steps; NULL where none was needed */
	unsigned n_lanes;
	CUresult (*end_lane)(CUstream lane); /* set before the first of them is there */
	struct graph_condition *conditions;
	size_t n_conditions, cap_conditions;
	struct graph_object *objects;
	size_t n_objects, cap_objects;
};

#define GRAPH_EXEC_MAGIC 0x45584543ull

struct CUgraphExec_st {
	uint64_t magic;
	CUgraph graph;
	cuuint64_t flags;
};

CUgraph graph_new(void);
void graph_free(CUgraph g);
/* Only itself: what its nodes and it had is gone. */
void graph_give(CUgraph g);
void graph_give_node(CUgraphNode n);
bool graph_valid(CUgraph g);
bool graph_exec_valid(CUgraphExec e);
bool graph_node_valid(CUgraphNode n);

/* Behind nodes of the same graph. What the parameters point at is copied. */
CUresult graph_add(CUgraph g, const CUgraphNodeParams *params, const CUgraphNode *deps, size_t n,
		   CUgraphNode *ret);
/* A node without content at the end of g; NULL when memory is out. */
CUgraphNode graph_append(CUgraph g);
CUresult graph_depend(CUgraphNode n, CUgraphNode on);
bool graph_depends(const struct CUgraphNode_st *n, CUgraphNode on);
/* Whether there was such a dependency. */
bool graph_undepend(CUgraphNode n, CUgraphNode on);
void graph_remove(CUgraphNode n);

/* Parameters of the same kind instead of those that the node has; of an executable graph a child is
 * put in order. */
CUresult graph_node_set(CUgraphNode n, const CUgraphNodeParams *params);

CUresult graph_clone(CUgraph g, CUgraph *ret);
/* The graphs that a node has: of a child, or the bodies of a conditional node. */
CUgraph *graph_inner(CUgraphNode n, size_t *ret_n);
/* The copy of a node in g, or in a graph that a node of g has; NULL: there is none. */
CUgraphNode graph_copy_of(CUgraph g, CUgraphNode origin);
/* Fill g->steps, also of the graphs of nodes. INVALID_VALUE: nodes depend on each other. */
CUresult graph_put_in_order(CUgraph g);
void graph_release_order(CUgraph g);
#endif
