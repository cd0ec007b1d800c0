/* SPDX-License-Identifier: Apache-2.0 */
/* Names and texts of errors, as the CUDA runtime API has them. The driver's codes have the same
 * values. */
#ifndef CGPU_RUNTIME_CUDA_DRIVER_CUDA_ERROR_H
#define CGPU_RUNTIME_CUDA_DRIVER_CUDA_ERROR_H

/* error: cudaError_t or CUresult. */
const char *cuda_error_text(unsigned error);
const char *cuda_error_name(unsigned error);

#endif
