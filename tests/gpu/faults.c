/* SPDX-License-Identifier: Apache-2.0 */
/* Which faults are sticky and what code they give; what the driver's core dump says of one. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/memory/address-map.h"
#include "runtime/cuda/reports/core-dump.h"
#include "tests/gpu/entries.h"
#include "tests/gpu/experiment.h"
#include "tests/gpu/gpu.h"

#define CHUNK_SIZE (64 * MIB)
#define PROBE_WORDS 1024
#define TOLD_MS 5000

struct fault {
	const char *name, *entry;
	uint64_t at; /* parameter; with from_buffer, an offset from a live buffer */
	int from_buffer;
	int expected; /* CUresult, 0: only to be measured */
};

static void raise_fault(void *arg)
{
	const struct fault *f = arg;
	CUdeviceptr buffer;
	const char *name;
	CUresult code;

	gpu_open();
	GPU_TRY(cu.cuMemAlloc(&buffer, PROBE_WORDS * 8));
	code = gpu_launch(f->entry, 1, 1, f->at + (f->from_buffer ? buffer : 0), 0, 0);
	if (code == CUDA_SUCCESS)
		code = cu.cuCtxSynchronize();
	gpu_report->figure[2] = code;
	gpu_report->figure[3] = cu.cuMemsetD8(buffer, 0, PROBE_WORDS * 8);
	if (gpu_report->figure[3] == 0)
		gpu_report->figure[3] = cu.cuCtxSynchronize();
	if (!cu.cuGetErrorName(code, &name))
		snprintf(gpu_report->text, sizeof(gpu_report->text), "%s", name);
}

static void write_read_only(void *arg)
{
	CUdeviceptr at = gpu_open_at(CHUNK_SIZE);
	CUmemGenericAllocationHandle handle;

	(void)arg;
	handle = gpu_create(CHUNK_SIZE);
	GPU_TRY(cu.cuMemMap(at, CHUNK_SIZE, 0, handle, 0));
	gpu_access(at, CHUNK_SIZE, CU_MEM_ACCESS_FLAGS_PROT_READ);
	GPU_TRY(gpu_launch("store", 1, 1, at, 0, 0));
	gpu_report->figure[2] = cu.cuCtxSynchronize();
}

/* Errors that must leave the context good. */
static void recoverable(void *arg)
{
	CUdeviceptr buffer;
	CUmodule broken;
	size_t before, total;

	(void)arg;
	gpu_open();
	GPU_TRY(cu.cuMemGetInfo(&before, &total));
	gpu_report->figure[2] = cu.cuMemAlloc(&buffer, total * 4);
	gpu_report->figure[3] = gpu_launch("nothing", 1, 4096, 0, 0, 0);
	gpu_report->figure[4] =
		cu.cuModuleLoadData(&broken, ".version 6.4\n.target sm_75\nnonsense\n");
	GPU_TRY(cu.cuMemAlloc(&buffer, PROBE_WORDS * 8));
	gpu_over_words("fill", buffer, PROBE_WORDS);
	gpu_report->count = gpu_over_words("count_changed", buffer, PROBE_WORDS);
}

void experiment_faults(int what)
{
	static const struct fault faults[] = {
		{ "fault: wild store", "store", DEVICE_SIZE, 1, CUDA_ERROR_ILLEGAL_ADDRESS },
		{ "fault: null store", "store", 0, 0, CUDA_ERROR_ILLEGAL_ADDRESS },
		{ "fault: misaligned store", "store", 1, 1, CUDA_ERROR_MISALIGNED_ADDRESS },
		{ "fault: assert", "assert_", 0, 0, CUDA_ERROR_ASSERT },
		{ "fault: trap", "trap_", 0, 0, CUDA_ERROR_LAUNCH_FAILED },
		{ "fault: store beyond shared memory", "store_shared", 0x7ffff0, 0, 0 },
		{ "fault: store beyond local memory", "store_local", 0x7fffff0, 0, 0 },
	};
	const double *f = gpu_report->figure;
	size_t i;

	(void)what;
	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		if (child_run(faults[i].name, raise_fault, (void *)&faults[i]))
			row(!faults[i].expected ? "-" : ok(f[2] == faults[i].expected && f[3] != 0),
			    faults[i].name, "%.0f %s, then a memset gives %.0f%s", f[2],
			    gpu_report->text, f[3], f[3] != 0 ? ": sticky" : "");
	if (child_run("fault: store to a read-only mapping", write_read_only, NULL))
		row(ok(f[2] != 0), "fault: store to a read-only mapping", "%.0f", f[2]);
	if (child_run("errors that leave the context good", recoverable, NULL))
		row(ok(f[2] == CUDA_ERROR_OUT_OF_MEMORY && f[3] != 0 && f[4] != 0 &&
		       gpu_report->count == 0),
		    "errors that leave the context good",
		    "too much memory %.0f, too many threads %.0f, bad PTX %.0f, then an entry runs",
		    f[2], f[3], f[4]);
}

