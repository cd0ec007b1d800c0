/* SPDX-License-Identifier: Apache-2.0 */
/* Conditional nodes, when they are added and when a graph is made executable. Under device.lock. */
#ifndef CGPU_RUNTIME_CUDA_CUDART_GRAPH_CUDART_GRAPH_CONDITION_H
#define CGPU_RUNTIME_CUDA_CUDART_GRAPH_CUDART_GRAPH_CONDITION_H

#include <stdbool.h>

#include <driver_types.h>

struct session_graph;

/* cudaErrorInvalidValue: it is none, or a node has it already. */
cudaError_t cudart_graph_condition_check(cudaGraphConditionalHandle handle);
/* Whether g has a conditional node. */
bool cudart_graph_condition_is_in(const struct session_graph *g);
/* Why a graph with conditional nodes cannot be made executable. */
cudaError_t cudart_graph_condition_check_bodies(const struct session_graph *g,
						cudaGraphInstantiateParams *why);

#endif
