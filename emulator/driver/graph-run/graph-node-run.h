/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of graphs as calls of a stream. */
#ifndef CGPU_EMULATOR_GRAPH_NODE_RUN_H
#define CGPU_EMULATOR_GRAPH_NODE_RUN_H

#include "emulator/driver/graph/graph.h"

/* The call of a stream that the node stands for. */
CUresult graph_node_run(CUgraphNode n, CUstream stream);

#endif
