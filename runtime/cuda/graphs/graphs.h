/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDA graphs as session state: nodes and what each depends on. A launch runs them in an order that
 * is fixed when the graph is instantiated; branches have streams of their own. Nothing of a driver
 * is kept, so a graph is as good after a recovery as before. Under device.lock.
 */
#ifndef CGPU_RUNTIME_CUDA_GRAPHS_GRAPHS_H
#define CGPU_RUNTIME_CUDA_GRAPHS_GRAPHS_H

#include <stdbool.h>

#include <driver_types.h>

#include "runtime/cuda/session/session.h"

#define GRAPHS_PARAMETERS_MAX 256

struct session_graph *graphs_new(bool executable);
void graphs_free(struct session_graph *g);
/* executable: a cudaGraphExec_t is meant. NULL: it is none. */
struct session_graph *graphs_find(const void *handle, bool executable);
/* A node of a graph that is no executable one; NULL: it is none. */
struct session_node *graphs_node(cudaGraphNode_t node);
enum cudaGraphNodeType graphs_type(const struct session_node *n);
/* The graphs that a node has: of a child, or the bodies of a conditional node. */
struct session_graph *const *graphs_inner(const struct session_node *n, uint32_t *ret_n);
/* The copy in g, or in a graph that a node of it has, of a node; NULL: there is none. */
struct session_node *graphs_copy_of(const struct session_graph *g,
				    const struct session_node *origin);

static inline struct session_graph *graphs_at(uint32_t i)
{
	return *session_at(&device.session->graphs, struct session_graph *, i);
}

static inline struct session_node *graphs_node_at(const struct session_graph *g, uint32_t i)
{
	return *session_at(&g->nodes, struct session_node *, i);
}

/* At the end of g; what n points at belongs to the node from then on. deps: nodes of g. */
cudaError_t graphs_add(struct session_graph *g, const struct session_node *n,
		       struct session_node *const *deps, size_t n_deps, struct session_node **ret);
cudaError_t graphs_depend(struct session_node *n, struct session_node *on);
bool graphs_depends(const struct session_node *n, const struct session_node *on);
void graphs_remove(struct session_node *n);
/* The content of a node is copied to its new place, with all that it points at; or it goes. */
cudaError_t graphs_copy_content(struct session_node *to, const struct session_node *from);
void graphs_release_content(struct session_node *n);
/* The nodes and dependencies of `from` into the empty graph `to`. */
cudaError_t graphs_copy_nodes(struct session_graph *to, const struct session_graph *from);
/* Fill g->steps; cudaErrorInvalidValue: nodes depend on each other. */
cudaError_t graphs_order_make(struct session_graph *g);
void graphs_order_release(struct session_graph *g);
/*
 * Conditions: graphs-conditions.c. A copy of a graph has those of the graph; what no other graph
 * has goes with g.
 */
cudaError_t graphs_conditions_copy(struct session_graph *to, const struct session_graph *from);
void graphs_conditions_release(struct session_graph *g);
/* Another graph that has the condition; g NULL: any. NULL: none has. */
const struct session_graph *graphs_conditions_holder(const struct session_graph *g,
						     cudaGraphConditionalHandle handle);

static inline struct session_condition *graphs_condition_at(const struct session_graph *g,
							    uint32_t i)
{
	return session_at(&g->conditions, struct session_condition, i);
}

/* References to user objects: graphs-objects.c. */
cudaError_t graphs_objects_copy(struct session_graph *to, const struct session_graph *from);
void graphs_objects_release(struct session_graph *g);
cudaError_t graphs_objects_add(struct session_graph *g, struct session_user_object *o,
			       unsigned count);
/* The references that a graph has; NULL: none. */
struct session_object_reference *graphs_objects_find(const struct session_graph *g,
						     const struct session_user_object *o);

/* A launch as it is kept: `args` are copied. */
cudaError_t graphs_launch_init(struct session_launch *l, struct session_kernel *kernel,
			       void **args);
struct session_kernel *graphs_kernel(const struct session_launch *l);
/* The addresses of the launch's arguments: GRAPHS_PARAMETERS_MAX pointers at most. */
cudaError_t graphs_launch_args(const struct session_launch *l, struct session_kernel *kernel,
			       void **ret);

/* A captured stream is asked to do this: it becomes a node. Takes what n points at, also when it
 * fails. */
cudaError_t graphs_capture(struct session_stream *s, const struct session_node *n);
cudaError_t graphs_capture_launch(struct session_stream *s, struct session_kernel *kernel,
				  const struct session_launch *l, void **args);

/* A memory node of some graph, an executable one too, has the memory at this address. */
bool graphs_have_memory(uint64_t address);
/* Device memory of a memory node: cudaFree() of it marks it only. False: it is none. */
bool graphs_free_memory(const void *p);

/* All are gone, as after cudaDeviceReset(). */
void graphs_reset(void);

#endif
