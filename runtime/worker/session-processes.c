/* SPDX-License-Identifier: Apache-2.0 */
/* Over /proc/PID/environ, which shows the environment that a program was started with. */
#define _GNU_SOURCE
#include "runtime/worker/session-processes.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"

#define VARIABLE "CGPU_SESSION"
#define ROUNDS 200 /* a process that is killed may have forked meanwhile */
#define ROUND_NS 5000000

void session_processes_mark(char *const argv[])
{
	struct timespec now;
	char token[64];

	if (getenv(VARIABLE))
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(token, sizeof(token), "%d.%lld.%ld", getpid(), (long long)now.tv_sec, now.tv_nsec);
	setenv(VARIABLE, token, 1);
	execv("/proc/self/exe", argv);
}

/* The environment block of a process; empty when it may not be read. */
static void read_environment(pid_t pid, struct buffer *ret)
{
	cleanup_fd int fd = -1;
	char path[64], part[4096];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && (n = read(fd, part, sizeof(part))) > 0)
		buffer_append(ret, part, (size_t)n);
}

bool session_processes_owns(pid_t pid)
{
	cleanup_buffer struct buffer block = BUFFER_INIT;
	const char *token = getenv(VARIABLE);
	char entry[128];

	if (!token)
		return false;
	read_environment(pid, &block);
	snprintf(entry, sizeof(entry), VARIABLE "=%s", token);
	for (size_t at = 0; at < block.len; at += strlen(block.data + at) + 1) {
		if (strcmp(block.data + at, entry) == 0)
			return true;
	}
	return false;
}

/* Dead ones wait for their parent to notice. */
static bool is_dead(pid_t pid)
{
	cleanup_file FILE *f = NULL;
	char path[64], state = 'Z';

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		return true;
	return state == 'Z' || state == 'X';
}

/* How many were found alive. */
static unsigned kill_round(void)
{
	cleanup_dir DIR *d = opendir("/proc");
	unsigned killed = 0;

	for (struct dirent *e; d && (e = readdir(d));) {
		pid_t pid = isdigit((unsigned char)e->d_name[0]) ? (pid_t)atoi(e->d_name) : 0;

		if (!pid || pid == getpid() || pid == getppid() || !session_processes_owns(pid) ||
		    is_dead(pid))
			continue;
		if (kill(pid, SIGKILL) == 0)
			killed++;
	}
	return killed;
}

void session_processes_kill(void)
{
	const struct timespec pause = { .tv_nsec = ROUND_NS };

	for (int i = 0; i < ROUNDS && kill_round(); i++)
		nanosleep(&pause, NULL);
}
