/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	  worker_new()   worker_forked()   WORKER_HELLO   WORKER_ATTACH    WORKER_ATTACHED
 *	STARTING -------> FORKED ---------> READY -------> ATTACHING ------> IDLE <-------------+
 *	   |                |                 |                |   WORKER_RUN |                 |
 *	   |                |                 |                |              v WORKER_COMMITTED|
 *	   |                |                 |                |           RUNNING ---------> QUIET
 *	   |                |                 |                |              | WORKER_CELL_END |
 *	   |                |                 |                |              | worker_stop()   |
 *	   +----------------+-----------------+-- worker_kill(), or by itself-+-----------------+
 *	                                      v
 *	                                    DYING -- pidfd readable --> DEAD
 *	                                    (by itself: any state -> DEAD)
 *
 * The transitions by a message are made by kernel/cell-run/cell-run.c; all others here.
 *
 * A dead worker is a zombie until it is reaped here, so its pid, and with it the name of its
 * process group, is not given to anybody else before what is left of the group is killed.
 */
#define _GNU_SOURCE
#include "kernel/workers/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/protocol/ipc.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/base/closer.h"
#include "kernel/base/loop.h"
#include "kernel/base/process.h"
#include "kernel/base/temporary-name.h"
#include "kernel/state/arena-file.h"
#include "kernel/state/dirty-pages.h"
#include "kernel/workers/zygote-client.h"

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

#define DEATH_MS 500 /* for a process that was killed to be gone */
#define PASS_MS 20   /* for messages before the loop looks at others */
#define DRAIN_MS 2000

enum { SOURCE_CHANNEL, SOURCE_STDOUT, SOURCE_STDERR, SOURCE_DEATH };

/* Creates the control area as a sealed memfd, so that a cell cannot truncate it while the kernel
 * reads it. */
