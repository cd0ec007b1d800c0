/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runtime API, chapter Driver Entry Point Access: functions of the driver by name. A cell gets
 * those that stand before the driver (libcuda.h), so what it takes there is counted, and their
 * addresses are the same in every worker.
 */
#include "runtime/cuda/cudart/cudart.h"

#include "runtime/cuda/libcuda/libcuda.h"

static cudaError_t find(const char *name, void **ret, unsigned version, unsigned long long flags,
			enum cudaDriverEntryPointQueryResult *ret_status)
{
	CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
	CUresult result;

	if (!name || !ret)
		return cudaErrorInvalidValue;
	*ret = NULL;
	result = libcuda_proc_address(name, ret, (int)version, flags, &status);
	/* A function that is not there is an answer, too. The numbers of both enums are the same.
	 */
	if (result == CUDA_ERROR_NOT_FOUND && status == CU_GET_PROC_ADDRESS_SUCCESS)
		status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	if (ret_status)
		*ret_status = (enum cudaDriverEntryPointQueryResult)status;
	return result == CUDA_ERROR_NOT_FOUND ? cudaSuccess : cudart_error(result);
}

cudaError_t cudaGetDriverEntryPoint(const char *name, void **ret, unsigned long long flags,
				    enum cudaDriverEntryPointQueryResult *ret_status)
{
	return CUDART_CALL(find(name, ret, CUDART_VERSION, flags, ret_status));
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **ret, unsigned version,
					     unsigned long long flags,
					     enum cudaDriverEntryPointQueryResult *ret_status)
{
	return CUDART_CALL(find(name, ret, version, flags, ret_status));
}
