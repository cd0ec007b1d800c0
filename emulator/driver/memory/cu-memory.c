/* SPDX-License-Identifier: Apache-2.0 */
/* Driver API: plain allocation, pinned, registered and managed memory, questions about pointers. */
#include "emulator/driver/device/context.h"
#include "emulator/driver/device/memory.h"
#include "emulator/driver/device/queue.h"
#include "emulator/driver/memory/cu-pool.h"
#include "emulator/driver/memory/graph-memory.h"

#define PITCH_UNIT 512

CUresult cuMemGetInfo(size_t *ret_free, size_t *ret_total)
{
	CUresult result = gpu_enter("cuMemGetInfo", GPU_CALL_ASYNC);
	uint64_t free_bytes, total;

	if (result)
		return result;
	memory_usage(context_device(), &free_bytes, &total);
	if (ret_free)
		*ret_free = free_bytes;
	if (ret_total)
		*ret_total = total;
	return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr *ret, size_t size)
{
	CUresult result = gpu_enter("cuMemAlloc", GPU_CALL_QUERY);
	uint64_t address;

	if (result)
		return result;
	if (!ret || !size)
		return CUDA_ERROR_INVALID_VALUE;
	result = memory_alloc(context_device(), size, MAPPING_ALLOC, "", &address);
	if (result)
		return result;
	memory_unwritten(address);
	*ret = address;
	return CUDA_SUCCESS;
}

CUresult cuMemAllocPitch(CUdeviceptr *ret, size_t *ret_pitch, size_t width, size_t height,
			 unsigned int element)
{
	CUresult result = gpu_enter("cuMemAllocPitch", GPU_CALL_QUERY);
	size_t pitch = (width + PITCH_UNIT - 1) / PITCH_UNIT * PITCH_UNIT;
	uint64_t address;

	if (result)
		return result;
	if (!ret || !ret_pitch || !width || !height ||
	    (element != 4 && element != 8 && element != 16))
		return CUDA_ERROR_INVALID_VALUE;
	if (pitch < width || height > SIZE_MAX / pitch)
		return CUDA_ERROR_OUT_OF_MEMORY;
	result = memory_alloc(context_device(), pitch * height, MAPPING_ALLOC, "", &address);
	if (result)
		return result;
	memory_unwritten(address);
	*ret = address;
	*ret_pitch = pitch;
	return CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr address)
{
	CUresult result = gpu_enter("cuMemFree", GPU_CALL_SYNC);
	struct mapping m;

	if (result || !address || graph_has_memory(address))
		return result;
	/* It may belong to another device than the current one. */
	m.pool = NULL;
	if (memory_find_mapping(address, &m) && m.allocation)
		queue_wait_device(m.device);
	if (!memory_is_device(address))
		return memory_free(address, MAPPING_PINNED);
	result = memory_free(address, MAPPING_ALLOC);
	if (!result)
		cu_pool_freed(&m);
	return result;
}

static CUresult alloc_host(void **ret, size_t size, bool managed)
{
	uint64_t address;
	CUresult result;

	if (!ret || !size)
		return CUDA_ERROR_INVALID_VALUE;
	result = memory_alloc(context_device(), size, MAPPING_PINNED, "", &address);
	if (result)
		return result;
	memory_mark(address, false, managed);
	*ret = (void *)(uintptr_t)address;
	return CUDA_SUCCESS;
}

CUresult cuMemAllocHost(void **ret, size_t size)
{
	CUresult result = gpu_enter("cuMemAllocHost", GPU_CALL_QUERY);

	return result ? result : alloc_host(ret, size, false);
}

CUresult cuMemHostAlloc(void **ret, size_t size, unsigned int flags)
{
	CUresult result = gpu_enter("cuMemHostAlloc", GPU_CALL_QUERY);

	(void)flags;
	return result ? result : alloc_host(ret, size, false);
}

CUresult cuMemFreeHost(void *p)
{
	CUresult result = gpu_enter("cuMemFreeHost", GPU_CALL_SYNC);

	return result ? result : memory_free((uintptr_t)p, MAPPING_PINNED);
}

CUresult cuMemAllocManaged(CUdeviceptr *ret, size_t size, unsigned int flags)
{
	CUresult result = gpu_enter("cuMemAllocManaged", GPU_CALL_QUERY);
	void *p;

	if (result)
		return result;
	if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
		return CUDA_ERROR_INVALID_VALUE;
	result = alloc_host(&p, size, true);
	if (!result)
		*ret = (uintptr_t)p;
	return result;
}

CUresult cuMemHostRegister(void *p, size_t size, unsigned int flags)
{
	CUresult result = gpu_enter("cuMemHostRegister", GPU_CALL_QUERY);

	if (result)
		return result;
	if (!p || !size || memory_is_device((uintptr_t)p))
		return CUDA_ERROR_INVALID_VALUE;
	return memory_register_host(p, size, flags);
}

