/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the device files of GPUs open. A GPU that nobody has open is shut down, and memory that
 * only file descriptors keep alive is lost; so the device file stays open longer than the worker
 * that has opened it. The descriptor is used for nothing else.
 */
#ifndef CGPU_KERNEL_DEVICE_DEVICE_NODES_H
#define CGPU_KERNEL_DEVICE_DEVICE_NODES_H

#include "common/protocol/worker-protocol.h"

struct device_nodes {
	int fds[CHUNK_DEVICES_MAX];
	unsigned n;
};

/* Takes fd over and holds it. It is closed when its device is held already, when there are too
 * many, or when it is no device. */
void device_nodes_hold(struct device_nodes *d, int fd);
void device_nodes_release(struct device_nodes *d);

#endif
