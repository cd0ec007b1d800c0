/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What cgpu relies on and a machine with a CUDA GPU can show: does exported device memory outlive its maker, at the same
 * address, for each kind of death; which faults are sticky and what code they give; what the steps of a recovery cost; what
 * becomes of memory that is given out and freed in pieces.
 *
 * The parent never touches CUDA. Each experiment runs in children with a deadline, so that a stuck driver is a row of
 * the table and no hang. Nothing of the card's settings is changed. A row says "ok" or "NO" where cgpu's design depends on
 * the answer, and "-" where it is a figure only.
 *
 * Exit status: 0 all ok, 1 some "NO", 77 no GPU: nothing was measured.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/address-map.h"
#include "common/error.h"
#include "runtime/cuda/core-dump.h"
#include "runtime/cuda/digest-entry.h"
#include "tests/gpu/entries.h"
#include "tests/gpu/gpu.h"

#define DEADLINE_MS 180000
#define SPIN_MS 500
#define CHUNKS 4
#define CHUNK_SIZE (64 * MIB)
#define CHUNK_WORDS (CHUNK_SIZE / 8)
#define PROBE_WORDS 1024

static int n_failed;

__attribute__((format(printf, 3, 4)))
static void row(const char *verdict, const char *experiment, const char *fmt, ...)
{
	va_list args;

	printf("%-2s  %-52s  ", verdict, experiment);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	if (!strcmp(verdict, "NO"))
		n_failed++;
}

static const char *ok(int condition)
{
	return condition ? "ok" : "NO";
}

/* --- Children --- */

struct child {
	pid_t pid;
	int pidfd;
};

static struct child child_start(void (*run)(void *), void *arg)
{
	struct child c;

	fflush(stdout);
	memset(gpu_report, 0, sizeof(*gpu_report));
	c.pid = fork();
	if (c.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run(arg);
		_exit(0);
	}
	c.pidfd = c.pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, c.pid, 0);
	if (c.pidfd < 0) {
		perror("check-gpu: cannot start a child");
		exit(1);
	}
	return c;
}

/* Wait for the end; a child past its deadline is killed. 0: it ended by itself, -1: the deadline passed,
 * -2: SIGKILL did not end it either. ret_ms: how long the end took. */
static int child_wait(struct child *c, int deadline_ms, double *ret_ms)
{
	struct pollfd p = { .fd = c->pidfd, .events = POLLIN };
	double began = gpu_now();
	int late = poll(&p, 1, deadline_ms) == 0, stuck = 0;

	if (late) {
		kill(c->pid, SIGKILL);
		stuck = poll(&p, 1, DEADLINE_MS) == 0;
	}
	if (!stuck)
		waitpid(c->pid, NULL, 0);
	close(c->pidfd);
	if (ret_ms)
		*ret_ms = gpu_now() - began;
	return stuck ? -2 : late ? -1 : 0;
}

/* Run a child to its end; 1 if it did all it should, else a row says what it did not. */
static int child_run(const char *experiment, void (*run)(void *), void *arg)
{
	struct child c = child_start(run, arg);
	int end = child_wait(&c, DEADLINE_MS, NULL);

	if (end)
		row("NO", experiment, end == -1 ? "did not end in %d s" : "cannot be killed after %d s",
		    DEADLINE_MS / 1000);
	else if (gpu_report->failed[0])
		row("NO", experiment, "error %d in %s", gpu_report->code, gpu_report->failed);
	return !end && !gpu_report->failed[0];
}

static void send_fds(int socket, int *fds, int n)
{
	char control[CMSG_SPACE(CHUNKS * sizeof(int))] = { 0 }, byte = 0;
	struct iovec part = { &byte, 1 };
	struct msghdr m = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
		.msg_controllen = CMSG_SPACE(n * sizeof(int)),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n * sizeof(int));
	memcpy(CMSG_DATA(c), fds, n * sizeof(int));
	if (sendmsg(socket, &m, 0) < 0)
		_exit(3);
}

/* 0, or -1 when nothing came before the deadline. */
static int receive_fds(int socket, int *fds, int n)
{
	char control[CMSG_SPACE(CHUNKS * sizeof(int))], byte;
	struct iovec part = { &byte, 1 };
	struct msghdr m = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control),
	};
	struct pollfd p = { .fd = socket, .events = POLLIN };

	if (poll(&p, 1, DEADLINE_MS) != 1 || recvmsg(socket, &m, MSG_CMSG_CLOEXEC) != 1 || !CMSG_FIRSTHDR(&m))
		return -1;
	memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&m)), n * sizeof(int));
	return 0;
}

