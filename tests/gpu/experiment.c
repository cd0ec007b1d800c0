/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/gpu/experiment.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/gpu/gpu.h"

void put_json(const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		if ((unsigned char)*text < ' ')
			printf("\\u%04x", (unsigned char)*text);
		else
			putchar(*text);
	}
}

void row(const char *verdict, const char *name, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	printf("{\"verdict\":\"%s\",\"name\":\"", verdict);
	put_json(name);
	fputs("\",\"text\":\"", stdout);
	put_json(text);
	puts("\"}");
	fflush(stdout);
}

const char *ok(int condition)
{
	return condition ? "ok" : "NO";
}

int patient_ms(int ms)
{
	const char *text = getenv("CHECK_GPU_PATIENCE");
	int times = text ? atoi(text) : 1;

	return ms * (times > 0 ? times : 1);
}

struct child child_start(void (*run)(void *), void *arg)
{
	struct child c;

	fflush(stdout);
	memset(gpu_report, 0, sizeof(*gpu_report));
	c.pid = fork();
	if (c.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run(arg);
		_exit(0);
	}
	c.pidfd = c.pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, c.pid, 0);
	if (c.pidfd < 0) {
		perror("check-gpu: cannot start a child");
		exit(1);
	}
	return c;
}

int child_wait(struct child *c, int deadline_ms, double *ret_ms)
{
	struct pollfd p = { .fd = c->pidfd, .events = POLLIN };
	double began = gpu_now();
	int late = poll(&p, 1, deadline_ms) == 0, stuck = 0;

	if (late) {
		kill(c->pid, SIGKILL);
		stuck = poll(&p, 1, CHILD_MS) == 0;
	}
	if (!stuck)
		waitpid(c->pid, NULL, 0);
	close(c->pidfd);
	if (ret_ms)
		*ret_ms = gpu_now() - began;
	return stuck ? -2 : late ? -1 : 0;
}

/* Of a driver that does not start; such a line may be all that there is. */
static const char *meaning(CUresult code)
{
	switch (code) {
	case CUDA_ERROR_NO_DEVICE:
		return ": the driver finds no GPU";
	case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
		return ": the driver's library and its kernel module are of different versions";
	case CUDA_ERROR_SYSTEM_NOT_READY:
		return ": the driver is not ready, it waits for its services, such as the fabric "
		       "manager";
	default:
		return "";
	}
}

void row_failed(const char *name, const char *who)
{
	if (gpu_report->failed[0])
		row("NO", name, "%serror %d in %s%s", who, gpu_report->code, gpu_report->failed,
		    meaning((CUresult)gpu_report->code));
	else
		row("NO", name, "%sno call failed, and it did not do all it should", who);
}

int child_run(const char *name, void (*run)(void *), void *arg)
{
	struct child c = child_start(run, arg);
	int end = child_wait(&c, CHILD_MS, NULL);

	if (end)
		row("NO", name, end == -1 ? "did not end in %d s" : "cannot be killed after %d s",
		    CHILD_MS / 1000);
	else if (gpu_report->failed[0])
		row_failed(name, "");
	return !end && !gpu_report->failed[0];
}

#define BATCH 250 /* Linux takes 253 in a message */

int send_fds(int socket, const int *fds, int n)
{
	for (int at = 0; at < n; at += BATCH) {
		int part_n = n - at < BATCH ? n - at : BATCH;
		char control[CMSG_SPACE(BATCH * sizeof(int))] = { 0 }, byte = 0;
		struct iovec part = { &byte, 1 };
		struct msghdr m = {
			.msg_iov = &part,
			.msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = CMSG_SPACE((size_t)part_n * sizeof(int)),
		};
		struct cmsghdr *c = CMSG_FIRSTHDR(&m);

		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN((size_t)part_n * sizeof(int));
		memcpy(CMSG_DATA(c), fds + at, (size_t)part_n * sizeof(int));
		if (sendmsg(socket, &m, MSG_NOSIGNAL) < 0)
			return -1;
	}
	return 0;
}

int receive_fds(int socket, int *fds, int n)
{
	for (int at = 0; at < n;) {
		char control[CMSG_SPACE(BATCH * sizeof(int))], byte;
		struct iovec part = { &byte, 1 };
		struct msghdr m = {
			.msg_iov = &part,
			.msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof(control),
		};
		struct pollfd p = { .fd = socket, .events = POLLIN };
		struct cmsghdr *c;
		size_t size;

		if (poll(&p, 1, CHILD_MS) != 1 || recvmsg(socket, &m, MSG_CMSG_CLOEXEC) != 1)
			return -1;
		c = CMSG_FIRSTHDR(&m);
		size = c ? c->cmsg_len - CMSG_LEN(0) : 0;
		if (!size || size > (size_t)(n - at) * sizeof(int))
			return -1;
		memcpy(fds + at, CMSG_DATA(c), size);
		at += (int)(size / sizeof(int));
	}
	return 0;
}
