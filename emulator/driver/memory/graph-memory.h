/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device memory that graphs have: of allocation nodes, and the values of conditions. All copies of
 * a graph share it; it is given back with the last of them.
 */
#ifndef CGPU_EMULATOR_GRAPH_MEMORY_H
#define CGPU_EMULATOR_GRAPH_MEMORY_H

#include "emulator/driver/device/gpu.h"

struct graph_memory {
	struct graph_memory *next;
	CUdeviceptr address;
	unsigned references;
	int device;
	size_t size;
};

/* On a device; the caller has the first reference. */
CUresult graph_memory_new(int device, size_t size, struct graph_memory **ret);
struct graph_memory *graph_memory_hold(struct graph_memory *m);
/* NULL is fine. */
void graph_memory_release(struct graph_memory *m);

/* The program may free memory of an allocation node, and it stays the graph's for the next launch.
 */
bool graph_has_memory(CUdeviceptr address);

#endif
