/* SPDX-License-Identifier: Apache-2.0 */
/* User objects: things of the program that graphs keep alive. A copy of a graph has the same
 * references as the graph. */
#ifndef CGPU_EMULATOR_GRAPH_OBJECT_H
#define CGPU_EMULATOR_GRAPH_OBJECT_H

#include "emulator/driver/graph/graph.h"

struct graph_object {
	CUuserObject object;
	unsigned count; /* references of the graph */
};

CUresult graph_copy_objects(CUgraph to, CUgraph from);
void graph_release_objects(CUgraph g);

#endif
