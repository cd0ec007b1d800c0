/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes of GPUs, held open. A GPU that nobody has open is shut down, and memory that lives by its
 * descriptors alone goes with it; so a node outlives the worker that has opened it. Nothing is ever
 * asked of it here.
 */
#ifndef CGPU_KERNEL_DEVICE_DEVICE_NODES_H
#define CGPU_KERNEL_DEVICE_DEVICE_NODES_H

#include "common/protocol/worker-protocol.h"

struct device_nodes {
	int fds[CHUNK_DEVICES_MAX];
	unsigned n;
};

/* fd is taken over. One of a device that is held already, more than there can be, and what is no
 * device are closed. */
void device_nodes_hold(struct device_nodes *d, int fd);
void device_nodes_release(struct device_nodes *d);

#endif
