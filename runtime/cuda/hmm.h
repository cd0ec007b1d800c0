/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices that reach all memory of the host (heterogeneous memory management): a pointer of malloc() is legal in device code.
 * All functions are for every device; where there is no HMM they do nothing. device.lock is held.
 */
#ifndef CGPU_RUNTIME_CUDA_HMM_H
#define CGPU_RUNTIME_CUDA_HMM_H

#include <cuda.h>

struct ptx_writes;

/* Before a launch: CUDA_ERROR_NOT_SUPPORTED, with an explanation, for one that would end the context. */
CUresult hmm_check_launch(const char *ptx_name, const struct ptx_writes *w, void **args);

#endif
