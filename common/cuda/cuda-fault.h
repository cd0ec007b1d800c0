/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of CUDA's errors, and which of them end a process's use of the device. */
#ifndef CGPU_COMMON_CUDA_CUDA_FAULT_H
#define CGPU_COMMON_CUDA_CUDA_FAULT_H

#include <stdbool.h>

enum cuda_fault_kind { CUDA_FAULT_RECOVERABLE, CUDA_FAULT_STICKY, CUDA_FAULT_GONE };

/* Classifies a CUresult or cudaError_t; an error that is not in the table is recoverable. */
enum cuda_fault_kind cuda_fault_kind(int code);
/* Tells whether the error ends the process and was caused by device code, not by a failed device or
 * driver. */
bool cuda_fault_is_of_code(int code);
/* Returns a clause that explains the error; "" when the error's own text is sufficient. */
const char *cuda_fault_meaning(int code);

#endif
