/* SPDX-License-Identifier: Apache-2.0 */
/* Runtime API, chapter Error Handling. */
#include "runtime/cuda/cudart/cudart.h"

#include "common/launch-glue.h"
#include "runtime/cuda/driver/cuda-error.h"
#include "runtime/cuda/reports/call-errors.h"

cudaError_t cgpu_looked_at(cudaError_t result)
{
	call_errors_looked_at(result);
	return result;
}

/* A broken device answers to everything with its first error. */
static cudaError_t current_error(void)
{
	return device.sticky ? (cudaError_t)device.sticky : call_errors_last();
}

cudaError_t cudaGetLastError(void)
{
	cudaError_t error = current_error();

	call_errors_forget_last();
	call_errors_checked(cudaSuccess);
	return error;
}

cudaError_t cudaPeekAtLastError(void)
{
	call_errors_checked(cudaSuccess);
	return current_error();
}

const char *cudaGetErrorName(cudaError_t error)
{
	if (error)
		call_errors_checked(error);
	return cuda_error_name(error);
}

const char *cudaGetErrorString(cudaError_t error)
{
	if (error)
		call_errors_checked(error);
	return cuda_error_text(error);
}
