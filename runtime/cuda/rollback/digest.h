/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Digests of device memory: 64 bits that tell whether a buffer is what it was. The device computes
 * them, reading each byte once.
 */
#ifndef CGPU_RUNTIME_CUDA_ROLLBACK_DIGEST_H
#define CGPU_RUNTIME_CUDA_ROLLBACK_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

struct digest_range {
	uint64_t address; /* a multiple of 16 */
	uint64_t size;
	uint64_t digest; /* the answer */
};

/* Computes digests of memory of the current device in a stream of it, and waits for the end. */
CUresult digest_compute(CUstream stream, struct digest_range *ranges, size_t n);

#endif
