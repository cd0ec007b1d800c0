/* SPDX-License-Identifier: Apache-2.0 */
/* The seccomp program on real processes: each call is tried in a child that has installed it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/protocol/worker-protocol.h"
#include "kernel/sandbox/seccomp.h"

static struct buffer programs[2]; /* without, with Landlock's scope */

/* As a worker does it. */
static int install(const struct buffer *b)
{
	struct sock_fprog prog = { (unsigned short)(b->len / sizeof(struct sock_filter)), NULL };

	prog.filter = malloc(b->len);
	for (unsigned i = 0; i < prog.len; i++) {
		prog.filter[i] = ((const struct sock_filter *)b->data)[i];
		if (prog.filter[i].code != (BPF_JMP | BPF_JEQ | BPF_K))
			continue;
		if (prog.filter[i].k == SECCOMP_OWN_PID)
			prog.filter[i].k = (uint32_t)getpid();
		else if (prog.filter[i].k == SECCOMP_OWN_GROUP)
			prog.filter[i].k = (uint32_t)-getpid();
		else if (prog.filter[i].k == SECCOMP_KERNEL_PID)
			prog.filter[i].k = (uint32_t)getppid();
	}
	setpgid(0, 0);
	if (dup2(socket(AF_UNIX, SOCK_STREAM, 0), 0) < 0)
		return -1;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog);
}

typedef long attempt_fn(pid_t other);

/* The errno of the attempt in a child with the filter, 0 if it worked, -1 if the child could not
 * even try. */
static int outcome(attempt_fn *fn, const struct buffer *program)
{
	pid_t other = getpid(), pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		if (install(program))
			_exit(255);
		errno = 0;
		_exit(fn(other) < 0 ? errno : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status) == 255)
		return -1;
	return WEXITSTATUS(status);
}

static long try_ptrace(pid_t other)
{
	return ptrace(PTRACE_ATTACH, other, NULL, NULL);
}
static long try_kill_other(pid_t other)
{
	return kill(other, 0);
}
static long try_kill_all(pid_t other)
{
	(void)other;
	return kill(-1, 0);
}
static long try_kill_self(pid_t other)
{
	(void)other;
	return kill(getpid(), 0);
}
static long try_kill_group(pid_t other)
{
	(void)other;
	return kill(-getpid(), 0);
}
static long try_kill_zero(pid_t other)
{
	(void)other;
	return kill(0, 0);
}
static long try_raise(pid_t other)
{
	(void)other;
	signal(SIGUSR1, SIG_IGN);
	return raise(SIGUSR1);
}
static long try_tgkill(pid_t other)
{
	return syscall(SYS_tgkill, other, other, 0);
}
static long try_tkill(pid_t other)
{
	return syscall(SYS_tkill, other, 0);
}
static long try_sigqueue(pid_t other)
{
	return sigqueue(other, 0, (union sigval){ 0 });
}
static long try_getfd(pid_t other)
{
	return syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, other, 0), 0, 0);
}
static long try_mount(pid_t other)
{
	(void)other;
	return mount("none", "/mnt", "tmpfs", 0, NULL);
}
static long try_unshare_user(pid_t other)
{
	(void)other;
	return unshare(CLONE_NEWUSER);
}
static long try_unshare_mount(pid_t other)
{
	(void)other;
	return unshare(CLONE_NEWNS | CLONE_FS);
}
static long try_unshare_files(pid_t other)
{
	(void)other;
	return unshare(CLONE_FILES);
}
static long try_bpf(pid_t other)
{
	(void)other;
	return syscall(SYS_bpf, 0, NULL, 0);
}
static long try_clone3(pid_t other)
{
	(void)other;
	return syscall(SYS_clone3, NULL, 0);
}
static long try_tiocsti(pid_t other)
{
	(void)other;
	return ioctl(0, TIOCSTI, "x");
}
static long try_tiocgwinsz(pid_t other)
{
	struct winsize w;
	(void)other;
	ioctl(0, TIOCGWINSZ, &w);
	return 0;
}

static long try_pidfd_signal(pid_t other)
{
	return syscall(SYS_pidfd_send_signal, syscall(SYS_pidfd_open, other, 0), 0, NULL, 0);
}

static long try_read_memory(pid_t other)
{
	char c;
	struct iovec local = { &c, 1 }, remote = { &programs, 1 };

	return process_vm_readv(other, &local, 1, &remote, 1, 0);
}

static long try_limit_other(pid_t other)
{
	struct rlimit r;

	return prlimit(other, RLIMIT_NOFILE, NULL, &r);
}

static long try_limit_self(pid_t other)
{
	struct rlimit r;

	(void)other;
	return getrlimit(RLIMIT_NOFILE, &r);
}

