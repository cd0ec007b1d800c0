/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes by which the driver has a GPU open go to the kernel process, which keeps the GPU from
 * being shut down. */
#ifndef CGPU_RUNTIME_CUDA_DRIVER_DEVICE_NODE_H
#define CGPU_RUNTIME_CUDA_DRIVER_DEVICE_NODE_H

/*
 * Call fn for each file NODE0, NODE1, ... of which `folder` (/proc/self/fd) has a link, opened
 * anew; once each. fn owns fd. A copy of the driver's own descriptor would keep all that the driver
 * has made by it.
 */
void device_node_each(const char *folder, const char *node, void (*fn)(void *data, int fd),
		      void *data);

/* Memory of the session was made: the kernel gets the nodes of the devices that are in use, once
 * each. */
void device_node_tell(void);

#endif