CUresult cuMemHostUnregister(void *p)
{
	CUresult result = gpu_enter("cuMemHostUnregister", GPU_CALL_SYNC);

	if (result)
		return result;
	return p ? memory_unregister_host(p) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *ret, void *p, unsigned int flags)
{
	CUresult result = gpu_enter("cuMemHostGetDevicePointer", GPU_CALL_ASYNC);
	struct mapping m;

	if (result)
		return result;
	if (!ret || flags || !memory_find_mapping((uintptr_t)p, &m) || m.allocation)
		return CUDA_ERROR_INVALID_VALUE;
	*ret = (uintptr_t)p;
	return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned int *ret, void *p)
{
	CUresult result = gpu_enter("cuMemHostGetFlags", GPU_CALL_ASYNC);
	struct mapping m;

	if (result)
		return result;
	if (!ret || !memory_find_mapping((uintptr_t)p, &m) || m.allocation)
		return CUDA_ERROR_INVALID_VALUE;
	*ret = m.flags | CU_MEMHOSTALLOC_DEVICEMAP;
	return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange(CUdeviceptr *ret_base, size_t *ret_size, CUdeviceptr address)
{
	CUresult result = gpu_enter("cuMemGetAddressRange", GPU_CALL_ASYNC);
	struct mapping m;

	if (result)
		return result;
	if (!memory_find_mapping(address, &m))
		return CUDA_ERROR_NOT_FOUND;
	if (ret_base)
		*ret_base = m.address;
	if (ret_size)
		*ret_size = m.size;
	return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void *ret, CUpointer_attribute attribute, CUdeviceptr address)
{
	CUresult result = gpu_enter("cuPointerGetAttribute", GPU_CALL_ASYNC);
	struct mapping m;

	if (result)
		return result;
	if (!ret || !memory_find_mapping(address, &m))
		return CUDA_ERROR_INVALID_VALUE;
	switch (attribute) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
		*(CUcontext *)ret = context_primary(m.device);
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		*(unsigned *)ret = m.allocation ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		*(CUdeviceptr *)ret = address;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		if (m.allocation)
			return CUDA_ERROR_INVALID_VALUE;
		*(void **)ret = (void *)(uintptr_t)address;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		*(int *)ret = m.managed;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		*(int *)ret = m.device;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
		*(CUdeviceptr *)ret = m.address;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
		*(size_t *)ret = m.size;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_NOT_SUPPORTED;
	}
}

/* Answer for an address that has no such attribute of its own. */
static CUresult put_no_attribute(void *ret, CUpointer_attribute attribute)
{
	switch (attribute) {
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		*(int *)ret = 0;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		*(int *)ret = -2;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_CONTEXT:
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
		*(uint64_t *)ret = 0;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_NOT_SUPPORTED;
	}
}

/* Unlike the singular, of any address. */
CUresult cuPointerGetAttributes(unsigned int n, CUpointer_attribute *attributes, void **data,
				CUdeviceptr address)
{
	if (!attributes || !data)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < n; i++) {
		CUresult result = cuPointerGetAttribute(data[i], attributes[i], address);

		if (result == CUDA_ERROR_INVALID_VALUE && data[i])
			result = put_no_attribute(data[i], attributes[i]);
		if (result)
			return result;
	}
	return CUDA_SUCCESS;
}

/* Synchronous calls are so with all memory here. */
CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute,
			       CUdeviceptr address)
{
	CUresult result = gpu_enter("cuPointerSetAttribute", GPU_CALL_ASYNC);
	struct mapping m;

	if (result)
		return result;
	return value && attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS &&
			       memory_find_mapping(address, &m)
		       ? CUDA_SUCCESS
		       : CUDA_ERROR_INVALID_VALUE;
}

/* Managed memory lies where both sides reach it, so there is nothing to move. */
static CUresult check_managed(CUdeviceptr address, size_t size)
{
	struct mapping m;

	if (!size || !memory_find_mapping(address, &m) || !m.managed ||
	    address + size > m.address + m.size)
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t size, CUmemLocation location,
			    unsigned int flags, CUstream s)
{
	CUresult result = gpu_enter("cuMemPrefetchAsync", GPU_CALL_ASYNC);

	(void)location;
	(void)flags;
	(void)s;
	return result ? result : check_managed(address, size);
}

CUresult cuMemAdvise(CUdeviceptr address, size_t size, CUmem_advise advice, CUmemLocation location)
{
	CUresult result = gpu_enter("cuMemAdvise", GPU_CALL_ASYNC);

	(void)advice;
	(void)location;
	return result ? result : check_managed(address, size);
}
