/* SPDX-License-Identifier: Apache-2.0 */
/* Driver API: the device and its attributes. Figures that the machine decides come from machine-limits.h. */
#include <stdio.h>
#include <string.h>

#include "emulator/driver/gpu.h"
#include "emulator/machine/machine-limits.h"

#define PCI_BUS_ID "0000:00:00.0"

CUresult cuDeviceGet(CUdevice *ret, int ordinal)
{
	CUresult result = gpu_enter("cuDeviceGet", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!ret || ordinal)
		return ordinal ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
	*ret = 0;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *ret)
{
	CUresult result = gpu_enter("cuDeviceGetCount", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!ret)
		return CUDA_ERROR_INVALID_VALUE;
	*ret = 1;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *ret, int len, CUdevice device)
{
	CUresult result = gpu_enter("cuDeviceGetName", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!ret || len <= 0 || device)
		return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
	snprintf(ret, (size_t)len, "%s", GPU_NAME);
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *ret, CUdevice device)
{
	CUresult result = gpu_enter("cuDeviceGetUuid", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!ret || device)
		return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
	memcpy(ret->bytes, "cgpu-emulated-00", sizeof(ret->bytes));
	return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t *ret, CUdevice device)
{
	CUresult result = gpu_enter("cuDeviceTotalMem", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!ret || device)
		return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
	*ret = gpu.memory;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *ret, int len, CUdevice device)
{
	CUresult result = gpu_enter("cuDeviceGetPCIBusId", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!ret || len < (int)sizeof(PCI_BUS_ID) || device)
		return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
	memcpy(ret, PCI_BUS_ID, sizeof(PCI_BUS_ID));
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice *ret, const char *id)
{
	CUresult result = gpu_enter("cuDeviceGetByPCIBusId", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!ret || !id)
		return CUDA_ERROR_INVALID_VALUE;
	if (strcmp(id, PCI_BUS_ID))
		return CUDA_ERROR_INVALID_DEVICE;
	*ret = 0;
	return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int *ret, CUdevice device, CUdevice peer)
{
	CUresult result = gpu_enter("cuDeviceCanAccessPeer", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (device || peer)
		return CUDA_ERROR_INVALID_DEVICE;
	*ret = 0;
	return CUDA_SUCCESS;
}

static const struct {
	CUdevice_attribute attribute;
	int value;
} attributes[] = {
#define ATTRIBUTE(name, value) { CU_DEVICE_ATTRIBUTE_##name, value },
#include "emulator/driver/cu-device-attributes.def"
#undef ATTRIBUTE
};

CUresult cuDeviceGetAttribute(int *ret, CUdevice_attribute attribute, CUdevice device)
{
	CUresult result = gpu_enter("cuDeviceGetAttribute", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!ret || device)
		return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
	if ((int)attribute <= 0 || attribute >= CU_DEVICE_ATTRIBUTE_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	*ret = 0;
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		if (attributes[i].attribute == attribute)
			*ret = attributes[i].value;
	return CUDA_SUCCESS;
}
