/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDA graphs as session state: a list of what was captured or added, in an order in which it may run, since a node comes after
 * those that it depends on. A launch does that in its stream. Nothing of a driver is kept, so a graph is as good after a
 * recovery as before. The calls that can be captured ask graphs_capturing() first; all others find that
 * cudart_stream() refuses a stream that is being captured.
 */
#ifndef CGPU_RUNTIME_CUDA_GRAPHS_H
#define CGPU_RUNTIME_CUDA_GRAPHS_H

#include <stdbool.h>

#include <driver_types.h>

#include "runtime/cuda/session.h"

/* The graph that the stream's calls are added to; NULL: they run. */
struct session_graph *graphs_capturing(cudaStream_t stream);

/* Fill in n->kind and its part of the union; `args` of a launch are copied. */
cudaError_t graphs_add(struct session_graph *g, const struct session_node *n, struct session_node **ret);
cudaError_t graphs_add_launch(struct session_graph *g, struct session_entry *e, const struct session_launch *l,
			      void **args, struct session_node **ret);

/* An event that was recorded in a captured stream takes streams that wait for it into the capture. */
bool graphs_record(cudaEvent_t event, cudaStream_t stream);
bool graphs_wait(cudaStream_t stream, cudaEvent_t event);

/* All are gone, as after cudaDeviceReset(). */
void graphs_reset(void);

#endif