/* What the driver's core dump says of a fault: whether it comes, what a wait for the launch returns
 * and when, when the error is told at the latest, and what is in the dump. */
static void set_dump(CUcoredumpSettings attribute, void *value, size_t size)
{
	GPU_TRY(cu.cuCoredumpSetAttributeGlobal(attribute, value, &size));
}

static void raise_fault_with_dump(void *arg)
{
	CUjit_option options[] = { CU_JIT_GENERATE_LINE_INFO };
	void *values[] = { (void *)1 };
	int flags = CU_COREDUMP_LIGHTWEIGHT_FLAGS | CU_COREDUMP_SKIP_ABORT;
	const struct timespec pause = { 0, 1000000 };
	uint64_t nowhere = 64;
	void *parameters[] = { &nowhere };
	bool on = true;
	CUfunction function;
	CUcontext context;
	CUmodule module;
	double began;

	GPU_TRY(cu.cuInit(0));
	set_dump(CU_COREDUMP_GENERATION_FLAGS, &flags, sizeof(flags));
	set_dump(CU_COREDUMP_FILE, arg, strlen(arg) + 1);
	set_dump(CU_COREDUMP_ENABLE_ON_EXCEPTION, &on, sizeof(on));
	began = gpu_now();
	GPU_TRY(cu.cuDevicePrimaryCtxRetain(&context, 0));
	gpu_report->figure[0] = gpu_now() - began;
	GPU_TRY(cu.cuCtxSetCurrent(context));
	GPU_TRY(cu.cuModuleLoadDataEx(&module, dump_ptx, 1, options, values));
	GPU_TRY(cu.cuModuleGetFunction(&function, module, "store_one"));
	began = gpu_now();
	GPU_TRY(cu.cuLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, NULL, parameters, NULL));
	gpu_report->figure[2] = cu.cuCtxSynchronize();
	gpu_report->figure[1] = gpu_now() - began;
	while (!(gpu_report->figure[4] = cu.cuCtxSynchronize()) && gpu_now() - began < TOLD_MS)
		nanosleep(&pause, NULL);
	gpu_report->figure[5] = gpu_now() - began;
	gpu_report->figure[3] = 1;
}

/* 1: it names thread 37 of block 1, or the warp that this one is in, and line 3. */
static int is_right(const struct core_dump *d)
{
	return d->block[0] == 1 && d->n_threads && d->first[0] >= 32 && d->first[0] <= 37 &&
	       d->last[0] >= 37 && d->last[0] <= 63 && d->place.n_frames &&
	       d->place.frames[0].line == 3 && !strcmp(d->place.frames[0].file, "In[1]") &&
	       !strcmp(d->place.kernel, "store_one");
}

static void report_dump(const char *experiment, const char *path)
{
	const double *f = gpu_report->figure;
	struct error err = ERROR_INIT;
	struct core_dump d;
	struct stat st;
	double began = gpu_now();
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *bytes = fd < 0 || fstat(fd, &st) || !st.st_size
			      ? MAP_FAILED
			      : mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (bytes == MAP_FAILED)
		row("-", experiment, "%.0f in %.0f ms, %.0f in %.0f ms; there is none", f[2], f[1],
		    f[4], f[5]);
	else if (core_dump_read(bytes, (size_t)st.st_size, &d, &err))
		row("NO", experiment, "%lld KiB, not read: %s", (long long)st.st_size / 1024,
		    err.text);
	else
		row(ok(is_right(&d)), experiment,
		    "%.0f in %.0f ms, %.0f in %.0f ms, context in %.0f ms; %lld KiB read in %.0f "
		    "ms: exception %u in %s line %u, block %u, threads %u to %u",
		    f[2], f[1], f[4], f[5], f[0], (long long)st.st_size / 1024, gpu_now() - began,
		    d.exception, d.place.kernel, d.place.n_frames ? d.place.frames[0].line : 0,
		    d.block[0], d.first[0], d.last[0]);
	if (bytes != MAP_FAILED)
		munmap(bytes, (size_t)st.st_size);
	if (fd >= 0)
		close(fd);
}

void experiment_dump(int what)
{
	static const char experiment[] = "fault: core dump, thread 37 of block 1 in line 3";
	char folder[] = "/tmp/check-gpu-XXXXXX", path[64];

	(void)what;
	if (!mkdtemp(folder)) {
		perror("check-gpu: mkdtemp");
		return;
	}
	snprintf(path, sizeof(path), "%s/dump", folder);
	if (child_run(experiment, raise_fault_with_dump, path)) {
		if (gpu_report->figure[3] != 0)
			report_dump(experiment, path);
		else
			row("NO", experiment, "the driver has ended the process");
	}
	unlink(path);
	rmdir(folder);
}