static long try_own_other(pid_t other)
{
	return fcntl(0, F_SETOWN, other);
}
static long try_own_group_of_other(pid_t other)
{
	return fcntl(0, F_SETOWN, -other);
}
static long try_own_self(pid_t other)
{
	(void)other;
	return fcntl(0, F_SETOWN, getpid()) | fcntl(0, F_SETOWN, 0) | fcntl(0, F_SETOWN, -getpid());
}
static long try_own_in_memory(pid_t other)
{
	struct f_owner_ex owner = { F_OWNER_PID, other };

	return fcntl(0, F_SETOWN_EX, &owner);
}
static long try_own_by_ioctl(pid_t other)
{
	return ioctl(0, FIOSETOWN, &other);
}
static long try_own_by_socket(pid_t other)
{
	return ioctl(0, SIOCSPGRP, &other);
}
static long try_other_command(pid_t other)
{
	(void)other;
	return fcntl(0, F_GETFD) | fcntl(0, F_SETFD, FD_CLOEXEC);
}
static long try_priority_of_parent(pid_t other)
{
	return setpriority(PRIO_PROCESS, (id_t)other, 19);
}
static long try_priority_of_user(pid_t other)
{
	(void)other;
	return setpriority(PRIO_USER, 0, 19);
}
static long try_priority_of_self(pid_t other)
{
	(void)other;
	return setpriority(PRIO_PROCESS, 0, 1) | setpriority(PRIO_PROCESS, (id_t)getpid(), 2);
}
static long try_processor_of_parent(pid_t other)
{
	cpu_set_t one = { { 1 } };

	return sched_setaffinity(other, sizeof(one), &one);
}
static long try_processor_of_self(pid_t other)
{
	cpu_set_t one = { { 1 } };

	(void)other;
	return sched_setaffinity(0, sizeof(one), &one);
}
static long try_class_of_parent(pid_t other)
{
	struct sched_param none = { 0 };

	return sched_setscheduler(other, SCHED_BATCH, &none);
}

static void *thread(void *arg)
{
	return arg;
}

static long try_thread(pid_t other)
{
	pthread_t t;

	(void)other;
	errno = pthread_create(&t, NULL, thread, NULL);
	return errno ? -1 : pthread_join(t, NULL);
}

static long try_fork(pid_t other)
{
	pid_t pid = fork();

	(void)other;
	if (!pid)
		_exit(0);
	return pid < 0 ? -1 : waitpid(pid, NULL, 0);
}

static const struct {
	const char *name;
	attempt_fn *fn;
	int unscoped, scoped; /* errno expected without and with Landlock's scope */
} attempts[] = {
	{ "ptrace", try_ptrace, EPERM, EPERM },
	{ "process_vm_readv", try_read_memory, EPERM, EPERM },
	{ "pidfd_getfd", try_getfd, EPERM, EPERM },
	{ "mount", try_mount, EPERM, EPERM },
	{ "unshare user", try_unshare_user, EPERM, EPERM },
	{ "unshare mount", try_unshare_mount, EPERM, EPERM },
	{ "unshare files", try_unshare_files, 0, 0 },
	{ "bpf", try_bpf, EPERM, EPERM },
	{ "clone3", try_clone3, ENOSYS, ENOSYS },
	{ "TIOCSTI", try_tiocsti, EPERM, EPERM },
	{ "other ioctl", try_tiocgwinsz, 0, 0 },
	{ "prlimit of another", try_limit_other, EPERM, EPERM },
	{ "prlimit of itself", try_limit_self, 0, 0 },
	{ "kill another", try_kill_other, EPERM, 0 },
	{ "kill all", try_kill_all, EPERM, 0 },
	{ "kill itself", try_kill_self, 0, 0 },
	{ "kill its group", try_kill_group, 0, 0 },
	{ "kill(0)", try_kill_zero, 0, 0 },
	{ "raise", try_raise, 0, 0 },
	{ "tgkill another", try_tgkill, EPERM, 0 },
	{ "tkill another", try_tkill, EPERM, 0 },
	{ "sigqueue another", try_sigqueue, EPERM, 0 },
	{ "pidfd_send_signal", try_pidfd_signal, EPERM, 0 },
	{ "F_SETOWN of another", try_own_other, EPERM, 0 },
	{ "F_SETOWN of another's group", try_own_group_of_other, EPERM, 0 },
	{ "F_SETOWN of itself", try_own_self, 0, 0 },
	{ "F_SETOWN_EX", try_own_in_memory, EPERM, 0 },
	{ "FIOSETOWN", try_own_by_ioctl, EPERM, 0 },
	{ "SIOCSPGRP", try_own_by_socket, EPERM, 0 },
	{ "other commands of fcntl", try_other_command, 0, 0 },
	{ "priority of the parent", try_priority_of_parent, EPERM, EPERM },
	{ "priority of the user", try_priority_of_user, EPERM, EPERM },
	{ "priority of itself", try_priority_of_self, 0, 0 },
	{ "processor of the parent", try_processor_of_parent, EPERM, EPERM },
	{ "processor of itself", try_processor_of_self, 0, 0 },
	{ "scheduling of the parent", try_class_of_parent, EPERM, EPERM },
	{ "thread", try_thread, 0, 0 },
	{ "fork", try_fork, 0, 0 },
};

static void check_all(const struct buffer *program, bool scoped)
{
	for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++) {
		int expected = scoped ? attempts[i].scoped : attempts[i].unscoped;
		int got = outcome(attempts[i].fn, program);

		if (got != expected)
			fail_msg("%s: errno %d, expected %d", attempts[i].name, got, expected);
	}
}

static void test_without_scope(void **state)
{
	(void)state;
	check_all(&programs[0], false);
}

static void test_with_scope(void **state)
{
	(void)state;
	check_all(&programs[1], true);
}

static int set_up(void **state)
{
	(void)state;
	for (int scoped = 0; scoped < 2; scoped++) {
		struct error err = ERROR_INIT;
		struct buffer unknown = BUFFER_INIT;

		if (seccomp_program(SECCOMP_CELLS | (scoped ? 0 : SECCOMP_NO_SCOPE),
				    &programs[scoped], &unknown, &err)) {
			print_error("%s\n", err.text);
			return -1;
		}
		buffer_release(&unknown);
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	buffer_release(&programs[0]);
	buffer_release(&programs[1]);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_scope),
		cmocka_unit_test(test_with_scope),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
