/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of libraries and cells for memory of the driver itself: held.h. A request is reserved
 * before the driver is touched; what came of it is set afterwards.
 */
#ifndef CGPU_RUNTIME_CUDA_MEMORY_HELD_REQUEST_H
#define CGPU_RUNTIME_CUDA_MEMORY_HELD_REQUEST_H

#include <stdint.h>

#include <cuda.h>

#include "runtime/cuda/memory/held.h"

/* OUT_OF_MEMORY leaves a refusal. Takes device.lock, as the next ones do. */
CUresult held_reserve(const char *call, int device, uint64_t bytes);
/* The same for what the driver has given already: only the cap is asked. */
CUresult held_reserve_taken(const char *call, int device, uint64_t bytes);
/* The driver has answered what was reserved for: `h` is taken, or it had no memory, which leaves a
 * refusal. */
void held_take(int device, uint64_t bytes, CUresult result, const struct held *h);
/* The driver's answer to a call that gives it back, which is returned: it is gone if that went
 * well. */
CUresult held_given_back(CUresult result, enum held_kind kind, uint64_t key);

/* cuCtxSetLimit(), for the thread's context, which is of that device: stacks and heaps count. */
CUresult held_limit_set(int device, CUlimit limit, size_t value);

#endif
