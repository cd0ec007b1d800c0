/* SPDX-License-Identifier: Apache-2.0 */
/* Executable graphs, run node by node. */
#ifndef CGPU_RUNTIME_CUDA_CUDART_GRAPH_GRAPH_RUN_H
#define CGPU_RUNTIME_CUDA_CUDART_GRAPH_GRAPH_RUN_H

#include <driver_types.h>

struct session_graph;

/* Behind what is in the stream, or into its capture. Without device.lock. */
cudaError_t graph_run(const struct session_graph *g, cudaStream_t stream);

#endif