/* --- 1. Memory that outlives its maker --- */

enum death { DEATH_EXIT, DEATH_KILL, DEATH_ADDRESS, DEATH_ASSERT, DEATH_TRAP, DEATH_SPIN, DEATHS };

static const char *const death_names[DEATHS] = {
	"_exit", "SIGKILL", "illegal address", "assert", "trap", "SIGKILL in an endless entry",
};

struct heirloom {
	enum death death;
	int socket;
	int fds[CHUNKS];
};

/* Until the SIGKILL that is to come. */
static void read_for_ever(int socket)
{
	char byte;

	while (read(socket, &byte, 1) == 1)
		;
}

static void maker(void *arg)
{
	struct heirloom *h = arg;
	CUmemGenericAllocationHandle handle;
	CUdeviceptr base;
	int i;

	gpu_open();
	GPU_TRY(cu.cuMemAddressReserve(&base, CHUNKS * CHUNK_SIZE, 0, DEVICE_BASE, 0));
	for (i = 0; i < CHUNKS; i++) {
		handle = gpu_create(CHUNK_SIZE);
		h->fds[i] = gpu_export(handle);
		GPU_TRY(cu.cuMemMap(base + i * CHUNK_SIZE, CHUNK_SIZE, 0, handle, 0));
		GPU_TRY(cu.cuMemRelease(handle));
	}
	gpu_access(base, CHUNKS * CHUNK_SIZE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	gpu_over_words("fill", base, CHUNKS * CHUNK_WORDS);
	gpu_report->count = base;
	send_fds(h->socket, h->fds, CHUNKS);
	if (h->death == DEATH_ADDRESS)
		gpu_launch("store", 1, 1, base + DEVICE_SIZE, 0, 0);
	else if (h->death == DEATH_ASSERT)
		gpu_launch("assert_", 1, 1, 0, 0, 0);
	else if (h->death == DEATH_TRAP)
		gpu_launch("trap_", 1, 1, 0, 0, 0);
	else if (h->death == DEATH_SPIN)
		gpu_launch("spin", 1, 1, base + CHUNKS * CHUNK_SIZE - 8, 0, 0);
	if (h->death >= DEATH_ADDRESS && h->death <= DEATH_TRAP)
		gpu_report->code = cu.cuCtxSynchronize();
	if (h->death == DEATH_SPIN)
		gpu_report->code = cu.cuStreamQuery(NULL);
	if (write(h->socket, "", 1) == 1 && (h->death == DEATH_KILL || h->death == DEATH_SPIN))
		read_for_ever(h->socket);
	_exit(0);
}

static void heir(void *arg)
{
	struct heirloom *h = arg;
	CUmemGenericAllocationHandle handle;
	uint64_t changed;
	CUdeviceptr base;
	double began;
	int i;

	gpu_open();
	began = gpu_now();
	GPU_TRY(cu.cuMemAddressReserve(&base, CHUNKS * CHUNK_SIZE, 0, DEVICE_BASE, 0));
	for (i = 0; i < CHUNKS; i++) {
		handle = gpu_import(h->fds[i]);
		GPU_TRY(cu.cuMemMap(base + i * CHUNK_SIZE, CHUNK_SIZE, 0, handle, 0));
		GPU_TRY(cu.cuMemRelease(handle));
	}
	gpu_access(base, CHUNKS * CHUNK_SIZE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	gpu_report->figure[2] = gpu_now() - began;
	/* The endless entry wrote to the last word. */
	changed = gpu_over_words("count_changed", base, CHUNKS * CHUNK_WORDS - (h->death == DEATH_SPIN));
	gpu_report->count = base;
	gpu_report->figure[3] = changed;
}

static int hold_nodes(int *ret_fds, int max)
{
	char path[32];
	int i, n = 0;

	for (i = 0; i < max; i++) {
		snprintf(path, sizeof(path), "/dev/nvidia%d", i);
		ret_fds[n] = open(path, O_RDWR | O_CLOEXEC);
		n += ret_fds[n] >= 0;
	}
	return n;
}

static void outlive(enum death death, int hold)
{
	int sockets[2], nodes[16], n_nodes = hold ? hold_nodes(nodes, 16) : 0, i, end;
	struct heirloom h = { .death = death };
	char name[96], error[16] = "";
	struct pollfd ready = { .events = POLLIN };
	struct child c;
	double died_ms;

	snprintf(name, sizeof(name), "memory outlives %s%s", death_names[death], hold ? "" : ", node not held");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return;
	h.socket = sockets[1];
	ready.fd = sockets[0];
	c = child_start(maker, &h);
	if (receive_fds(sockets[0], h.fds, CHUNKS)) {
		row("NO", name, "maker: error %d in %s", gpu_report->code, gpu_report->failed);
		kill(c.pid, SIGKILL);
		child_wait(&c, DEADLINE_MS, NULL);
		goto out;
	}
	/* Until it is ready to die. A driver whose launches wait for the entry does not come back from an endless one. */
	poll(&ready, 1, death == DEATH_SPIN ? SPIN_MS : DEADLINE_MS);
	if (death == DEATH_KILL || death == DEATH_SPIN)
		kill(c.pid, SIGKILL);
	end = child_wait(&c, DEADLINE_MS, &died_ms);
	if (gpu_report->code)
		snprintf(error, sizeof(error), ", error %d", gpu_report->code);
	if (end)
		row("NO", name, "the maker cannot be ended in %d s", DEADLINE_MS / 1000);
	else if (child_run(name, heir, &h))
		row(gpu_report->figure[3] == 0 && gpu_report->count == DEVICE_BASE ? "ok" : hold ? "NO" : "-", name,
		    "%s address, %.0f words changed, dead in %.0f ms, mapped in %.1f ms%s",
		    gpu_report->count == DEVICE_BASE ? "same" : "OTHER", gpu_report->figure[3], died_ms,
		    gpu_report->figure[2], error);
	for (i = 0; i < CHUNKS; i++)
		close(h.fds[i]);
out:
	for (i = 0; i < n_nodes; i++)
		close(nodes[i]);
	close(sockets[0]);
	close(sockets[1]);
}

static void experiment_outlive(void)
{
	int death;

	for (death = 0; death < DEATHS; death++)
		outlive(death, 1);
	for (death = 0; death < DEATHS; death++)
		outlive(death, 0);
}

/* --- 2. Costs --- */

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
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (read(sockets[1], &byte, 1) == 1)
			waiting_context(&sockets[1]);
		_exit(0);
	}
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

	gpu_open();
	memset(sum, 0, sizeof(gpu_report->figure));
	GPU_TRY(cu.cuMemAddressReserve(&at, cost->size, 0, DEVICE_BASE, 0));
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

/* The digests of certify.c: of `words` words at `at`, done `rounds` times. */
static uint64_t digest(CUfunction f, CUmodule m, CUdeviceptr at, uint64_t words, int rounds)
{
	uint64_t size = words * 8, slot = 0, ret;
	void *args[] = { &at, &size, &slot };
	CUdeviceptr slots;

	GPU_TRY(cu.cuModuleGetGlobal(&slots, NULL, m, "digests"));
	GPU_TRY(cu.cuMemsetD8(slots, 0, sizeof(ret)));
	for (int i = 0; i < rounds; i++)
		GPU_TRY(cu.cuLaunchKernel(f, 4096, 1, 1, DIGEST_THREADS, 1, 1, 0, NULL, args, NULL));
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
	GPU_TRY(cu.cuModuleLoadData(&m, digest_entry));
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

static void experiment_costs(void)
{
	static const struct chunk_cost costs[] = { { 2 * MIB, 64 }, { 64 * MIB, 16 }, { GIB, 3 } };
	const double *f = gpu_report->figure;
	char name[64];
	size_t i;

	if (child_run("cuInit and context", cost_start, NULL))
		row("-", "cuInit and context", "%.0f ms and %.0f ms", f[0], f[1]);
	if (child_run("memory that a context takes", cost_footprint, NULL))
		row("-", "memory that a context takes", "%.0f MiB", f[2]);
	for (i = 0; i < sizeof(costs) / sizeof(costs[0]); i++) {
		snprintf(name, sizeof(name), "chunk of %zu MiB, us", costs[i].size / (size_t)MIB);
		if (child_run(name, cost_chunks, (void *)&costs[i]))
			row("-", name, "create %.0f, export %.0f, import %.0f, map %.0f, access %.0f, read-only %.0f, "
			    "unmap %.0f, release %.0f", f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7]);
	}
	if (child_run("speed", cost_speed, NULL))
		row("-", "device-to-device copy, launch", "%.0f GB/s read and write, %.2f us", f[2], f[3]);
	if (child_run("digests of buffers that are not copied", cost_digest, NULL))
		row(ok(gpu_report->count), "digests of buffers that are not copied", "%.0f GB/s", f[2]);
}

/* --- 3. Faults: their codes, and what is left of the context --- */

struct fault {
	const char *name, *entry;
	uint64_t at;  /* parameter; with from_buffer, an offset from a live buffer */
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
	CUmemGenericAllocationHandle handle;
	CUdeviceptr at;

	(void)arg;
	gpu_open();
	handle = gpu_create(CHUNK_SIZE);
	GPU_TRY(cu.cuMemAddressReserve(&at, CHUNK_SIZE, 0, DEVICE_BASE, 0));
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
	gpu_report->figure[4] = cu.cuModuleLoadData(&broken, ".version 6.4\n.target sm_75\nnonsense\n");
	GPU_TRY(cu.cuMemAlloc(&buffer, PROBE_WORDS * 8));
	gpu_over_words("fill", buffer, PROBE_WORDS);
	gpu_report->count = gpu_over_words("count_changed", buffer, PROBE_WORDS);
}

static void experiment_faults(void)
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

	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		if (child_run(faults[i].name, raise_fault, (void *)&faults[i]))
			row(!faults[i].expected ? "-" : ok(f[2] == faults[i].expected && f[3] != 0), faults[i].name,
			    "%.0f %s, then a memset gives %.0f%s", f[2], gpu_report->text, f[3],
			    f[3] != 0 ? ": sticky" : "");
	if (child_run("fault: store to a read-only mapping", write_read_only, NULL))
		row(ok(f[2] != 0), "fault: store to a read-only mapping", "%.0f", f[2]);
	if (child_run("errors that leave the context good", recoverable, NULL))
		row(ok(f[2] == CUDA_ERROR_OUT_OF_MEMORY && f[3] != 0 && f[4] != 0 && gpu_report->count == 0),
		    "errors that leave the context good",
		    "too much memory %.0f, too many threads %.0f, bad PTX %.0f, then an entry runs", f[2], f[3], f[4]);
}

