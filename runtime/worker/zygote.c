/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workers are made by clone(CLONE_PARENT), which libc has no function for: so the child's thread
 * id, which libc keeps for itself, is set as its own fork() does it (CLONE_CHILD_SETTID at libc's
 * field). The field is found by what an error-checking mutex stores of it.
 */
#define _GNU_SOURCE
#include "runtime/worker/zygote.h"

#include <errno.h>
#include <limits.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/record.h"
#include "common/protocol/ipc.h"
#include "common/protocol/worker-protocol.h"
#include "common/sandbox/sandbox-apply.h"
#include "runtime/arena/arena.h"
#include "runtime/cuda/device.h"
#include "runtime/exports/cell-stdio.h"
#include "runtime/exports/cpp-runtime.h"
#include "runtime/interpose/fork-handlers.h"
#include "runtime/worker/libraries.h"
#include "runtime/worker/session-processes.h"
#include "runtime/worker/worker-serve.h"

#define WORKERS_MAX 64
#define THREAD_WORDS 512 /* how far into libc's thread descriptor the id is looked for */

struct zygote {
	unsigned in_force; /* as sandbox_apply_zygote() says */
	bool in_view;      /* of struct sandbox_policy */
	uint32_t flags;
	struct buffer filter;
	pid_t workers[WORKERS_MAX]; /* the last ones */
	unsigned n_workers;
	pid_t *thread_id; /* libc's field */
};

/* libc's id of this thread as a mutex sees it. */
static pid_t owner_seen(void)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t m;
	pid_t owner;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&m, &attr);
	pthread_mutex_lock(&m);
	owner = m.__data.__owner;
	pthread_mutex_unlock(&m);
	return owner;
}

static pid_t *find_thread_id(void)
{
	pid_t *words = (pid_t *)pthread_self(), self = gettid();

	for (unsigned i = 0; i < THREAD_WORDS; i++) {
		pid_t seen;

		if (words[i] != self)
			continue;
		words[i] = self + 1000000;
		seen = owner_seen();
		words[i] = self;
		if (seen == self + 1000000)
			return &words[i];
	}
	return NULL;
}

static pid_t clone_process(const struct zygote *z)
{
	unsigned long flags = CLONE_PARENT | SIGCHLD |
			      (z->thread_id ? CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID : 0);

#if defined(__x86_64__)
	return (pid_t)syscall(SYS_clone, flags, NULL, NULL, z->thread_id, 0);
#else
	return (pid_t)syscall(SYS_clone, flags, NULL, NULL, 0, z->thread_id);
#endif
}

/* A fork, as far as libraries are concerned. */
static pid_t clone_worker(const struct zygote *z)
{
	pid_t pid;
	int error;

	fork_handlers_prepare();
	pid = clone_process(z);
	error = errno;
	if (pid == 0)
		fork_handlers_child();
	else
		fork_handlers_parent();
	errno = error;
	return pid;
}

static int load(const struct ipc_message *m, struct error *err)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct record r = record_open(m->data, m->len);
	uint32_t id = record_u32(&r), n = record_count(&r, 5);

	record_put_u32(&out, id);
	record_put_u32(&out, n);
	for (uint32_t i = 0; i < n; i++) {
		const char *path = record_str(&r);
		struct library_place place = { 0 };
		struct error why = ERROR_INIT;

		libraries_load(path, &place, &why);
		record_put_str(&out, path);
		record_put_str(&out, why.text);
		record_put_u64(&out, place.base);
		record_put_str(&out, place.build_id);
	}
	if (record_check(&r, "ZYGOTE_LOAD", err) || buffer_check(&out, err))
		return -1;
	return ipc_send(ZYGOTE_SOCKET_FD, ZYGOTE_LOADED, out.data, out.len, NULL, 0, err);
}

static int set_up(struct zygote *z, const struct ipc_message *m, struct error *err)
{
	cleanup_buffer struct buffer list = BUFFER_INIT;
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct sandbox_report report = { &list, 0 };
	struct record r = record_open(m->data, m->len);
	uint32_t version = record_u32(&r);
	struct hidden_path hidden;
	const char *filter;
	size_t len;

	filter = record_bytes(&r, &len);
	z->flags = record_u32(&r);
	hidden = hidden_path_read(&r);
	if (version != WORKER_PROTOCOL_VERSION)
		return error_set(err, ERROR_PROTOCOL,
				 "the kernel speaks version %u, this worker %u", version,
				 WORKER_PROTOCOL_VERSION);
	buffer_clear(&z->filter);
	buffer_append(&z->filter, filter, len);
	if (record_check(&r, "ZYGOTE_SETUP", err))
		return -1;
	z->in_view = m->n_fds != 0;
	z->in_force = sandbox_apply_zygote(
		&(struct sandbox_policy){
			.flags = z->flags, .hidden = hidden, .view = m->n_fds ? m->fds[0] : 0 },
		&report);
	record_put_u32(&out, WORKER_PROTOCOL_VERSION);
	sandbox_report_put(&out, &report);
	if (buffer_check(&z->filter, err) || buffer_check(&list, err) || buffer_check(&out, err))
		return -1;
	return ipc_send(ZYGOTE_SOCKET_FD, ZYGOTE_READY, out.data, out.len, NULL, 0, err);
}

