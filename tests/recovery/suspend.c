/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A machine that is suspended, for LD_PRELOAD: CLOCK_BOOTTIME is as many seconds later as the file
 * CGPU_SUSPENDED says. The file CGPU_SUSPENDED.notes gets an 'E' before a worker tells that its
 * cell has ended, and a 'D' when it has told the digests of device memory.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/protocol/worker-protocol.h"

static long seconds(const char *path)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(fd);
	return strtol(text, NULL, 10);
}

static void note(const char *path, const char *mark)
{
	char notes[4096];
	int fd;

	snprintf(notes, sizeof(notes), "%s.notes", path);
	fd = open(notes, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, mark, 1) != 1)
		abort();
	close(fd);
}

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	static int (*real)(clockid_t, struct timespec *);
	const char *path = getenv("CGPU_SUSPENDED");
	int result;

	if (!real)
		real = dlsym(RTLD_NEXT, "clock_gettime");
	result = real(clock, ret);
	if (clock == CLOCK_BOOTTIME && path)
		ret->tv_sec += seconds(path);
	return result;
}

/* A message begins with its type (common/protocol/ipc.c). */
ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	static ssize_t (*real)(int, const struct msghdr *, int);
	const char *path = getenv("CGPU_SUSPENDED");
	uint32_t type = 0;
	ssize_t sent;

	if (!real)
		real = dlsym(RTLD_NEXT, "sendmsg");
	if (message->msg_iovlen && message->msg_iov[0].iov_len >= sizeof(type))
		memcpy(&type, message->msg_iov[0].iov_base, sizeof(type));
	if (!path || strcmp(program_invocation_name, "cgpu-worker") != 0)
		return real(fd, message, flags);
	if (type == WORKER_CELL_END)
		note(path, "E");
	sent = real(fd, message, flags);
	if (type == WORKER_DEVICE_CHECKSUMS)
		note(path, "D");
	return sent;
}
