/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A chunk with pre-images in memory of the host: a memfd, which the kernel process has before
 * anything is written there. It is made without the driver. So it is there when the device is full,
 * it outlives a device that is lost, and a thread of the driver may make one. Memory of the
 * driver's own on a node of the host (HOST_NUMA) can do the first of these only, and containers
 * refuse it.
 */
#ifndef CGPU_RUNTIME_CUDA_MEMORY_HOST_CHUNK_H
#define CGPU_RUNTIME_CUDA_MEMORY_HOST_CHUNK_H

#include <stdint.h>

struct error;

struct host_chunk {
	uint64_t id;   /* for the kernel's messages */
	uint64_t size; /* bytes */
	char *bytes;   /* mapped, shared; NULL: there is none */
};

/*
 * A new one for pre-images of a device's buffers, known to the kernel process. It may be called in
 * any thread and without device.lock.
 */
int host_chunk_init(struct host_chunk *c, int ordinal, uint64_t size, struct error *err);
/* One that an earlier worker has made. Takes fd. */
int host_chunk_open(struct host_chunk *c, uint64_t id, uint64_t size, int fd, struct error *err);
/* The kernel process still has it. */
void host_chunk_release(struct host_chunk *c);

#endif