static _Noreturn void become_worker(const struct zygote *z, struct ipc_message *m,
				    const struct hidden_path *hidden, pid_t parent)
{
	struct worker_start start = {
		.parent = parent,
		.flags = z->flags,
		.filter = z->filter.data,
		.filter_len = z->filter.len,
		.hidden = *hidden,
		.in_force = z->in_force,
	};

	for (unsigned i = 0; i < WORKER_FDS; i++)
		start.fds[i] = steal_fd(&m->fds[i]);
	worker_serve(&start);
}

static int fork_worker(struct zygote *z, struct ipc_message *m, struct error *err)
{
	cleanup_buffer struct buffer out = BUFFER_INIT;
	struct record r = record_open(m->data, m->len);
	uint32_t id = record_u32(&r);
	const struct hidden_path hidden = hidden_path_read(&r);
	pid_t parent = getppid(), pid;
	int error;

	if (record_check(&r, "ZYGOTE_FORK", err))
		return -1;
	if (m->n_fds != WORKER_FDS)
		return error_set(err, ERROR_PROTOCOL,
				 "ZYGOTE_FORK came with %u descriptors, not %d", m->n_fds,
				 WORKER_FDS);
	pid = clone_worker(z);
	error = errno;
	if (pid == 0)
		become_worker(z, m, &hidden, parent);
	if (pid > 0)
		z->workers[z->n_workers++ % WORKERS_MAX] = pid;
	record_put_u32(&out, id);
	record_put_u32(&out, pid > 0 ? (uint32_t)pid : 0);
	if (pid <= 0)
		record_put_u32(&out, (uint32_t)error);
	if (buffer_check(&out, err))
		return -1;
	return ipc_send(ZYGOTE_SOCKET_FD, ZYGOTE_FORKED, out.data, out.len, NULL, 0, err);
}

static int hide(const struct zygote *z, const struct ipc_message *m, struct error *err)
{
	struct record r = record_open(m->data, m->len);
	const struct hidden_path h = hidden_path_read(&r);
	struct error why = ERROR_INIT;

	if (record_check(&r, "ZYGOTE_HIDE", err))
		return -1;
	if (z->in_force & SANDBOX_HIDE_FILE && sandbox_apply_cover(&h, z->in_view, &why))
		log_warning("%s", why.text);
	return 0;
}

static int handle(struct zygote *z, struct ipc_message *m, struct error *err)
{
	switch (m->type) {
	case ZYGOTE_SETUP:
		return set_up(z, m, err);
	case ZYGOTE_FORK:
		return fork_worker(z, m, err);
	case ZYGOTE_LOAD:
		return load(m, err);
	case ZYGOTE_HIDE:
		return hide(z, m, err);
	default:
		return error_set(err, ERROR_PROTOCOL, "message %u is none for a zygote", m->type);
	}
}

static void end_all(const struct zygote *z)
{
	unsigned n = z->n_workers < WORKERS_MAX ? z->n_workers : WORKERS_MAX;

	for (unsigned i = 0; i < n; i++) {
		if (session_processes_owns(z->workers[i]))
			kill(-z->workers[i], SIGKILL);
	}
	session_processes_kill();
}

static void stand_before_driver(void)
{
	char folder[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", folder, sizeof(folder) - 1);

	folder[n > 0 ? n : 0] = '\0';
	if (strrchr(folder, '/'))
		*strrchr(folder, '/') = '\0';
	device_stand_before_driver(folder);
}

int zygote_run(void)
{
	struct zygote z = { .flags = 0 };
	struct error err = ERROR_INIT;
	int r;

	if (arena_reserve(&err)) {
		log_error("%s", err.text);
		return 1;
	}
	z.thread_id = find_thread_id();
	if (cell_stdio_init(&err)) {
		log_error("%s", err.text);
		return 1;
	}
	stand_before_driver();
	cpp_runtime_load(); /* behind that: std::cout takes the streams that it finds */
	signal(SIGPIPE, SIG_IGN);
	for (;;) {
		struct ipc_message m;

		r = ipc_receive(ZYGOTE_SOCKET_FD, -1, &m, &err);
		if (r <= 0)
			break;
		r = handle(&z, &m, &err);
		ipc_message_release(&m);
		if (r)
			break;
	}
	if (err.code != ERROR_PEER_GONE)
		log_error("%s", err.text);
	end_all(&z);
	return err.code != ERROR_PEER_GONE;
}
