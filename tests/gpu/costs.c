/* SPDX-License-Identifier: Apache-2.0 */
/* What the steps of a recovery cost, and what the device does when nothing is wrong. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/memory/address-map.h"
#include "runtime/cuda/rollback/digest-kernel.h"
#include "tests/gpu/experiment.h"
#include "tests/gpu/gpu.h"

static void cost_start(void *arg)
{
	(void)arg;
	gpu_open();
}

static void waiting_context(void *arg)
{
	char byte = 0;
	int socket = *(int *)arg;

	gpu_open();
	if (write(socket, &byte, 1) == 1 && read(socket, &byte, 1) == 1)
		_exit(0);
}

/* Free memory before and while another process has a context: what that context takes. */
static void cost_footprint(void *arg)
{
	size_t before, with, total;
	int sockets[2];
	char byte;
	pid_t other;

	(void)arg;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets))
		_exit(3);
	other = fork();
	if (other == 0) {
		/* The one that has started it may be gone already. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(sockets[0]);
		if (read(sockets[1], &byte, 1) == 1)
			waiting_context(&sockets[1]);
		_exit(0);
	}
	close(sockets[1]);
	gpu_open();
	GPU_TRY(cu.cuMemGetInfo(&before, &total));
	if (write(sockets[0], "", 1) != 1 || read(sockets[0], &byte, 1) != 1)
		_exit(3);
	GPU_TRY(cu.cuMemGetInfo(&with, &total));
	kill(other, SIGKILL);
	gpu_report->figure[2] = ((double)before - (double)with) / MIB;
}

struct chunk_cost {
	size_t size;
	int rounds;
};

static void cost_chunks(void *arg)
{
	const struct chunk_cost *cost = arg;
	enum { CREATE, EXPORT, IMPORT, MAP, ACCESS, READ_ONLY, UNMAP, RELEASE };
	double *sum = gpu_report->figure, t[9];
	CUmemGenericAllocationHandle own, imported;
	CUdeviceptr at;
	int i, j, fd;

	at = gpu_open_at(cost->size);
	memset(sum, 0, sizeof(gpu_report->figure));
	for (i = 0; i < cost->rounds; i++) {
		t[0] = gpu_now();
		own = gpu_create(cost->size);
		t[1] = gpu_now();
		fd = gpu_export(own);
		t[2] = gpu_now();
		imported = gpu_import(fd);
		t[3] = gpu_now();
		GPU_TRY(cu.cuMemMap(at, cost->size, 0, imported, 0));
		t[4] = gpu_now();
		gpu_access(at, cost->size, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
		t[5] = gpu_now();
		gpu_access(at, cost->size, CU_MEM_ACCESS_FLAGS_PROT_READ);
		t[6] = gpu_now();
		GPU_TRY(cu.cuMemUnmap(at, cost->size));
		t[7] = gpu_now();
		GPU_TRY(cu.cuMemRelease(imported));
		GPU_TRY(cu.cuMemRelease(own));
		close(fd);
		t[8] = gpu_now();
		for (j = CREATE; j <= RELEASE; j++)
			sum[j] += (t[j + 1] - t[j]) * 1e3 / cost->rounds;
	}
}

/* GB/s of device-to-device copies, counted read and write, and microseconds a launch. */
static void cost_speed(void *arg)
{
	const size_t size = 512 * MIB;
	const int copies = 8, launches = 100000;
	CUdeviceptr a, b;
	double began;
	int i;

	(void)arg;
	gpu_open();
	GPU_TRY(cu.cuMemAlloc(&a, size));
	GPU_TRY(cu.cuMemAlloc(&b, size));
	GPU_TRY(cu.cuMemcpyDtoDAsync(b, a, size, NULL));
	GPU_TRY(cu.cuCtxSynchronize());
	began = gpu_now();
	for (i = 0; i < copies; i++)
		GPU_TRY(cu.cuMemcpyDtoDAsync(b, a, size, NULL));
	GPU_TRY(cu.cuCtxSynchronize());
	gpu_report->figure[2] = 2.0 * copies * size / 1e6 / (gpu_now() - began);
	GPU_TRY(gpu_launch("nothing", 1, 32, 0, 0, 0));
	GPU_TRY(cu.cuCtxSynchronize());
	began = gpu_now();
	for (i = 0; i < launches; i++)
		GPU_TRY(gpu_launch("nothing", 1, 32, 0, 0, 0));
	GPU_TRY(cu.cuCtxSynchronize());
	gpu_report->figure[3] = (gpu_now() - began) * 1e3 / launches;
}

/* The digests of checksum-audit.c: of `words` words at `at`, done `rounds` times. */
static uint64_t digest(CUfunction f, CUmodule m, CUdeviceptr at, uint64_t words, int rounds)
{
	uint64_t size = words * 8, slot = 0, ret;
	void *args[] = { &at, &size, &slot };
	CUdeviceptr slots;

	GPU_TRY(cu.cuModuleGetGlobal(&slots, NULL, m, "digests"));
	GPU_TRY(cu.cuMemsetD8(slots, 0, sizeof(ret)));
	for (int i = 0; i < rounds; i++)
		GPU_TRY(cu.cuLaunchKernel(f, 4096, 1, 1, DIGEST_THREADS, 1, 1, 0, NULL, args,
					  NULL));
	GPU_TRY(cu.cuCtxSynchronize());
	GPU_TRY(cu.cuMemcpyDtoH(&ret, slots, sizeof(ret)));
	return ret;
}

/* GB/s that are read, and whether a word that is another or elsewhere shows. */
static void cost_digest(void *arg)
{
	const uint64_t words = 512 * MIB / 8;
	const int rounds = 8;
	uint64_t first, again, other;
	CUdeviceptr at;
	CUfunction f;
	CUmodule m;
	double began;

	(void)arg;
	gpu_open();
	GPU_TRY(cu.cuModuleLoadData(&m, digest_kernel));
	GPU_TRY(cu.cuModuleGetFunction(&f, m, "digest"));
	GPU_TRY(cu.cuMemAlloc(&at, words * 8));
	gpu_over_words("fill", at, words);
	first = digest(f, m, at, words, 1);
	began = gpu_now();
	again = digest(f, m, at, words, rounds);
	gpu_report->figure[2] = (double)rounds * (double)words * 8 / 1e6 / (gpu_now() - began);
	GPU_TRY(cu.cuMemsetD8(at + words * 4 + 5, 77, 1));
	other = digest(f, m, at, words, 1);
	gpu_report->count = again == rounds * first && other != first;
}

void experiment_costs(int what)
{
	static const struct chunk_cost costs[] = { { 2 * MIB, 64 }, { 64 * MIB, 16 }, { GIB, 3 } };
	const double *f = gpu_report->figure;
	char name[64];
	size_t i;

	(void)what;
	if (child_run("cuInit and context", cost_start, NULL))
		row("-", "cuInit and context", "%.0f ms and %.0f ms", f[0], f[1]);
	if (child_run("memory that a context takes", cost_footprint, NULL))
		row("-", "memory that a context takes", "%.0f MiB", f[2]);
	for (i = 0; i < sizeof(costs) / sizeof(costs[0]); i++) {
		snprintf(name, sizeof(name), "chunk of %zu MiB, us", costs[i].size / (size_t)MIB);
		if (child_run(name, cost_chunks, (void *)&costs[i]))
			row("-", name,
			    "create %.0f, export %.0f, import %.0f, map %.0f, access %.0f, "
			    "read-only %.0f, unmap %.0f, release %.0f",
			    f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7]);
	}
	if (child_run("speed", cost_speed, NULL))
		row("-", "device-to-device copy, launch", "%.0f GB/s read and write, %.2f us", f[2],
		    f[3]);
	if (child_run("digests of buffers that are not copied", cost_digest, NULL))
		row(ok(gpu_report->count), "digests of buffers that are not copied", "%.0f GB/s",
		    f[2]);
}
