/* SPDX-License-Identifier: Apache-2.0 */
/* Which errors of CUDA calls end a process's use of the device, and what errors mean. */
#ifndef CGPU_COMMON_CUDA_CUDA_FAULT_H
#define CGPU_COMMON_CUDA_CUDA_FAULT_H

#include <stdbool.h>

enum cuda_fault_kind { CUDA_FAULT_RECOVERABLE, CUDA_FAULT_STICKY, CUDA_FAULT_GONE };

/* Of a CUresult or cudaError_t; what the table does not know is recoverable. */
enum cuda_fault_kind cuda_fault_kind(int code);
/* It ends the process, and what device code did is the cause, not a device or driver that has
 * failed. */
bool cuda_fault_is_of_code(int code);
/* One clause; "" when the error's own text says enough. */
const char *cuda_fault_meaning(int code);

#endif
