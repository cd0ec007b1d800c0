/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs as work of streams. */
#ifndef CGPU_EMULATOR_GRAPH_RUN_H
#define CGPU_EMULATOR_GRAPH_RUN_H

#include "emulator/driver/graph/graph.h"

/* Everything, behind what is in the stream; branches that do not depend on each other run side by
 * side. */
CUresult graph_run(CUgraph g, CUstream stream);

#endif
