/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many more processes may be forked before they are counted again (in /proc) is kept in memory
 * shared with all children, so that a fork bomb is stopped wherever it goes off.
 */
#define _GNU_SOURCE
#include "runtime/process/children.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "runtime/process/worker.h"

#define FIRST_BUDGET 64

struct shared {
	_Atomic int32_t budget; /* forks until the next count */
	_Atomic uint32_t counting;
	_Atomic uint32_t refused;
	_Atomic uint32_t ending;   /* children must not fork any more */
	_Atomic uint32_t children; /* a child was made since the last end */
};

static struct shared *shared;

int children_init(struct error *err)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		return error_errno(err, "cannot map the process counter");
	atomic_store(&shared->budget, FIRST_BUDGET);
	return 0;
}

/* The state of a process of the cell; '\0' for any other, 'X' for one that is no more. */
static char state_in_our_group(const char *pid)
{
	cleanup_fd int fd = -1;
	char path[64], text[512], *at, state;
	ssize_t n;
	int group;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return 'X';
	text[n] = '\0';
	at = strrchr(text, ')'); /* pid (name) state parent group */
	return at && sscanf(at + 1, " %c %*d %d", &state, &group) == 2 && group == getpgrp() ? state
											     : '\0';
}

static bool is_living(char state)
{
	return state && state != 'Z' && state != 'X';
}

static unsigned count_processes(void)
{
	cleanup_dir DIR *d = opendir("/proc");
	unsigned n = 0;

	for (struct dirent *e; d && (e = readdir(d));)
		n += isdigit((unsigned char)e->d_name[0]) &&
		     is_living(state_in_our_group(e->d_name));
	return n;
}

static void count_again(void)
{
	int32_t left;

	if (atomic_exchange(&shared->counting, 1)) {
		sched_yield();
		return;
	}
	left = CHILDREN_MAX - (int32_t)count_processes();
	if (left <= 0)
		atomic_store(&shared->refused, 1);
	else
		atomic_store(&shared->budget, left);
	atomic_store(&shared->counting, 0);
}

bool children_too_many(void)
{
	return shared && atomic_load(&shared->refused);
}

/* All processes of the cell but the worker: how many lived or ended meanwhile, and a sum over those
 * that wait to be reaped. */
static unsigned kill_group(uint64_t *ret_dead)
{
	cleanup_dir DIR *d = opendir("/proc");
	unsigned n = 0;

	*ret_dead = 0;
	for (struct dirent *e; d && (e = readdir(d));) {
		pid_t pid = isdigit((unsigned char)e->d_name[0]) ? atoi(e->d_name) : 0;
		char state = pid && pid != worker.pid ? state_in_our_group(e->d_name) : '\0';

		if (state == 'Z')
			*ret_dead += (uint64_t)pid * UINT64_C(0x9e3779b97f4a7c15);
		else if (state)
			n += state == 'X' || kill(pid, SIGKILL) == 0;
	}
	return n;
}

/*
 * Processes are listed first and looked at then: one that was listed may have forked and ended
 * before it was looked at, and its child is in no list. So it is over when nobody lives and all of
 * the dead were dead already when the list was made.
 */
static void kill_all_of_group(void)
{
	uint64_t dead = 0, before;
	unsigned living;

	do {
		before = dead;
		living = kill_group(&dead);
	} while (living || dead != before);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

void children_note(void)
{
	atomic_store(&shared->children, 1);
}

void children_end(void)
{
	if (!atomic_exchange(&shared->children, 0))
		return;
	atomic_store(&shared->ending, 1);
	kill_all_of_group();
	atomic_store(&shared->refused, 0);
	atomic_store(&shared->budget, FIRST_BUDGET);
	atomic_store(&shared->counting, 0); /* who counted may be dead */
	atomic_store(&shared->ending, 0);
}

bool children_admit(void)
{
	if (worker.is_child && atomic_load(&shared->ending))
		worker_exit(1);
	children_note();
	while (atomic_fetch_sub(&shared->budget, 1) <= 0) {
		if (children_too_many())
			return false;
		count_again();
	}
	return true;
}
