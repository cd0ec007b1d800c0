/* SPDX-License-Identifier: Apache-2.0 */
/* Uses vfork() and exec() directly, since posix_spawn() can set neither a personality nor a
 * parent-death signal. */
#define _GNU_SOURCE
#include "kernel/base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/protocol/ipc.h"

#define SOCKET_FD 3

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

bool process_read(pid_t pid, uint64_t address, void *ret, size_t len)
{
	struct iovec local = { ret, len }, remote = { (void *)(uintptr_t)address, len };

	return process_vm_readv(pid, &local, 1, &remote, 1, 0) == (ssize_t)len;
}

/* Reads from an arbitrary address: the error for an unmapped address differs from that for a
 * process without memory. */
bool process_has_memory(pid_t pid)
{
	char byte;
	struct iovec local = { &byte, 1 }, remote = { (void *)4096, 1 };

	return process_vm_readv(pid, &local, 1, &remote, 1, 0) == 1 || errno != ESRCH;
}

int pidfd_of(pid_t pid, struct error *err)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0)
		return error_errno(err, "pidfd_open of process %d", (int)pid);
	return fd;
}

int pidfd_signal(int pidfd, int sig)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0);
}

/* Runs between vfork and exec, so it makes only calls that are safe there. It sends the errno of a
 * failed call through `report`. */
static void become(const char *path, char *const argv[], int sock, int report, pid_t parent,
		   unsigned flags)
{
	sigset_t none;
	int null = open("/dev/null", O_RDWR);
	int e;

	/* The report pipe is moved above the socket's number and closes with the exec. */
	report = fcntl(report, F_DUPFD_CLOEXEC, SOCKET_FD + 1);
	if (null < 0 || report < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0)
		goto fail;
	sock = fcntl(sock, F_DUPFD, SOCKET_FD + 1);
	if (sock < 0 || dup2(sock, SOCKET_FD) < 0)
		goto fail;
	for (int fd = SOCKET_FD + 1; fd < 64; fd++)
		if (fd != report)
			close(fd);
	syscall(SYS_close_range, 64, ~0u, 0);
	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	if (flags & PROCESS_FIXED_ADDRESSES)
		personality(ADDR_NO_RANDOMIZE);
	if (flags & PROCESS_DIES_WITH_US)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	execv(path, argv);
fail:
	e = errno;
	if (write(report, &e, sizeof(e)) < 0)
		_exit(126);
	_exit(127);
}

static int fork_child(const char *path, char *const argv[], int sock, unsigned flags, pid_t *ret,
		      struct error *err)
{
	pid_t parent = getpid();
	int report[2], e = 0;
	ssize_t n;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC))
		return error_errno(err, "pipe");
	/* With vfork() no page is shared copy-on-write, and nothing is copied for a child that
	 * execs. */
	pid = vfork();
	if (!pid)
		become(path, argv, sock, report[1], parent, flags);
	close(report[1]);
	do
		n = pid > 0 ? read(report[0], &e, sizeof(e)) : 0;
	while (n < 0 && errno == EINTR);
	close(report[0]);
	if (pid < 0)
		return error_errno(err, "vfork");
	if (n > 0) {
		waitpid(pid, NULL, 0);
		errno = e;
		return error_errno(err, "cannot start %s", path);
	}
	*ret = pid;
	return 0;
}

int process_spawn(struct process *p, const char *dir, const char *name, const char *argument,
		  unsigned flags, struct error *err)
{
	char path[4096];
	char *argv[] = { (char *)name, (char *)argument, NULL };
	int socks[2];

	*p = (struct process)PROCESS_INIT;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (ipc_pair(socks, err))
		return -1;
	if (ipc_set_send_deadline(socks[0], PROCESS_SEND_MS, err) ||
	    ipc_name_senders(socks[0], err) ||
	    fork_child(path, argv, socks[1], flags, &p->pid, err)) {
		close(socks[0]);
		close(socks[1]);
		return -1;
	}
	close(socks[1]);
	p->sock = socks[0];
	p->pidfd = pidfd_of(p->pid, err);
	if (p->pidfd < 0) {
		kill(p->pid, SIGKILL);
		waitpid(p->pid, NULL, 0);
		close(p->sock);
		*p = (struct process)PROCESS_INIT;
		return -1;
	}
	return 0;
}

int process_reap(struct process *p, siginfo_t *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (p->pidfd < 0)
		return -1;
	if (waitid((idtype_t)P_PIDFD, (id_t)p->pidfd, ret, WEXITED | WNOHANG | __WALL) == 0 &&
	    !ret->si_pid)
		return -1;
	close(p->pidfd);
	p->pidfd = -1;
	p->pid = 0;
	return 0;
}

bool process_wait(int pidfd, int ms)
{
	struct pollfd poll_fd = { .fd = pidfd, .events = POLLIN };
	int n;

	do
		n = poll(&poll_fd, 1, ms);
	while (n < 0 && errno == EINTR);
	return n > 0;
}

void process_end(struct process *p, int ms)
{
	siginfo_t info;

	if (p->pidfd >= 0) {
		pidfd_signal(p->pidfd, SIGKILL);
		process_wait(p->pidfd, ms);
		if (process_reap(p, &info))
			close(p->pidfd);
	}
	if (p->sock >= 0)
		close(p->sock);
	*p = (struct process)PROCESS_INIT;
}

const char *process_death(const siginfo_t *info, char *buf, size_t size)
{
	if (info->si_code == CLD_EXITED)
		snprintf(buf, size, "exited with status %d", info->si_status);
	else if (info->si_status > 0 && info->si_status < SIGRTMIN)
		snprintf(buf, size, "was killed by SIG%s", sigabbrev_np(info->si_status));
	else
		snprintf(buf, size, "was killed by signal %d", info->si_status);
	return buf;
}
