/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child is forked, has the lowest priority, closes all descriptors except the standard ones,
 * and is killed when its parent dies. A pidfd, which can be polled without signals, tells its end.
 * A waiting caller checks every 20 ms whether the child has ended or the file exists, and reads the
 * child's CPU clock: less than 10 ms of processor time since the last check means that the machine
 * is too busy, and the child is killed. Only functions of this file reap the child.
 */
#define _GNU_SOURCE
#include "compiler/session/header-ahead.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/log.h"

#define LOOK_MS 20          /* interval of checking the child's progress */
#define LEAST_NS 10000000LL /* minimum of processor time in it */
#define LOW_PRIORITY 19

static struct {
	pid_t pid; /* 0: none */
	int fd;    /* readable when it has ended */
	size_t n;
	char paths[HEADERS_AHEAD_MAX][PATH_MAX];
} child;

static _Noreturn void be_child(pid_t parent, void (*make)(void *context), void *context)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "headers-ahead");
	/* Sockets of the parent are closed here, so that their peers see its end whatever the child
	 * does. */
	syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
	if (getppid() != parent || setpriority(PRIO_PROCESS, 0, LOW_PRIORITY))
		_exit(EXIT_FAILURE);
	make(context);
	_exit(EXIT_SUCCESS);
}

bool header_ahead_begin(const char *const *paths, size_t n, void (*make)(void *context),
			void *context)
{
	pid_t parent = getpid(), pid;

	if (child.pid || n > HEADERS_AHEAD_MAX)
		return false;
	for (size_t i = 0; i < n; i++)
		if (snprintf(child.paths[i], PATH_MAX, "%s", paths[i]) >= PATH_MAX)
			return false;
	pid = fork();
	if (!pid)
		be_child(parent, make, context);
	if (pid < 0)
		return false;
	child.pid = pid;
	child.n = n;
	child.fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (child.fd < 0)
		header_ahead_stop();
	return child.pid != 0;
}

static void forget(void)
{
	while (waitpid(child.pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (child.fd >= 0)
		close(child.fd);
	child.pid = 0;
}

void header_ahead_stop(void)
{
	if (!child.pid)
		return;
	kill(child.pid, SIGKILL);
	forget();
}

static bool has_ended(int ms)
{
	struct pollfd p = { .fd = child.fd, .events = POLLIN };

	return poll(&p, 1, ms) > 0;
}

void header_ahead_look(void)
{
	if (child.pid && has_ended(0))
		forget();
}

bool header_ahead_is_at_work(void)
{
	return child.pid != 0;
}

/* Returns the processor time of the child in nanoseconds. */
static long long time_of_child(void)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(child.pid, &clock) || clock_gettime(clock, &t))
		return 0;
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static bool is_here(const char *path)
{
	for (size_t i = 0; child.pid && i < child.n; i++)
		if (!strcmp(child.paths[i], path))
			return true;
	return false;
}

bool header_ahead_wait(const char *path, pid_t *ret_ended)
{
	long long before;

	*ret_ended = 0;
	if (!is_here(path))
		return false;
	before = time_of_child();
	while (!has_ended(LOOK_MS) && access(path, R_OK)) {
		long long now = time_of_child();

		if (now - before < LEAST_NS) {
			log_info("the processor has no time for who makes headers ahead");
			*ret_ended = child.pid;
			header_ahead_stop();
			return true;
		}
		before = now;
	}
	header_ahead_look();
	return true;
}
