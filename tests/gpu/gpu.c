/* SPDX-License-Identifier: Apache-2.0 */
/* One opened GPU in a child of check-gpu; see gpu.h. */
#include "tests/gpu/gpu.h"

#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "common/memory/address-map.h"
#include "tests/gpu/entries.h"

struct gpu_driver cu;
struct gpu_report *gpu_report;

static CUmodule module;
static void *driver;

const char *gpu_load(const char *library)
{
	driver = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!driver)
		return dlerror();
#define STRING(name) #name
#define LOAD(name)                                                                                 \
	if (!(cu.name = (__typeof__(cu.name))dlsym(driver, STRING(name))))                         \
		return "the driver has no " STRING(name);
	GPU_FUNCTIONS(LOAD)
#undef LOAD
#undef STRING
	return NULL;
}

void *gpu_symbol(const char *name)
{
	return dlsym(driver, name);
}

double gpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

void gpu_try(const char *call, CUresult code)
{
	if (code == CUDA_SUCCESS)
		return;
	snprintf(gpu_report->failed, sizeof(gpu_report->failed), "%s", call);
	gpu_report->code = code;
	_exit(2);
}

static void init(void)
{
	double began = gpu_now();

	GPU_TRY(cu.cuInit(0));
	gpu_report->figure[0] = gpu_now() - began;
}

static void make_context(void)
{
	CUdevice device;
	CUcontext context;
	double began;

	GPU_TRY(cu.cuDeviceGet(&device, 0));
	began = gpu_now();
	GPU_TRY(cu.cuDevicePrimaryCtxRetain(&context, device));
	GPU_TRY(cu.cuCtxSetCurrent(context));
	gpu_report->figure[1] = gpu_now() - began;
	GPU_TRY(cu.cuModuleLoadData(&module, entries_ptx));
}

void gpu_open(void)
{
	init();
	make_context();
}

CUdeviceptr gpu_open_at(size_t size)
{
	CUdeviceptr at;

	init();
	GPU_TRY(cu.cuMemAddressReserve(&at, size, 0, DEVICE_BASE, 0));
	make_context();
	return at;
}

CUresult gpu_launch(const char *entry, unsigned ctas, unsigned threads, uint64_t a, uint64_t b,
		    uint64_t c)
{
	void *parameters[] = { &a, &b, &c };
	CUfunction function;

	GPU_TRY(cu.cuModuleGetFunction(&function, module, entry));
	return cu.cuLaunchKernel(function, ctas, 1, 1, threads, 1, 1, 0, NULL, parameters, NULL);
}

uint64_t gpu_over_words(const char *entry, CUdeviceptr p, uint64_t n)
{
	CUdeviceptr counter;
	uint64_t count;

	GPU_TRY(cu.cuMemAlloc(&counter, sizeof(count)));
	GPU_TRY(cu.cuMemsetD8(counter, 0, sizeof(count)));
	GPU_TRY(gpu_launch(entry, 256, 256, p, n, counter));
	GPU_TRY(cu.cuMemcpyDtoH(&count, counter, sizeof(count)));
	GPU_TRY(cu.cuMemFree(counter));
	return count;
}

CUmemGenericAllocationHandle gpu_create(size_t size)
{
	CUmemAllocationProp prop = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
		.location = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 },
	};
	CUmemGenericAllocationHandle handle;

	GPU_TRY(cu.cuMemCreate(&handle, size, &prop, 0));
	return handle;
}

CUmemGenericAllocationHandle gpu_import(int fd)
{
	CUmemGenericAllocationHandle handle;

	GPU_TRY(cu.cuMemImportFromShareableHandle(&handle, (void *)(intptr_t)fd,
						  CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
	return handle;
}

int gpu_export(CUmemGenericAllocationHandle handle)
{
	int fd = -1;

	GPU_TRY(cu.cuMemExportToShareableHandle(&fd, handle,
						CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	return fd;
}

void gpu_access(CUdeviceptr at, size_t size, CUmemAccess_flags flags)
{
	CUmemAccessDesc access = {
		.location = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 },
		.flags = flags,
	};

	GPU_TRY(cu.cuMemSetAccess(at, size, &access, 1));
}