/* What the driver's core dump says of a fault: whether it comes, how long the fault takes with it, and what is in it. */
static void set_dump(CUcoredumpSettings attribute, void *value, size_t size)
{
	GPU_TRY(cu.cuCoredumpSetAttributeGlobal(attribute, value, &size));
}

static void raise_fault_with_dump(void *arg)
{
	CUjit_option options[] = { CU_JIT_GENERATE_LINE_INFO };
	void *values[] = { (void *)1 };
	int flags = CU_COREDUMP_LIGHTWEIGHT_FLAGS | CU_COREDUMP_SKIP_ABORT;
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
	gpu_report->figure[3] = 1;
}

/* 1: it names thread 37 of block 1, or the warp that this one is in, and line 3. */
static int is_right(const struct core_dump *d)
{
	return d->block[0] == 1 && d->n_threads && d->first[0] >= 32 && d->first[0] <= 37 && d->last[0] >= 37 &&
	       d->last[0] <= 63 && d->place.n_frames && d->place.frames[0].line == 3 && !strcmp(d->place.frames[0].file, "In[1]") &&
	       !strcmp(d->place.entry, "store_one");
}

static void report_dump(const char *experiment, const char *path)
{
	const double *f = gpu_report->figure;
	struct error err = ERROR_INIT;
	struct core_dump d;
	struct stat st;
	double began = gpu_now();
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *bytes = fd < 0 || fstat(fd, &st) || !st.st_size ? MAP_FAILED :
								mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (bytes == MAP_FAILED)
		row("-", experiment, "%.0f; there is none", f[2]);
	else if (core_dump_read(bytes, (size_t)st.st_size, &d, &err))
		row("NO", experiment, "%lld KiB, not read: %s", (long long)st.st_size / 1024, err.text);
	else
		row(ok(is_right(&d)), experiment,
		    "%.0f in %.0f ms, context in %.0f ms; %lld KiB read in %.0f ms: exception %u in %s line %u, block %u, threads %u "
		    "to %u", f[2], f[1], f[0], (long long)st.st_size / 1024, gpu_now() - began, d.exception, d.place.entry,
		    d.place.n_frames ? d.place.frames[0].line : 0, d.block[0], d.first[0], d.last[0]);
	if (bytes != MAP_FAILED)
		munmap(bytes, (size_t)st.st_size);
	if (fd >= 0)
		close(fd);
}

