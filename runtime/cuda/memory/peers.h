/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which devices reach the memory of each other: session state, and the driver's part of it. Under
 * device.lock.
 */
#ifndef CGPU_RUNTIME_CUDA_MEMORY_PEERS_H
#define CGPU_RUNTIME_CUDA_MEMORY_PEERS_H

#include <stdbool.h>

#include <cuda.h>

struct session_buffer;

/* PEER_ACCESS_ALREADY_ENABLED, PEER_ACCESS_UNSUPPORTED. */
CUresult peers_open(int ordinal, int peer);
/* PEER_ACCESS_NOT_ENABLED. */
CUresult peers_close(int ordinal, int peer);
/* In a new worker: what the session has is made so in the driver. */
CUresult peers_reopen(void);
/* Device code of `ordinal` can write there. */
bool peers_reach(int ordinal, const struct session_buffer *b);

#endif
