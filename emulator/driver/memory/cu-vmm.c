/* SPDX-License-Identifier: Apache-2.0 */
/* Driver API: virtual memory management. Physical memory is a memfd, an exported handle is its
 * descriptor. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emulator/driver/device/memory.h"

CUresult cuMemGetAllocationGranularity(size_t *ret, const CUmemAllocationProp *prop,
				       CUmemAllocationGranularity_flags option)
{
	CUresult result = gpu_enter("cuMemGetAllocationGranularity", GPU_CALL_DEVICE);

	(void)option;
	if (result)
		return result;
	if (!ret || !prop)
		return CUDA_ERROR_INVALID_VALUE;
	*ret = GPU_GRANULARITY;
	return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr *ret, size_t size, size_t align, CUdeviceptr hint,
			     unsigned long long flags)
{
	CUresult result = gpu_enter("cuMemAddressReserve", GPU_CALL_DEVICE);
	uint64_t address;

	if (result)
		return result;
	if (!ret || !size || size % GPU_GRANULARITY || (align & (align - 1)) || flags)
		return CUDA_ERROR_INVALID_VALUE;
	result = memory_reserve(hint, size, align < GPU_GRANULARITY ? GPU_GRANULARITY : align,
				&address);
	if (!result)
		*ret = address;
	return result;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t size)
{
	CUresult result = gpu_enter("cuMemAddressFree", GPU_CALL_DEVICE);

	return result ? result : memory_unreserve(address, size);
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *ret, size_t size,
		     const CUmemAllocationProp *prop, unsigned long long flags)
{
	CUresult result = gpu_enter("cuMemCreate", GPU_CALL_DEVICE);
	struct allocation *a;
	bool host;

	if (result)
		return result;
	if (!ret || !prop || !size || size % GPU_GRANULARITY || flags)
		return CUDA_ERROR_INVALID_VALUE;
	host = prop->location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA;
	if (prop->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
	    (!host && prop->location.type != CU_MEM_LOCATION_TYPE_DEVICE))
		return CUDA_ERROR_INVALID_VALUE;
	if (host ? prop->location.id : !gpu_has(prop->location.id))
		return CUDA_ERROR_INVALID_DEVICE;
	result = memory_create(host ? MEMORY_HOST : prop->location.id, size, &a);
	if (!result)
		*ret = (uintptr_t)a;
	return result;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
	CUresult result = gpu_enter("cuMemRelease", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!handle)
		return CUDA_ERROR_INVALID_VALUE;
	memory_release((struct allocation *)(uintptr_t)handle);
	return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset,
		  CUmemGenericAllocationHandle handle, unsigned long long flags)
{
	CUresult result = gpu_enter("cuMemMap", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!handle || offset || flags || address % GPU_GRANULARITY)
		return CUDA_ERROR_INVALID_VALUE;
	return memory_map(address, size, (struct allocation *)(uintptr_t)handle);
}

CUresult cuMemUnmap(CUdeviceptr address, size_t size)
{
	CUresult result = gpu_enter("cuMemUnmap", GPU_CALL_DEVICE);

	return result ? result : memory_unmap(address, size);
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t size, const CUmemAccessDesc *desc, size_t count)
{
	CUresult result = gpu_enter("cuMemSetAccess", GPU_CALL_DEVICE);

	if (result)
		return result;
	if (!desc || !count)
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < count; i++)
		if (desc[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
		    !gpu_has(desc[i].location.id))
			return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < count && !result; i++) {
		int prot = PROT_NONE;

		if (desc[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READ)
			prot = PROT_READ;
		else if (desc[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
			prot = PROT_READ | PROT_WRITE;
		result = memory_set_access(address, size, desc[i].location.id, prot);
	}
	return result;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location,
			CUdeviceptr address)
{
	CUresult result = gpu_enter("cuMemGetAccess", GPU_CALL_DEVICE);
	struct mapping m;
	int prot;

	if (result)
		return result;
	if (!flags || !location || location->type != CU_MEM_LOCATION_TYPE_DEVICE ||
	    !gpu_has(location->id) || !memory_find_mapping(address, &m))
		return CUDA_ERROR_INVALID_VALUE;
	prot = memory_reach(&m, location->id);
	if (prot & PROT_WRITE)
		*flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	else
		*flags = prot ? CU_MEM_ACCESS_FLAGS_PROT_READ : CU_MEM_ACCESS_FLAGS_PROT_NONE;
	return CUDA_SUCCESS;
}

CUresult cuMemExportToShareableHandle(void *ret, CUmemGenericAllocationHandle handle,
				      CUmemAllocationHandleType type, unsigned long long flags)
{
	CUresult result = gpu_enter("cuMemExportToShareableHandle", GPU_CALL_DEVICE);
	int fd;

	if (result)
		return result;
	if (!ret || !handle || flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return CUDA_ERROR_INVALID_VALUE;
	fd = fcntl(((struct allocation *)(uintptr_t)handle)->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return CUDA_ERROR_OPERATING_SYSTEM;
	*(int *)ret = fd;
	return CUDA_SUCCESS;
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *ret, void *os_handle,
					CUmemAllocationHandleType type)
{
	CUresult result = gpu_enter("cuMemImportFromShareableHandle", GPU_CALL_DEVICE);
	struct allocation *a;
	int fd;

	if (result)
		return result;
	if (!ret || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return CUDA_ERROR_INVALID_VALUE;
	fd = fcntl((int)(intptr_t)os_handle, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return CUDA_ERROR_INVALID_VALUE;
	result = memory_import(fd, &a);
	if (result)
		close(fd);
	else
		*ret = (uintptr_t)a;
	return result;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *ret, void *address)
{
	CUresult result = gpu_enter("cuMemRetainAllocationHandle", GPU_CALL_DEVICE);
	struct allocation *a = result || !ret ? NULL : memory_retain((uintptr_t)address);

	if (a)
		*ret = (uintptr_t)a;
	return result || a ? result : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *ret,
						CUmemGenericAllocationHandle handle)
{
	CUresult result = gpu_enter("cuMemGetAllocationPropertiesFromHandle", GPU_CALL_DEVICE);
	const struct allocation *a = (const struct allocation *)(uintptr_t)handle;

	if (result)
		return result;
	if (!ret || !a)
		return CUDA_ERROR_INVALID_VALUE;
	*ret = (CUmemAllocationProp){ .type = CU_MEM_ALLOCATION_TYPE_PINNED,
				      .requestedHandleTypes =
					      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
				      .location.type = a->device == MEMORY_HOST
							       ? CU_MEM_LOCATION_TYPE_HOST_NUMA
							       : CU_MEM_LOCATION_TYPE_DEVICE };
	ret->location.id = a->device == MEMORY_HOST ? 0 : a->device;
	return CUDA_SUCCESS;
}
