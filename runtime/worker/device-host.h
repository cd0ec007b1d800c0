/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA side is given this of the worker: struct device_host of runtime/cuda/device.h. */
#ifndef CGPU_RUNTIME_WORKER_DEVICE_HOST_H
#define CGPU_RUNTIME_WORKER_DEVICE_HOST_H

struct device_host;

/* Once, when the control area is mapped. Stays. */
const struct device_host *device_host_init(void);

#endif
