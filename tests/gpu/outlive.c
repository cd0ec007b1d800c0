/* SPDX-License-Identifier: Apache-2.0 */
/* Does exported device memory outlive its maker, at the same address, for each kind of death? */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/memory/address-map.h"
#include "tests/gpu/experiment.h"
#include "tests/gpu/gpu.h"

#define SPIN_MS 500
#define CHUNKS 4
#define CHUNK_SIZE (64 * MIB)
#define CHUNK_WORDS (CHUNK_SIZE / 8)

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
	CUdeviceptr base = gpu_open_at(CHUNKS * CHUNK_SIZE);
	int i;

	for (i = 0; i < CHUNKS; i++) {
		handle = gpu_create(CHUNK_SIZE);
		h->fds[i] = gpu_export(handle);
		GPU_TRY(cu.cuMemMap(base + i * CHUNK_SIZE, CHUNK_SIZE, 0, handle, 0));
		GPU_TRY(cu.cuMemRelease(handle));
	}
	gpu_access(base, CHUNKS * CHUNK_SIZE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	gpu_over_words("fill", base, CHUNKS * CHUNK_WORDS);
	gpu_report->count = base;
	if (send_fds(h->socket, h->fds, CHUNKS))
		_exit(3);
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
	CUdeviceptr base = gpu_open_at(CHUNKS * CHUNK_SIZE);
	uint64_t changed;
	double began;
	int i;

	began = gpu_now();
	for (i = 0; i < CHUNKS; i++) {
		handle = gpu_import(h->fds[i]);
		GPU_TRY(cu.cuMemMap(base + i * CHUNK_SIZE, CHUNK_SIZE, 0, handle, 0));
		GPU_TRY(cu.cuMemRelease(handle));
	}
	gpu_access(base, CHUNKS * CHUNK_SIZE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	gpu_report->figure[2] = gpu_now() - began;
	/* The endless entry wrote to the last word. */
	changed = gpu_over_words("count_changed", base,
				 CHUNKS * CHUNK_WORDS - (h->death == DEATH_SPIN));
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

	snprintf(name, sizeof(name), "memory outlives %s%s", death_names[death],
		 hold ? "" : ", node not held");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return;
	h.socket = sockets[1];
	ready.fd = sockets[0];
	c = child_start(maker, &h);
	close(sockets[1]);
	if (receive_fds(sockets[0], h.fds, CHUNKS)) {
		kill(c.pid, SIGKILL);
		child_wait(&c, CHILD_MS, NULL);
		row_failed(name, "maker: ");
		goto out;
	}
	/* Until it is ready to die. A driver whose launches wait for the entry does not come back
	 * from an endless one. */
	poll(&ready, 1, death == DEATH_SPIN ? SPIN_MS : CHILD_MS);
	if (death == DEATH_KILL || death == DEATH_SPIN)
		kill(c.pid, SIGKILL);
	end = child_wait(&c, CHILD_MS, &died_ms);
	if (gpu_report->code)
		snprintf(error, sizeof(error), ", error %d", gpu_report->code);
	if (end)
		row("NO", name, "the maker cannot be ended in %d s", CHILD_MS / 1000);
	else if (child_run(name, heir, &h))
		row(gpu_report->figure[3] == 0 && gpu_report->count == DEVICE_BASE ? "ok"
		    : hold                                                         ? "NO"
										   : "-",
		    name, "%s address, %.0f words changed, dead in %.0f ms, mapped in %.1f ms%s",
		    gpu_report->count == DEVICE_BASE ? "same" : "OTHER", gpu_report->figure[3],
		    died_ms, gpu_report->figure[2], error);
	for (i = 0; i < CHUNKS; i++)
		close(h.fds[i]);
out:
	for (i = 0; i < n_nodes; i++)
		close(nodes[i]);
	close(sockets[0]);
}

void experiment_outlive(int death)
{
	outlive((enum death)death, 1);
}

void experiment_outlive_no_node(int what)
{
	(void)what;
	for (int death = 0; death < DEATHS; death++)
		outlive((enum death)death, 0);
}
