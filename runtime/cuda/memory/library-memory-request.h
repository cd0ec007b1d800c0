/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of libraries and cells for memory of the driver itself: library-memory.h. A request is
 * reserved before the driver is touched; what came of it is set afterwards.
 */
#ifndef CGPU_RUNTIME_CUDA_MEMORY_LIBRARY_MEMORY_REQUEST_H
#define CGPU_RUNTIME_CUDA_MEMORY_LIBRARY_MEMORY_REQUEST_H

#include <stdint.h>

#include <cuda.h>

#include "runtime/cuda/memory/library-memory.h"

/* OUT_OF_MEMORY leaves a refusal. Takes device.lock, as the next ones do. */
CUresult library_memory_reserve(const char *call, int device, uint64_t bytes);
/* The same for what the driver has given already: only the cap is asked. */
CUresult library_memory_reserve_taken(const char *call, int device, uint64_t bytes);
/* The driver has answered what was reserved for: `h` is taken, or it had no memory, which leaves a
 * refusal. */
void library_memory_take(int device, uint64_t bytes, CUresult result,
			 const struct library_memory *h);
/* The driver's answer to a call that gives it back, which is returned: it is gone if that went
 * well. */
CUresult library_memory_given_back(CUresult result, enum library_memory_kind kind, uint64_t key);

/* cuCtxSetLimit(), for the thread's context, which is of that device: stacks and heaps count. */
CUresult library_memory_limit_set(int device, CUlimit limit, size_t value);

#endif
