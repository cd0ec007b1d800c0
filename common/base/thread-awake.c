/* SPDX-License-Identifier: Apache-2.0 */
/* /proc has the system call of a thread: its number is the first word, "running" for none. */
#include "common/base/thread-awake.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

bool thread_awake(pid_t tid)
{
	char path[64], text[16] = "";
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return true;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	return n <= 0 || text[0] == 'r' || strtol(text, NULL, 10) != SYS_futex;
}
