/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends of processes and children. In a forked child (worker.is_child) these behave as in any
 * program.
 *
 * A cell may have PROCESS_MAX processes at a time. How many more may be forked before they are
 * counted again (in /proc) is kept in memory shared with all children, so that a fork bomb is
 * stopped wherever it goes off.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/error.h"
#include "runtime/arena/allocator.h"
#include "runtime/arena/arena.h"
#include "runtime/cuda/device.h"
#include "runtime/exports/at-exit.h"
#include "runtime/exports/cell-stdio.h"
#include "runtime/exports/exports.h"
#include "runtime/faults/host-fault.h"
#include "runtime/faults/interrupt.h"
#include "runtime/process/cell-mode.h"
#include "runtime/process/threads.h"
#include "runtime/process/worker.h"

#define PROCESS_MAX 256
#define FIRST_BUDGET 64

struct shared {
	_Atomic int32_t budget; /* forks until the next count */
	_Atomic uint32_t counting;
	_Atomic uint32_t refused;
	_Atomic uint32_t ending;   /* children must not fork any more */
	_Atomic uint32_t children; /* a child was made since the last end */
};

static struct shared *shared;

int exports_process_init(struct error *err)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		return error_errno(err, "cannot map the process counter");
	atomic_store(&shared->budget, FIRST_BUDGET);
	return 0;
}

int exports_cxa_atexit(void (*fn)(void *arg), void *arg, void *dso)
{
	return at_exit_add_destructor(fn, arg, dso);
}

int exports_atexit(void (*fn)(void))
{
	return at_exit_add_handler(fn);
}

static _Noreturn void end_cell(int status)
{
	if (exports_program_runs_here())
		exports_program_end(status);
	host_fault_exit(status);
}

void exports_exit(int status)
{
	if (exports_program_runs_here())
		at_exit_run(exports_program_handlers());
	else
		at_exit_run_cell(worker.cell);
	fflush(NULL);
	end_cell(status);
}

void exports_quick_exit(int status)
{
	end_cell(status);
}

void exports_exit_now(int status)
{
	end_cell(status);
}

void exports_assert_fail(const char *what, const char *file, unsigned line, const char *function)
{
	/* Of a cell the report names the place anyway. */
	if (!strncmp(file, "In[", 3))
		host_fault_raise(FAULT_ABORTED, "assertion `%s' failed", what);
	host_fault_raise(FAULT_ABORTED, "assertion `%s' failed in %s, line %u of %s", what,
			 function, line, file);
}

void exports_stack_smashed(void)
{
	host_fault_raise(
		FAULT_ABORTED,
		"stack smashing detected: a function has written beyond one of its local arrays");
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
	left = PROCESS_MAX - (int32_t)count_processes();
	if (left <= 0)
		atomic_store(&shared->refused, 1);
	else
		atomic_store(&shared->budget, left);
	atomic_store(&shared->counting, 0);
}

bool exports_too_many_processes(void)
{
	return shared && atomic_load(&shared->refused);
}

/* The cell is over: the worker ends it, and with it all its children. */
static _Noreturn void refuse(void)
{
	if (!worker.is_child)
		host_fault_raise(FAULT_PROCESS_LIMIT,
				 "the cell has more than %d processes at a time", PROCESS_MAX);
	kill(worker.pid, SIGUSR1);
	for (;;)
		pause();
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

void exports_note_child(void)
{
	atomic_store(&shared->children, 1);
}

void exports_end_children(void)
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

static void wait_for_budget(void)
{
	if (worker.is_child && atomic_load(&shared->ending))
		worker_exit(1);
	exports_note_child();
	while (atomic_fetch_sub(&shared->budget, 1) <= 0) {
		if (exports_too_many_processes())
			refuse();
		count_again();
	}
}

/* The child keeps a copy of everything, and nothing that it does may reach the session. */
static void become_child(void)
{
	mmap(worker.control, sizeof(*worker.control), PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_FIXED, WORKER_CONTROL_FD, 0);
	arena_leave();
	cell_stdio_leave();
	host_fault_leave();
	close(WORKER_CHANNEL_FD);
	close(WORKER_CONTROL_FD);
	close(WORKER_ARENA_FD);
}

pid_t exports_fork(void)
{
	bool first = !worker.is_child;
	int error;
	pid_t pid;

	cell_mode_enter_library();
	wait_for_budget();
	if (first && arena_lends())
		device_pages_change();
	threads_hold();
	allocator_fork_begin();
	/* Parent and child go separate ways from here on. */
	if (first)
		arena_unlend_all(true);
	pid = fork();
	error = errno;
	if (pid == 0 && first)
		become_child();
	allocator_fork_end();
	if (pid == 0)
		threads_leave();
	else
		threads_release();
	cell_mode_leave_library();
	errno = error;
	return pid;
}

/* As libc's, but an interrupt ends the command, so that the cell can go on to its own end. */
int exports_system(const char *command)
{
	char *const argv[] = { "sh", "-c", (char *)command, NULL };
	int status = 0;
	pid_t pid;

	if (!command)
		return 1;
	cell_mode_enter_library();
	exports_note_child();
	fflush(stdout);
	if (posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ))
		status = -1;
	while (status != -1 && waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			status = -1;
		else if (!worker.is_child && interrupt_pending())
			kill(pid, SIGKILL);
	}
	cell_mode_leave_library();
	return status;
}
