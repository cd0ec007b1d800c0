/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a recovery does: a spare whose context is alive takes the memory of a worker over that was
 * killed, and what nobody has any more is free for others; and what closing descriptors costs the
 * one who closes.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/memory/address-map.h"
#include "tests/gpu/experiment.h"
#include "tests/gpu/gpu.h"

#define MOST 1000
#define SLACK (64 * MIB) /* a context more or less */

struct takeover {
	int n;
	size_t size;            /* of a piece */
	int maker[2], spare[2]; /* sockets: of the parent, of the child */
	int fds[MOST];
};

/* Nobody, when the other end is gone: whoever waits for the answer sees that. */
static void tell(int socket)
{
	send(socket, "", 1, MSG_NOSIGNAL);
}

static int is_told(int socket)
{
	struct pollfd p = { .fd = socket, .events = POLLIN };
	char byte;

	return poll(&p, 1, CHILD_MS) == 1 && read(socket, &byte, 1) == 1;
}

static void make(void *arg)
{
	struct takeover *t = arg;

	gpu_open();
	for (int i = 0; i < t->n; i++) {
		CUmemGenericAllocationHandle handle = gpu_create(t->size);

		t->fds[i] = gpu_export(handle);
	}
	if (send_fds(t->maker[1], t->fds, t->n))
		_exit(3);
	is_told(t->maker[1]);
}

/* count: where; figure[4]: milliseconds until all of it is mapped. */
static void take_over(void *arg)
{
	struct takeover *t = arg;
	CUdeviceptr at = gpu_open_at((size_t)t->n * t->size);
	double began;

	tell(t->spare[1]);
	if (receive_fds(t->spare[1], t->fds, t->n))
		_exit(3);
	began = gpu_now();
	for (int i = 0; i < t->n; i++) {
		CUmemGenericAllocationHandle handle = gpu_import(t->fds[i]);

		GPU_TRY(cu.cuMemMap(at + (size_t)i * t->size, t->size, 0, handle, 0));
		GPU_TRY(cu.cuMemRelease(handle));
	}
	gpu_access(at, (size_t)t->n * t->size, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	gpu_report->figure[4] = gpu_now() - began;
	GPU_TRY(cu.cuMemsetD8(at, 1, (size_t)t->n * t->size));
	gpu_report->count = at;
}

/* figure[5]: milliseconds until the device has as much free as before the maker; the parent says
 * when it ends. */
static void watch_free(void *arg)
{
	const struct takeover *t = arg;
	size_t before, now, total;
	double began;

	gpu_open();
	GPU_TRY(cu.cuMemGetInfo(&before, &total));
	tell(t->spare[1]);
	if (!is_told(t->spare[1]))
		_exit(3);
	began = gpu_now();
	do
		GPU_TRY(cu.cuMemGetInfo(&now, &total));
	while (now + SLACK < before);
	gpu_report->figure[5] = gpu_now() - began;
}

static int open_sockets(int sockets[2])
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets);
}

static void close_all(const int *fds, int n)
{
	for (int i = 0; i < n; i++)
		close(fds[i]);
}

static void end_child(struct child *c)
{
	kill(c->pid, SIGKILL);
	child_wait(c, CHILD_MS, NULL);
}

/* The descriptors of a maker, which is killed then. */
static int inherit(struct takeover *t)
{
	struct child maker;
	int result;

	if (open_sockets(t->maker))
		return -1;
	maker = child_start(make, t);
	close(t->maker[1]);
	result = receive_fds(t->maker[0], t->fds, t->n);
	end_child(&maker);
	close(t->maker[0]);
	return result;
}

/* A child that waits with its context, and what it is to take over. 0, or -1: a row says why. */
static int begin(const char *name, void (*waiting)(void *), struct takeover *t,
		 struct child *ret_waiting)
{
	if (open_sockets(t->spare))
		return -1;
	*ret_waiting = child_start(waiting, t);
	close(t->spare[1]);
	if (is_told(t->spare[0]) && !inherit(t))
		return 0;
	end_child(ret_waiting);
	row_failed(name, "");
	close(t->spare[0]);
	return -1;
}

/* 1 if the child has done all it should, else a row says what it did not. */
static int end(const char *name, struct takeover *t, struct child *waiting)
{
	int failed = child_wait(waiting, CHILD_MS, NULL) || gpu_report->failed[0];

	if (failed)
		row_failed(name, "");
	close(t->spare[0]);
	return !failed;
}

static void promote(int n, size_t size)
{
	static struct takeover t;
	struct child spare;
	char name[80];

	t.n = n;
	t.size = size;
	snprintf(name, sizeof(name), "a waiting spare takes %d pieces of %zu MiB over", n,
		 size / (size_t)MIB);
	if (begin(name, take_over, &t, &spare))
		return;
	send_fds(t.spare[0], t.fds, t.n);
	if (end(name, &t, &spare))
		row(ok(gpu_report->count == DEVICE_BASE), name, "%s address, mapped in %.1f ms",
		    gpu_report->count == DEVICE_BASE ? "same" : "OTHER", gpu_report->figure[4]);
	close_all(t.fds, t.n);
}

static void free_again(int n, size_t size)
{
	static struct takeover t;
	struct child watcher;
	char name[80];
	double began;

	t.n = n;
	t.size = size;
	snprintf(name, sizeof(name), "%d pieces of %zu MiB that nobody has any more", n,
		 size / (size_t)MIB);
	if (begin(name, watch_free, &t, &watcher))
		return;
	began = gpu_now();
	close_all(t.fds, t.n);
	began = gpu_now() - began;
	tell(t.spare[0]);
	if (end(name, &t, &watcher))
		row("-", name, "closed in %.1f ms, free %.1f ms later", began,
		    gpu_report->figure[5]);
}

static void measure_free(void *arg)
{
	size_t free_bytes, total;

	(void)arg;
	gpu_open();
	GPU_TRY(cu.cuMemGetInfo(&free_bytes, &total));
	gpu_report->count = free_bytes;
}

/* Never more than half of what is free; 0: a row says why that is not known. */
static size_t room(void)
{
	return child_run("free memory", measure_free, NULL) ? (size_t)gpu_report->count / 2 : 0;
}

void experiment_promotion(int what)
{
	struct rlimit files;
	size_t most = room();

	(void)what;
	if (!most)
		return;
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	promote(1, 2 * MIB);
	promote(100, 2 * MIB);
	if (most >= MOST * 2 * MIB)
		promote(MOST, 2 * MIB);
	for (size_t size = 40 * GIB; size >= GIB; size /= 2)
		if (size <= most) {
			promote(1, size);
			return;
		}
}

void experiment_closing(int what)
{
	size_t most = room();

	(void)what;
	if (!most)
		return;
	free_again(100, 2 * MIB);
	free_again(1, most >= 4 * GIB ? 4 * GIB : most / (2 * MIB) * (2 * MIB));
}
