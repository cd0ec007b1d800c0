/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver API: functions whose parameters <cuda.h> has changed or that it calls deprecated, as programs of earlier
 * toolkits call them. Each is exported by the symbol that it had; the names here are ours, since <cuda.h> gives the old
 * ones to new functions.
 */
#ifndef CGPU_EMULATOR_CU_OLDER_H
#define CGPU_EMULATOR_CU_OLDER_H

#include "emulator/driver/gpu.h"

#define CU_OLDER(symbol) __asm__(symbol) __attribute__((visibility("default")))

CUresult cu_older_get_proc_address(const char *name, void **ret, int version, cuuint64_t flags)
	CU_OLDER("cuGetProcAddress");
CUresult cu_older_ctx_create_v2(CUcontext *ret, unsigned flags, CUdevice device) CU_OLDER("cuCtxCreate_v2");
CUresult cu_older_ctx_create_v3(CUcontext *ret, CUexecAffinityParam *affinity, int affinities, unsigned flags,
				CUdevice device) CU_OLDER("cuCtxCreate_v3");
CUresult cu_older_device_capability(int *ret_major, int *ret_minor, CUdevice device)
	CU_OLDER("cuDeviceComputeCapability");

#endif
