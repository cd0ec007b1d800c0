/* SPDX-License-Identifier: Apache-2.0 */
/* When the kernel process dies, its end of the pipe is closed, and nvidia-smi ends at its next
 * line. */
#define _GNU_SOURCE
#include "kernel/show/gpu-meter.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/error.h"
#include "kernel/base/loop.h"
#include "kernel/base/process.h"

#define OLD_MS 3000

extern char **environ;

/* Writes the id as NVML has it: "GPU-b1a2...". */
static void put_uuid(const uint8_t uuid[GPU_METER_UUID_SIZE], char ret[48])
{
	char *at = ret + sprintf(ret, "--id=GPU");

	for (int i = 0; i < GPU_METER_UUID_SIZE; i++)
		at += sprintf(at, "%s%02x", !i || i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			      uuid[i]);
}

/* Parses a figure; -1 for "[N/A]" and the like. */
static int figure(const char *text)
{
	char *end;
	long v = strtol(text, &end, 10);

	return end == text || v < 0 || v > 1000 ? -1 : (int)v;
}

static void take_line(struct gpu_meter *m, const char *line)
{
	const char *comma = strchr(line, ',');

	if (!comma)
		return;
	m->busy_percent = figure(line);
	m->celsius = figure(comma + 1);
	m->at_ms = loop_now_ms();
}

static void stop_reading(struct gpu_meter *m)
{
	if (m->source)
		loop_remove(m->loop, m->source);
	m->source = NULL;
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
}

static void on_readable(void *data)
{
	struct gpu_meter *m = data;
	ssize_t n = read(m->fd, m->line + m->len, sizeof(m->line) - 1 - m->len);
	char *end;

	if (n <= 0) {
		if (!n || (errno != EAGAIN && errno != EINTR))
			stop_reading(m);
		return;
	}
	m->len += (size_t)n;
	m->line[m->len] = '\0';
	while ((end = strchr(m->line, '\n'))) {
		*end = '\0';
		take_line(m, m->line);
		m->len -= (size_t)(end + 1 - m->line);
		memmove(m->line, end + 1, m->len + 1);
	}
	if (m->len == sizeof(m->line) - 1)
		m->len = 0;
}

static int spawn(const char *program, const char *id, int out, pid_t *ret)
{
	char *const argv[] = { (char *)program,
			       "--query-gpu=utilization.gpu,temperature.gpu",
			       "--format=csv,noheader,nounits",
			       "--loop-ms=500",
			       (char *)id,
			       NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t none, plain;
	int failed;

	sigemptyset(&none);
	sigemptyset(&plain);
	sigaddset(&plain, SIGPIPE);
	sigaddset(&plain, SIGINT);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, out, 1);
	posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&how);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
					       POSIX_SPAWN_SETPGROUP);
	posix_spawnattr_setsigmask(&how, &none);
	posix_spawnattr_setsigdefault(&how, &plain);
	failed = posix_spawnp(ret, program, &files, &how, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&how);
	return failed;
}

int gpu_meter_start(struct gpu_meter *m, struct loop *loop, const char *program,
		    const uint8_t uuid[GPU_METER_UUID_SIZE], struct error *err)
{
	int ends[2], failed;
	char id[48];
	pid_t pid;

	*m = (struct gpu_meter)GPU_METER_INIT;
	m->loop = loop;
	put_uuid(uuid, id);
	if (pipe2(ends, O_CLOEXEC))
		return error_errno(err, "pipe");
	failed = spawn(program, id, ends[1], &pid);
	close(ends[1]);
	if (!failed)
		m->pidfd = pidfd_of(pid, err);
	if (failed || m->pidfd < 0) {
		close(ends[0]);
		return failed ? error_set(err, ERROR_NOT_FOUND, "%s cannot be started: %s", program,
					  strerror(failed))
			      : -1;
	}
	m->fd = ends[0];
	fcntl(m->fd, F_SETFL, O_NONBLOCK);
	m->source = loop_add_fd(loop, m->fd, on_readable, m);
	return 0;
}

void gpu_meter_stop(struct gpu_meter *m)
{
	stop_reading(m);
	if (m->pidfd >= 0) {
		pidfd_signal(m->pidfd, SIGKILL);
		close(m->pidfd);
	}
	m->pidfd = -1;
	m->at_ms = 0;
}

bool gpu_meter_is_known(const struct gpu_meter *m)
{
	return m->at_ms && loop_now_ms() - m->at_ms < OLD_MS;
}

bool gpu_meter_runs(const struct gpu_meter *m)
{
	return m->fd >= 0;
}
