/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the host that the device reaches: where it can come from, how fast it is, and pages
 * that are exchanged below it. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/memory/address-map.h"
#include "tests/gpu/experiment.h"
#include "tests/gpu/gpu.h"

#define SIZE (256 * MIB)

static void host_numa(void *arg)
{
	CUmemAllocationProp prop = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
		.location = { .type = CU_MEM_LOCATION_TYPE_HOST_NUMA, .id = 0 },
	};
	CUmemGenericAllocationHandle handle;

	(void)arg;
	gpu_open();
	gpu_report->figure[2] = cu.cuMemCreate(&handle, SIZE, &prop, 0);
}

/* GB/s from the device to `to`, after a first time. */
static double copy_speed(void *to, CUdeviceptr from)
{
	const int rounds = 4;
	double began;

	GPU_TRY(cu.cuMemcpyDtoH(to, from, SIZE));
	began = gpu_now();
	for (int i = 0; i < rounds; i++)
		GPU_TRY(cu.cuMemcpyDtoH(to, from, SIZE));
	return (double)rounds * (double)SIZE / 1e6 / (gpu_now() - began);
}

/* figure: GB/s before and after, milliseconds to register and to let go. */
static void registered_memfd(void *arg)
{
	int fd = memfd_create("check-gpu", MFD_CLOEXEC);
	CUdeviceptr from;
	double began;
	void *p;

	(void)arg;
	if (fd < 0 || ftruncate(fd, SIZE))
		_exit(3);
	p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	gpu_open();
	GPU_TRY(cu.cuMemAlloc(&from, SIZE));
	GPU_TRY(cu.cuMemsetD8(from, 9, SIZE));
	gpu_report->figure[2] = copy_speed(p, from);
	began = gpu_now();
	GPU_TRY(cu.cuMemHostRegister(p, SIZE, 0));
	gpu_report->figure[4] = gpu_now() - began;
	gpu_report->figure[3] = copy_speed(p, from);
	began = gpu_now();
	GPU_TRY(cu.cuMemHostUnregister(p));
	gpu_report->figure[5] = gpu_now() - began;
	gpu_report->count = *((unsigned char *)p + SIZE - 1) == 9;
}

void experiment_host_memory(int what)
{
	const double *f = gpu_report->figure;

	(void)what;
	if (child_run("memory of a node of the host", host_numa, NULL))
		row("-", "memory of a node of the host", "error %.0f", f[2]);
	if (child_run("a memfd that is registered", registered_memfd, NULL))
		row(ok(gpu_report->count), "a memfd that is registered",
		    "%.1f GB/s before and %.1f after; registered in %.0f ms, let go in %.0f ms",
		    f[2], f[3], f[4], f[5]);
}

/* Registered, then other pages take the place of half of it, as those of a file do in a commit.
 * figure: results; count: bytes. */
static void exchange(void *arg)
{
	const size_t size = 2 * MIB;
	int fd = memfd_create("check-gpu", MFD_CLOEXEC);
	unsigned char *p =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CUdeviceptr from;

	(void)arg;
	if (fd < 0 || ftruncate(fd, (off_t)size) || p == MAP_FAILED)
		_exit(3);
	gpu_open();
	GPU_TRY(cu.cuMemAlloc(&from, size));
	GPU_TRY(cu.cuMemsetD8(from, 9, size));
	memset(p, 1, size);
	GPU_TRY(cu.cuMemHostRegister(p, size, 0));
	mmap(p + MIB, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0);
	gpu_report->figure[2] = cu.cuMemcpyDtoH(p, from, size);
	for (size_t i = 0; i < size; i++)
		gpu_report->count += p[i] == 9;
	gpu_report->figure[3] = cu.cuMemHostUnregister(p);
	gpu_report->figure[4] = cu.cuCtxSynchronize();
}

void experiment_exchanged_pages(int what)
{
	const double *f = gpu_report->figure;

	(void)what;
	if (child_run("pages exchanged below registered memory", exchange, NULL))
		row("-", "pages exchanged below registered memory",
		    "copy %.0f, %llu of 2097152 bytes arrive, let go %.0f, then %.0f", f[2],
		    (unsigned long long)gpu_report->count, f[3], f[4]);
}
