/* SPDX-License-Identifier: Apache-2.0 */
/* Driver API: the devices, which are all alike, and their attributes. The machine's figures come
 * from machine-limits.h. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "emulator/driver/device/gpu.h"
#include "emulator/driver/memory/cu-array.h"
#include "emulator/ptx/machine-limits.h"

#define PCI_BUS_ID "0000:%02x:00.0"
#define PCI_BUS_ID_SIZE sizeof("0000:00:00.0")

CUresult cuDeviceGet(CUdevice *ret, int ordinal)
{
	CUresult result = gpu_enter("cuDeviceGet", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!ret || !gpu_has(ordinal))
		return ret ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
	*ret = ordinal;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *ret)
{
	CUresult result = gpu_enter("cuDeviceGetCount", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!ret)
		return CUDA_ERROR_INVALID_VALUE;
	*ret = gpu.devices;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *ret, int len, CUdevice device)
{
	CUresult result = gpu_enter("cuDeviceGetName", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!ret || len <= 0 || !gpu_has(device))
		return gpu_has(device) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_DEVICE;
	snprintf(ret, (size_t)len, "%s", GPU_NAME);
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *ret, CUdevice device)
{
	CUresult result = gpu_enter("cuDeviceGetUuid", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!ret || !gpu_has(device))
		return ret ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
	memcpy(ret->bytes, "cgpu-emulated-00", sizeof(ret->bytes));
	ret->bytes[14] = (char)('0' + device / 10);
	ret->bytes[15] = (char)('0' + device % 10);
	return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t *ret, CUdevice device)
{
	CUresult result = gpu_enter("cuDeviceTotalMem", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!ret || !gpu_has(device))
		return ret ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
	*ret = gpu.memory;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *ret, int len, CUdevice device)
{
	CUresult result = gpu_enter("cuDeviceGetPCIBusId", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!ret || len < (int)PCI_BUS_ID_SIZE || !gpu_has(device))
		return gpu_has(device) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_DEVICE;
	snprintf(ret, (size_t)len, PCI_BUS_ID, (unsigned)device);
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice *ret, const char *id)
{
	CUresult result = gpu_enter("cuDeviceGetByPCIBusId", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!ret || !id)
		return CUDA_ERROR_INVALID_VALUE;
	for (int i = 0; i < gpu.devices; i++) {
		char own[32];

		snprintf(own, sizeof(own), PCI_BUS_ID, (unsigned)i);
		if (strcasecmp(id, own))
			continue;
		*ret = i;
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceCanAccessPeer(int *ret, CUdevice device, CUdevice peer)
{
	CUresult result = gpu_enter("cuDeviceCanAccessPeer", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!gpu_has(device) || !gpu_has(peer))
		return CUDA_ERROR_INVALID_DEVICE;
	*ret = device != peer;
	return CUDA_SUCCESS;
}

/* They all lie in the memory of one machine, so no link is better than another one. */
CUresult cuDeviceGetP2PAttribute(int *ret, CUdevice_P2PAttribute attribute, CUdevice from,
				 CUdevice to)
{
	CUresult result = gpu_enter("cuDeviceGetP2PAttribute", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!ret)
		return CUDA_ERROR_INVALID_VALUE;
	if (!gpu_has(from) || !gpu_has(to) || from == to)
		return CUDA_ERROR_INVALID_DEVICE;
	switch (attribute) {
	case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
		*ret = 0;
		return CUDA_SUCCESS;
	case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
	case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
	case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
		*ret = 1;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

static const struct {
	CUdevice_attribute attribute;
	int value;
} attributes[] = {
#define ATTRIBUTE(name, value) { CU_DEVICE_ATTRIBUTE_##name, value },
#include "emulator/driver/api/cu-device-attributes.def"
#undef ATTRIBUTE
};

/* The attributes that are not the same for each device of each process. */
static int own_attribute(CUdevice_attribute attribute, CUdevice device)
{
	switch (attribute) {
	case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
	case CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID:
		return device;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
		return gpu.capability / 10;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
		return gpu.capability % 10;
	case CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS:
		return gpu.has_hmm;
	default:
		return 0;
	}
}

CUresult cuDeviceGetAttribute(int *ret, CUdevice_attribute attribute, CUdevice device)
{
	CUresult result = gpu_enter("cuDeviceGetAttribute", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!ret || !gpu_has(device))
		return ret ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
	if ((int)attribute <= 0 || attribute >= CU_DEVICE_ATTRIBUTE_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	*ret = own_attribute(attribute, device);
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		if (attributes[i].attribute == attribute)
			*ret = attributes[i].value;
	return CUDA_SUCCESS;
}

/* Device code on the CPU does them by itself on all memory that it reaches: what PTX has of each.
 */
static unsigned capabilities_of(CUatomicOperation operation)
{
	unsigned all = CU_ATOMIC_CAPABILITY_REDUCTION | CU_ATOMIC_CAPABILITY_SCALAR_32 |
		       CU_ATOMIC_CAPABILITY_SCALAR_64;

	switch (operation) {
	case CU_ATOMIC_OPERATION_INTEGER_ADD:
	case CU_ATOMIC_OPERATION_INTEGER_MIN:
	case CU_ATOMIC_OPERATION_INTEGER_MAX:
		return all | CU_ATOMIC_CAPABILITY_SIGNED | CU_ATOMIC_CAPABILITY_UNSIGNED;
	case CU_ATOMIC_OPERATION_FLOAT_ADD:
		return all | CU_ATOMIC_CAPABILITY_SIGNED;
	case CU_ATOMIC_OPERATION_INTEGER_INCREMENT:
	case CU_ATOMIC_OPERATION_INTEGER_DECREMENT:
		return CU_ATOMIC_CAPABILITY_UNSIGNED | CU_ATOMIC_CAPABILITY_REDUCTION |
		       CU_ATOMIC_CAPABILITY_SCALAR_32;
	case CU_ATOMIC_OPERATION_EXCHANGE:
	case CU_ATOMIC_OPERATION_CAS:
		return CU_ATOMIC_CAPABILITY_UNSIGNED | CU_ATOMIC_CAPABILITY_SCALAR_32 |
		       CU_ATOMIC_CAPABILITY_SCALAR_64;
	case CU_ATOMIC_OPERATION_FLOAT_MIN:
	case CU_ATOMIC_OPERATION_FLOAT_MAX:
		return 0;
	default:
		return all | CU_ATOMIC_CAPABILITY_UNSIGNED;
	}
}

static CUresult put_capabilities(unsigned *ret, const CUatomicOperation *operations, unsigned n)
{
	if (!ret || !operations || !n)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < n; i++)
		if ((unsigned)operations[i] > CU_ATOMIC_OPERATION_FLOAT_MAX)
			return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < n; i++)
		ret[i] = capabilities_of(operations[i]);
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetHostAtomicCapabilities(unsigned int *ret, const CUatomicOperation *operations,
					   unsigned int n, CUdevice device)
{
	CUresult result = gpu_enter("cuDeviceGetHostAtomicCapabilities", GPU_CALL_DEVICE);

	if (!result && !gpu_has(device))
		result = CUDA_ERROR_INVALID_DEVICE;
	return result ? result : put_capabilities(ret, operations, n);
}

CUresult cuDeviceGetP2PAtomicCapabilities(unsigned int *ret, const CUatomicOperation *operations,
					  unsigned int n, CUdevice from, CUdevice to)
{
	CUresult result = gpu_enter("cuDeviceGetP2PAtomicCapabilities", GPU_CALL_DEVICE);

	if (!result && (!gpu_has(from) || !gpu_has(to) || from == to))
		result = CUDA_ERROR_INVALID_DEVICE;
	return result ? result : put_capabilities(ret, operations, n);
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *ret, CUarray_format format, unsigned channels,
					    CUdevice device)
{
	CUresult result;
	uint8_t kind;
	int width;

	if (!ret || !cu_format_bytes(format, &kind) ||
	    (channels != 1 && channels != 2 && channels != 4))
		return CUDA_ERROR_INVALID_VALUE;
	result = cuDeviceGetAttribute(&width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH,
				      device);
	if (!result)
		*ret = (size_t)width;
	return result;
}
