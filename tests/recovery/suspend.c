/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A machine that is suspended, for LD_PRELOAD: CLOCK_BOOTTIME is as many seconds later as the file
 * CGPU_SUSPENDED says. Each reading of it adds a byte to the file CGPU_SUSPENDED.looks.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

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

static void note_look(const char *path)
{
	char looks[4096];
	int fd;

	snprintf(looks, sizeof(looks), "%s.looks", path);
	fd = open(looks, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, ".", 1) != 1)
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
	if (clock != CLOCK_BOOTTIME || !path)
		return result;
	note_look(path);
	ret->tv_sec += seconds(path);
	return result;
}
