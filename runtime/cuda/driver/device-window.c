/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The range is asked for in sizes that are halved, down to what a small GPU needs. Attributes alone
 * do not tell of descriptors: a driver may have the attribute and refuse the call, so one piece of
 * memory is made and exported.
 */
#include "runtime/cuda/driver/device-window.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/error.h"
#include "runtime/cuda/driver/cuda-error.h"
#include "runtime/cuda/driver/device-state.h"
#include "runtime/cuda/driver/host-mapping.h"

#define GREATEST (DEVICE_SIZE / 4 * 3)
#define LEAST (GREATEST >> 9) /* 1.5 GiB, 1 GiB of it for the session */

uint64_t device_window_size(void)
{
	return device.window;
}

static int refuse(const struct cuda_driver *driver, const char *lacks, struct error *err)
{
	return error_set(err, ERROR_UNSUPPORTED,
			 "%s cannot keep memory by a file descriptor (%s), so nothing of it would "
			 "outlive a cell that fails. It is so under WSL2 and on some virtual GPUs",
			 driver->library, lacks);
}

/* Only an answer that says that the driver cannot do it counts: a device may be full, or want a
 * context. */
static bool is_no(CUresult result)
{
	return result == CUDA_ERROR_NOT_SUPPORTED || result == CUDA_ERROR_INVALID_DEVICE;
}

CUresult device_window_create(const struct cuda_driver *driver, int ordinal, uint64_t size,
			      CUmemGenericAllocationHandle *ret)
{
	const CUmemAllocationProp physical = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
		.location = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = ordinal },
	};

	return driver->cuMemCreate(ret, size, &physical, 0);
}

static bool exports_memory(const struct cuda_driver *driver)
{
	CUmemGenericAllocationHandle handle;
	CUresult result = device_window_create(driver, 0, DEVICE_WINDOW_GRANULE, &handle);
	int fd = -1;

	if (result)
		return !is_no(result);
	result = driver->cuMemExportToShareableHandle(&fd, handle,
						      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
	if (!result)
		close(fd);
	driver->cuMemRelease(handle);
	return !is_no(result);
}

static int check_descriptors(const struct cuda_driver *driver, struct error *err)
{
	int count = 0;

	driver->cuDeviceGetCount(&count);
	for (int i = 0; i < count; i++) {
		int maps = 1, exports = 1;

		driver->cuDeviceGetAttribute(
			&maps, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, i);
		driver->cuDeviceGetAttribute(
			&exports, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED,
			i);
		if (!maps)
			return refuse(driver, "attribute 102 is 0", err);
		if (!exports)
			return refuse(driver, "attribute 103 is 0", err);
	}
	return exports_memory(driver) ? 0 : refuse(driver, "it refuses the export", err);
}

static int no_window(const struct cuda_driver *driver, uint64_t size, CUresult result,
		     CUdeviceptr at, struct error *err)
{
	struct host_mapping who;
	char what[512];

	snprintf(what, sizeof(what), "%s gives no addresses for device memory: %.1f GiB at 0x%llx",
		 driver->library, (double)size / (double)GIB, DEVICE_BASE);
	if (host_mapping_find(DEVICE_BASE, DEVICE_BASE + size, &who))
		return error_set(err, ERROR_UNSUPPORTED, "%s are taken by %s", what,
				 *who.path ? who.path : "anonymous memory");
	if (result)
		return error_set(err, ERROR_UNSUPPORTED, "%s are refused: %s (%d)", what,
				 cuda_error_text(result), (int)result);
	return error_set(err, ERROR_UNSUPPORTED, "%s are free, and it gives 0x%llx instead", what,
			 (unsigned long long)at);
}

/* MAP_FAILED: the driver gives other addresses than these. */
static CUresult reserve(const struct cuda_driver *driver, uint64_t size, CUdeviceptr *ret_at)
{
	CUresult result =
		driver->cuMemAddressReserve(ret_at, size, DEVICE_WINDOW_GRANULE, DEVICE_BASE, 0);

	if (result || *ret_at == DEVICE_BASE)
		return result;
	driver->cuMemAddressFree(*ret_at, size);
	return CUDA_ERROR_MAP_FAILED;
}

static int open_range(const struct cuda_driver *driver, uint64_t wanted, struct error *err)
{
	uint64_t size = wanted ? wanted : GREATEST;
	CUdeviceptr at = 0;
	CUresult result;

	for (;;) {
		result = reserve(driver, size, &at);
		if (!result || wanted || size <= LEAST || result == CUDA_ERROR_INVALID_CONTEXT)
			break;
		size /= 2;
	}
	if (!result)
		device.window = size;
	if (!result || result == CUDA_ERROR_INVALID_CONTEXT)
		return 0;
	return no_window(driver, size, result == CUDA_ERROR_MAP_FAILED ? CUDA_SUCCESS : result, at,
			 err);
}

void device_window_vacate(void)
{
	munmap((void *)(uintptr_t)DEVICE_BASE, DEVICE_SIZE);
}

int device_window_open(const struct cuda_driver *driver, uint64_t wanted, struct error *err)
{
	if (device.window)
		return 0;
	/* The emulated device has them, and a call more is one that a test may have made fail. */
	if (!driver->extension && check_descriptors(driver, err))
		return -1;
	return open_range(driver, wanted, err);
}