static void experiment_dump(void)
{
	static const char experiment[] = "fault: core dump, thread 37 of block 1 in line 3";
	char folder[] = "/tmp/check-gpu-XXXXXX", path[64];

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

/* --- 4. Is memory made anew zeroed? --- */

static void remake(void *arg)
{
	CUmemGenericAllocationHandle handle;
	CUdeviceptr at;
	int i;

	(void)arg;
	gpu_open();
	GPU_TRY(cu.cuMemAddressReserve(&at, CHUNK_SIZE, 0, DEVICE_BASE, 0));
	for (i = 0; i < 4; i++) {
		handle = gpu_create(CHUNK_SIZE);
		GPU_TRY(cu.cuMemMap(at, CHUNK_SIZE, 0, handle, 0));
		gpu_access(at, CHUNK_SIZE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
		gpu_report->count += gpu_over_words("count_nonzero", at, CHUNK_WORDS);
		gpu_over_words("fill", at, CHUNK_WORDS);
		GPU_TRY(cu.cuMemUnmap(at, CHUNK_SIZE));
		GPU_TRY(cu.cuMemRelease(handle));
	}
}

static void experiment_zeroed(void)
{
	if (child_run("memory made anew", remake, NULL))
		row("-", "memory made anew", "%llu of %llu words not zero",
		    (unsigned long long)gpu_report->count, 4ull * CHUNK_WORDS);
}

/* --- 5. Every second piece is freed: is what was freed there for one request? --- */

#define SCATTER_ROOM (128 * MIB) /* of the card; the rest is taken away */
#define SCATTER_MAX 2048

/* Leave the card with little more than SCATTER_ROOM, so that filling it is quick. */
static void take_the_rest(void)
{
	size_t free_bytes, total, piece;
	CUdeviceptr p;

	GPU_TRY(cu.cuMemGetInfo(&free_bytes, &total));
	for (piece = free_bytes; piece >= 2 * MIB; ) {
		GPU_TRY(cu.cuMemGetInfo(&free_bytes, &total));
		if (free_bytes < SCATTER_ROOM + 2 * MIB)
			return;
		if (piece > free_bytes - SCATTER_ROOM)
			piece = (free_bytes - SCATTER_ROOM) / (2 * MIB) * (2 * MIB);
		else if (cu.cuMemAlloc(&p, piece))
			piece /= 2;
	}
}

/* The driver's own allocator. figure: pieces, what was freed, the largest request that worked then, the code of all of it. */
static void scatter_pieces(void *arg)
{
	const size_t size = *(const size_t *)arg;
	static CUdeviceptr p[SCATTER_MAX];
	size_t n = 0, freed, low = 0, high;
	CUdeviceptr one;
	size_t i;

	gpu_open();
	take_the_rest();
	while (n < SCATTER_MAX && !cu.cuMemAlloc(&p[n], size))
		n++;
	for (i = 0; i < n; i += 2)
		GPU_TRY(cu.cuMemFree(p[i]));
	freed = (n + 1) / 2 * size;
	gpu_report->figure[0] = n;
	gpu_report->figure[1] = (double)freed / MIB;
	gpu_report->figure[3] = cu.cuMemAlloc(&one, freed);
	high = gpu_report->figure[3] == 0 ? low = freed : freed;
	while (high - low > 64 * 1024) {
		size_t middle = low + (high - low) / 2;

		if (cu.cuMemAlloc(&one, middle)) {
			high = middle;
			continue;
		}
		GPU_TRY(cu.cuMemFree(one));
		low = middle;
	}
	gpu_report->figure[2] = (double)low / MIB;
}

/* The same with chunks of 2 MiB that are mapped one behind the other, as cgpu does. */
static void scatter_chunks(void *arg)
{
	const CUmemAllocationProp prop = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 },
	};
	static CUmemGenericAllocationHandle chunk[SCATTER_MAX];
	const size_t size = 2 * MIB;
	size_t n = 0, again, i;
	unsigned char last = 0;
	CUdeviceptr at;

	(void)arg;
	gpu_open();
	take_the_rest();
	while (n < SCATTER_MAX && !cu.cuMemCreate(&chunk[n], size, &prop, 0))
		n++;
	for (i = 0; i < n; i += 2)
		GPU_TRY(cu.cuMemRelease(chunk[i]));
	again = (n + 1) / 2;
	GPU_TRY(cu.cuMemAddressReserve(&at, again * size, 0, DEVICE_BASE, 0));
	for (i = 0; i < again; i++) {
		GPU_TRY(cu.cuMemCreate(&chunk[i * 2], size, &prop, 0));
		GPU_TRY(cu.cuMemMap(at + i * size, size, 0, chunk[i * 2], 0));
	}
	gpu_access(at, again * size, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	GPU_TRY(cu.cuMemsetD8(at, 7, again * size));
	GPU_TRY(cu.cuMemcpyDtoH(&last, at + again * size - 1, 1));
	gpu_report->count = last == 7;
	gpu_report->figure[0] = n;
	gpu_report->figure[1] = (double)(again * size) / MIB;
}

static void experiment_scattered(void)
{
	static const size_t sizes[] = { 256 * 1024, MIB, 2 * MIB };
	const double *f = gpu_report->figure;
	char name[80];
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		snprintf(name, sizeof(name), "every 2nd of full memory freed: cuMemAlloc, %zu KiB", sizes[i] / 1024);
		if (child_run(name, scatter_pieces, (void *)&sizes[i]))
			row("-", name, "%.0f pieces; all %.0f MiB in one request: error %.0f; %.0f %% of it can be had",
			    f[0], f[1], f[3], f[1] ? 100 * f[2] / f[1] : 0);
	}
	if (child_run("every 2nd of full memory freed: stitched chunks", scatter_chunks, NULL))
		row(ok(f[0] > 1 && gpu_report->count), "every 2nd of full memory freed: stitched chunks",
		    "%.0f chunks; all %.0f MiB in one range, and written: 100 %%", f[0], f[1]);
}

