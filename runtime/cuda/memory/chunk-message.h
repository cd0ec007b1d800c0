/* SPDX-License-Identifier: Apache-2.0 */
/* Messages to the kernel process about chunks of memory: WORKER_DEVICE_CHUNK and WORKER_DEVICE_DROP
 * of common/protocol/worker-protocol.h. */
#ifndef CGPU_RUNTIME_CUDA_MEMORY_CHUNK_MESSAGE_H
#define CGPU_RUNTIME_CUDA_MEMORY_CHUNK_MESSAGE_H

#include <stdint.h>

struct error;

/* Chunk `id` has this memory, which fd keeps; the caller still owns fd. address: where later
 * workers map it, 0: pre-images. */
int chunk_message_made(uint64_t id, uint64_t size, uint64_t address, int fd, struct error *err);
/* From the commit on nobody needs it, or at once, if it waits for pre-images. What goes wrong is
 * logged. */
void chunk_message_dropped(uint64_t id);

#endif
