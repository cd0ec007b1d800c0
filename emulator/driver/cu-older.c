/* SPDX-License-Identifier: Apache-2.0 */
/* Driver API: what programs of earlier toolkits call, in terms of the functions of this one. */
#include "emulator/driver/cu-older.h"

CUresult cu_older_get_proc_address(const char *name, void **ret, int version, cuuint64_t flags)
{
	return cuGetProcAddress(name, ret, version, flags, NULL);
}

CUresult cu_older_ctx_create_v2(CUcontext *ret, unsigned flags, CUdevice device)
{
	return cuCtxCreate(ret, NULL, flags, device);
}

CUresult cu_older_ctx_create_v3(CUcontext *ret, CUexecAffinityParam *affinity, int affinities, unsigned flags,
				CUdevice device)
{
	(void)affinity;
	return affinities ? CUDA_ERROR_NOT_SUPPORTED : cuCtxCreate(ret, NULL, flags, device);
}

CUresult cu_older_device_capability(int *ret_major, int *ret_minor, CUdevice device)
{
	CUresult result = gpu_enter("cuDeviceComputeCapability", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!ret_major || !ret_minor || !gpu_has(device))
		return gpu_has(device) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_DEVICE;
	*ret_major = GPU_COMPUTE_MAJOR;
	*ret_minor = GPU_COMPUTE_MINOR;
	return CUDA_SUCCESS;
}