/* --- */

static void describe(void *arg)
{
	char name[128] = "";
	CUdevice device;
	int count = 0, version = 0, major = 0, minor = 0;
	size_t memory = 0;

	(void)arg;
	GPU_TRY(cu.cuInit(0));
	GPU_TRY(cu.cuDeviceGetCount(&count));
	if (count == 0)
		gpu_try("cuDeviceGetCount: no device", CUDA_ERROR_NO_DEVICE);
	GPU_TRY(cu.cuDeviceGet(&device, 0));
	GPU_TRY(cu.cuDeviceGetName(name, sizeof(name), device));
	GPU_TRY(cu.cuDeviceTotalMem(&memory, device));
	GPU_TRY(cu.cuDriverGetVersion(&version));
	GPU_TRY(cu.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
	GPU_TRY(cu.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
	snprintf(gpu_report->text, sizeof(gpu_report->text), "%s, sm_%d%d, %.1f GiB, driver API %d.%d", name, major,
		 minor, (double)memory / GIB, version / 1000, version % 1000 / 10);
}

int main(void)
{
	const char *library = getenv("CHECK_GPU_DRIVER"), *missing;
	double began = gpu_now();
	struct child c;

	gpu_report = mmap(NULL, sizeof(*gpu_report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (gpu_report == MAP_FAILED) {
		perror("check-gpu");
		return 1;
	}
	missing = gpu_load(library ? library : "libcuda.so.1");
	if (missing) {
		printf("No CUDA driver here, so nothing was measured: %s\n", missing);
		return 77;
	}
	c = child_start(describe, NULL);
	if (child_wait(&c, DEADLINE_MS, NULL) || gpu_report->failed[0] || !gpu_report->text[0]) {
		printf("No usable GPU here, so nothing was measured: error %d in %s\n", gpu_report->code,
		       gpu_report->failed);
		return 77;
	}
	printf("%s\n", gpu_report->text);
	experiment_outlive();
	experiment_costs();
	experiment_faults();
	experiment_dump();
	experiment_zeroed();
	experiment_scattered();
	printf("%d of the answers that cgpu relies on were NO; %.0f s\n", n_failed, (gpu_now() - began) / 1e3);
	return n_failed ? 1 : 0;
}
