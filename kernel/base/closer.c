/* SPDX-License-Identifier: Apache-2.0 */
/* The first descriptor starts the thread, which lives as long as the process. The queue is a fixed
 * array, so adding to it needs no memory. */
#include "kernel/base/closer.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "kernel/base/thread.h"

#define WAITING_MAX 4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wanted = PTHREAD_COND_INITIALIZER;
static int fds[WAITING_MAX]; /* [0, n_fds) are not closed, or being closed */
static size_t n_fds;
static bool has_thread;
static int idle_fd = -1;

/* A descriptor stays in the list until it is closed, so an empty list means that all are. */
static void *run(void *data)
{
	(void)data;
	pthread_mutex_lock(&lock);
	for (;;) {
		while (!n_fds)
			pthread_cond_wait(&wanted, &lock);
		for (size_t i = 0; i < n_fds; i++) {
			int fd = fds[i];

			pthread_mutex_unlock(&lock);
			close(fd);
			pthread_mutex_lock(&lock);
		}
		n_fds = 0;
		if (idle_fd >= 0)
			eventfd_write(idle_fd, 1);
	}
	return NULL;
}

static bool start(void)
{
	pthread_t thread;

	if (has_thread)
		return true;
	if (idle_fd < 0)
		idle_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (idle_fd < 0 || thread_start(&thread, run, NULL))
		return false;
	pthread_detach(thread);
	has_thread = true;
	return true;
}

void closer_close(int fd)
{
	bool taken;

	if (fd < 0)
		return;
	pthread_mutex_lock(&lock);
	taken = n_fds < WAITING_MAX && start();
	if (taken) {
		fds[n_fds++] = fd;
		pthread_cond_signal(&wanted);
	}
	pthread_mutex_unlock(&lock);
	if (!taken)
		close(fd);
}

bool closer_is_idle(void)
{
	bool idle;

	pthread_mutex_lock(&lock);
	idle = !n_fds;
	pthread_mutex_unlock(&lock);
	return idle;
}

int closer_idle_fd(void)
{
	int fd;

	pthread_mutex_lock(&lock);
	fd = idle_fd;
	pthread_mutex_unlock(&lock);
	return fd;
}

void closer_drain(void)
{
	eventfd_t n;

	eventfd_read(closer_idle_fd(), &n);
}
