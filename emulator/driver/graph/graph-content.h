/* SPDX-License-Identifier: Apache-2.0 */
/* The content of a node: the parameters of its kind, with copies of all that they point at. */
#ifndef CGPU_EMULATOR_GRAPH_CONTENT_H
#define CGPU_EMULATOR_GRAPH_CONTENT_H

#include "emulator/driver/graph/graph.h"

/* Into a node without content; INVALID_VALUE, or NOT_SUPPORTED for a kind that is not here. */
CUresult graph_content_init(CUgraphNode n, const CUgraphNodeParams *params);
CUresult graph_content_copy(CUgraphNode n, const struct CUgraphNode_st *from);
void graph_content_release(CUgraphNode n);

#endif
