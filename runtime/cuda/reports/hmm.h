/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices that reach all memory of the host (heterogeneous memory management): a pointer of
 * malloc() is legal in device code.
 */
#ifndef CGPU_RUNTIME_CUDA_REPORTS_HMM_H
#define CGPU_RUNTIME_CUDA_REPORTS_HMM_H

#include <stdint.h>

#include <cuda.h>

struct buffer;
struct emulator_host_memory;
struct ptx_writes;

/*
 * Before a launch, on any device: CUDA_ERROR_NOT_SUPPORTED, with an explanation, for one that would
 * end the context. device.lock is held.
 */
CUresult hmm_check_launch(const char *ptx_name, const struct ptx_writes *w, void **args);

/* An emulator_host_fn: blocks and variables of the session with their bounds, and what else is
 * mapped. */
int hmm_find_host(uint64_t address, struct emulator_host_memory *ret);

/* Says of a fault what it cannot be on a device that reaches the host. */
void hmm_put_fault(CUresult code, struct buffer *out);

#endif