static int control_memfd(struct worker *w, const struct worker_device *device, struct error *err)
{
	int fd = memfd_create("cgpu-control", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	void *p;

	if (fd < 0)
		return error_errno(err, "memfd_create for a worker's control area");
	if (ftruncate(fd, sizeof(struct worker_control)) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) {
		error_errno(err, "cannot prepare a worker's control area");
		close(fd);
		return -1;
	}
	p = mmap(NULL, sizeof(struct worker_control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		error_errno(err, "cannot map a worker's control area");
		close(fd);
		return -1;
	}
	w->control = p;
	w->control->version = WORKER_PROTOCOL_VERSION;
	w->control->device = *device;
	w->waits = device->waits;
	temporary_name("cgpu-dump", w->dump_folder, sizeof(w->dump_folder));
	snprintf(w->control->dump_folder, sizeof(w->control->dump_folder), "%s", w->dump_folder);
	return fd;
}

static void remove_dump_folder(const struct worker *w)
{
	char path[sizeof(w->dump_folder) + sizeof(WORKER_DUMP_FILE)];

	if (!w->dump_folder[0])
		return;
	snprintf(path, sizeof(path), "%s/" WORKER_DUMP_FILE, w->dump_folder);
	unlink(path);
	rmdir(w->dump_folder);
}

static int open_and_fork(struct worker *w, struct zygote_client *z, int arena,
			 const struct worker_device *device, struct error *err)
{
	cleanup_fd int channel = -1, control = -1, out = -1, errors = -1;
	int pair[2], out_pipe[2], err_pipe[2];

	if (ipc_pair(pair, err))
		return -1;
	w->channel = pair[0];
	channel = pair[1];
	if (ipc_set_send_deadline(w->channel, PROCESS_SEND_MS, err) ||
	    ipc_name_senders(w->channel, err))
		return -1;
	control = control_memfd(w, device, err);
	w->live = arena_file_live(err);
	if (control < 0 || w->live < 0)
		return -1;
	if (pipe2(out_pipe, O_CLOEXEC))
		return error_errno(err, "pipe");
	w->pipes[0] = out_pipe[0];
	out = out_pipe[1];
	if (pipe2(err_pipe, O_CLOEXEC))
		return error_errno(err, "pipe");
	w->pipes[1] = err_pipe[0];
	errors = err_pipe[1];
	/* Only the kernel's ends do not block: a cell's printf to a raw descriptor must block
	 * instead of failing. */
	if (fcntl(w->pipes[0], F_SETFL, O_NONBLOCK) || fcntl(w->pipes[1], F_SETFL, O_NONBLOCK))
		return error_errno(err, "fcntl");
	return zygote_client_fork(z, w->id,
				  (int[]){ channel, control, arena, w->live, out, errors }, err);
}

struct worker *worker_new(uint32_t id, struct zygote_client *z, int arena,
			  const struct worker_device *device, const struct worker_events *events,
			  void *data, struct error *err)
{
	struct worker *w = calloc(1, sizeof(*w));

	if (!w) {
		error_set(err, ERROR_MEMORY, "out of memory for a worker");
		return NULL;
	}
	w->id = id;
	w->checks = device->driver == DRIVER_CHECKS;
	w->pidfd = w->channel = w->live = w->pipes[0] = w->pipes[1] = w->pagemap = -1;
	w->events = events;
	w->data = data;
	if (open_and_fork(w, z, arena, device, err)) {
		worker_free(w);
		error_wrap(err, "cannot start a worker");
		return NULL;
	}
	return w;
}

static void unwatch(struct worker *w)
{
	for (int i = 0; i < 4; i++) {
		loop_remove(w->loop, w->sources[i]);
		w->sources[i] = NULL;
	}
}

/* Removes the file of OpenMP's library in /dev/shm. The library removes it when a process exits by
 * itself, which no worker does. */
static void remove_openmp_file(pid_t pid)
{
	char name[64];

	snprintf(name, sizeof(name), "/__KMP_REGISTERED_LIB_%d_%d", (int)pid, (int)getuid());
	shm_unlink(name);
}

void worker_free(struct worker *w)
{
	if (!w)
		return;
	if (w->loop)
		unwatch(w);
	if (w->pid && w->state != WORKER_DEAD) {
		worker_kill(w);
		/* Without the wait, a worker that is about to make its folder for core dumps would
		 * make it after the removal. */
		if (w->dump_folder[0] && !(w->ready && w->hello.emulated))
			process_wait(w->pidfd, DEATH_MS);
		waitid((idtype_t)P_PIDFD, (id_t)w->pidfd, &w->death, WEXITED | WNOHANG | __WALL);
	}
	if (w->pid) {
		remove_openmp_file(w->pid);
		remove_dump_folder(w);
	}
	if (w->control)
		munmap(w->control, sizeof(*w->control));
	for (int i = 0; i < 2; i++)
		if (w->pipes[i] >= 0)
			close(w->pipes[i]);
	if (w->channel >= 0)
		close(w->channel);
	closer_close(w->live);
	if (w->pagemap >= 0)
		close(w->pagemap);
	if (w->pidfd >= 0)
		close(w->pidfd);
	free(w);
}

/* The page map is opened at once, before a cell could change the owner of the worker's /proc
 * files. */
int worker_forked(struct worker *w, pid_t pid, struct error *err)
{
	w->pidfd = pidfd_of(pid, err);
	if (w->pidfd < 0)
		return -1;
	w->pid = pid;
	w->state = WORKER_FORKED;
	cpu_deadline_begin(&w->cpu_deadline, pid, CPU_DEADLINE_ANSWER);
	w->pagemap = dirty_pages_open(pid, err);
	if (w->pagemap < 0) {
		worker_kill(w);
		return -1;
	}
	return 0;
}

int worker_send(struct worker *w, uint32_t type, const void *data, size_t len, const int *fd,
		struct error *err)
{
	struct error mine = ERROR_INIT;

	if (w->state == WORKER_DYING || w->state == WORKER_DEAD)
		return error_set(err, ERROR_PEER_GONE, "the worker has ended");
	if (!ipc_send(w->channel, type, data, len, fd, fd ? 1 : 0, &mine))
		return 0;
	if (mine.code == ERROR_TIMEOUT || mine.code == ERROR_PEER_GONE)
		worker_kill(w);
	return error_set(err, mine.code, "%s", mine.text);
}

static void copy_text(char *to, size_t size, const char *from)
{
	size_t len = strnlen(from, size - 1);

	memcpy(to, from, len);
	to[len] = '\0';
}

static void take_devices(struct worker *w, struct record *r)
{
	uint32_t n = record_count(r, DEVICE_UUID_SIZE);

	w->hello.n_devices = n < CHUNK_DEVICES_MAX ? n : CHUNK_DEVICES_MAX;
	for (uint32_t i = 0; i < n; i++) {
		size_t len;
		const char *uuid = record_bytes(r, &len);

		if (i < CHUNK_DEVICES_MAX && len == DEVICE_UUID_SIZE)
			memcpy(w->hello.uuids[i], uuid, len);
	}
}

static int take_hello(struct worker *w, const struct ipc_message *m, struct error *err)
{
	struct record r = record_open(m->data, m->len);
	uint32_t version = record_u32(&r), n;

	if (!r.failed && version != WORKER_PROTOCOL_VERSION)
		return error_set(err, ERROR_PROTOCOL,
				 "cgpu-worker speaks version %u of the protocol, this kernel %u: "
				 "install both from the same build",
				 version, WORKER_PROTOCOL_VERSION);
	copy_text(w->hello.device, sizeof(w->hello.device), record_str(&r));
	w->hello.emulated = record_u8(&r) != 0;
	w->hello.driver_version = record_u32(&r);
	w->hello.capability = record_u32(&r);
	w->hello.device_memory = record_u64(&r);
	n = record_count(&r, 2);
	for (uint32_t i = 0; i < n; i++) {
		const char *step = record_str(&r);
		const char *why = record_str(&r);

		w->events->on_issue(w->data, step, why);
	}
	copy_text(w->hello.problem, sizeof(w->hello.problem), record_str(&r));
	take_devices(w, &r);
	copy_text(w->hello.passed_over, sizeof(w->hello.passed_over), record_str(&r));
	w->hello.window = record_u64(&r);
	w->hello.traits = record_u32(&r);
	w->hello.most_memory = record_u64(&r);
	if (record_check(&r, "WORKER_HELLO", err))
		return -1;
	w->ready = true;
	if (w->state == WORKER_FORKED)
		w->state = WORKER_READY;
	w->events->on_hello(w->data, w);
	return 0;
}

int worker_receive_one(struct worker *w, int ms, struct error *err)
{
	struct ipc_message m = { 0 };
	int n = ipc_receive_of(w->channel, w->pid, ms, &m, err);

	if (n <= 0)
		return n;
	if (m.type == WORKER_HELLO)
		n = take_hello(w, &m, err) ? -1 : 1;
	else
		w->events->on_message(w->data, w, &m);
	ipc_message_release(&m);
	return n;
}

/* Takes messages for a while, so that a worker which never stops sending cannot hold the loop. */
static void on_channel(void *data)
{
	struct worker *w = data;
	uint64_t end = loop_now_ms() + PASS_MS;
	struct error err = ERROR_INIT;

	for (int i = 0; i < 64 && (!i || loop_now_ms() < end); i++) {
		int n = worker_receive_one(w, 0, &err);

		if (n == 0)
			return;
		if (n < 0) {
			/* If the worker has died, the pidfd reports it. */
			loop_remove(w->loop, w->sources[SOURCE_CHANNEL]);
			w->sources[SOURCE_CHANNEL] = NULL;
			if (err.code != ERROR_PEER_GONE)
				log_error("worker %d is ended: %s", (int)w->pid, err.text);
			worker_kill(w);
			return;
		}
	}
}

static void on_pipe(void *data)
{
	struct worker *w = data;

	w->events->on_output(w->data, w);
}

/* Takes what a dead worker has sent. A process that it has left behind may have its end of the
 * channel and go on sending. */
static void drain_channel(struct worker *w)
{
	uint64_t end = loop_now_ms() + DRAIN_MS;
	struct pollfd more = { .fd = w->channel, .events = POLLIN };

	while (loop_now_ms() < end && poll(&more, 1, 0) > 0 && worker_receive_one(w, 0, NULL) >= 0)
		continue;
}

static void on_death(void *data)
{
	struct worker *w = data;

	/* The handler of a message may have ended the worker. */
	if (w->state == WORKER_DEAD || w->ending)
		return;
	w->ending = true;
	/* A worker that was killed is drained, too: it has announced what a rollback needs. */
	drain_channel(w);
	w->events->on_output(w->data, w);
	kill(-w->pid, SIGKILL);
	waitid((idtype_t)P_PIDFD, (id_t)w->pidfd, &w->death, WEXITED | WNOHANG | __WALL);
	w->state = WORKER_DEAD;
	if (w->loop)
		unwatch(w);
	w->events->on_death(w->data, w);
}

void worker_watch(struct worker *w, struct loop *loop)
{
	w->loop = loop;
	w->sources[SOURCE_CHANNEL] = loop_add_fd(loop, w->channel, on_channel, w);
	w->sources[SOURCE_STDOUT] = loop_add_fd(loop, w->pipes[0], on_pipe, w);
	w->sources[SOURCE_STDERR] = loop_add_fd(loop, w->pipes[1], on_pipe, w);
	w->sources[SOURCE_DEATH] = loop_add_fd(loop, w->pidfd, on_death, w);
}

void worker_kill(struct worker *w)
{
	if (w->state == WORKER_DEAD || w->state == WORKER_DYING)
		return;
	if (w->state != WORKER_STARTING) {
		kill(-w->pid, SIGKILL);
		pidfd_signal(w->pidfd, SIGKILL);
	}
	w->state = WORKER_DYING;
}

int worker_stop(struct worker *w, struct error *err)
{
	if (pidfd_signal(w->pidfd, SIGSTOP))
		return error_errno(err, "cannot stop worker %d", (int)w->pid);
	return 0;
}

int worker_has_stopped(const struct worker *w, struct error *err)
{
	siginfo_t info = { 0 };

	if (waitid((idtype_t)P_PIDFD, (id_t)w->pidfd, &info,
		   WSTOPPED | WEXITED | WNOHANG | WNOWAIT | __WALL))
		return error_errno(err, "waitid of worker %d", (int)w->pid);
	if (info.si_pid && info.si_code != CLD_STOPPED)
		return error_set(err, ERROR_PEER_GONE, "worker %d has ended", (int)w->pid);
	return info.si_pid != 0;
}

void worker_continue(struct worker *w)
{
	pidfd_signal(w->pidfd, SIGCONT);
}

bool worker_await_death(struct worker *w, int ms)
{
	if (w->state == WORKER_DEAD || w->ending)
		return true;
	if (w->pidfd < 0 || !process_wait(w->pidfd, ms))
		return false;
	on_death(w);
	return true;
}

uint64_t worker_library_memory(const struct worker *w)
{
	uint64_t sum = 0;

	for (unsigned i = 0; w && i < CHUNK_DEVICES_MAX; i++)
		sum += w->library_memory[i];
	return sum;
}
