/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends of processes and children. In a forked child (worker.is_child) these behave as in any
 * program.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/arena/allocator.h"
#include "runtime/arena/arena.h"
#include "runtime/cuda/device.h"
#include "runtime/debugger/cell-stop.h"
#include "runtime/exports/at-exit.h"
#include "runtime/exports/cell-stdio.h"
#include "runtime/exports/exports.h"
#include "runtime/faults/host-fault.h"
#include "runtime/faults/interrupt.h"
#include "runtime/process/cell-mode.h"
#include "runtime/process/children.h"
#include "runtime/process/threads.h"
#include "runtime/process/worker.h"

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
	/* The report of a fault names the place anyway, if it is a cell's. */
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

/* The cell is over: the worker ends it, and with it all its children. */
static _Noreturn void refuse(void)
{
	if (!worker.is_child)
		host_fault_raise(FAULT_PROCESS_LIMIT,
				 "the cell has more than %d processes at a time", CHILDREN_MAX);
	kill(worker.pid, SIGUSR1);
	for (;;)
		pause();
}

/* The child keeps a copy of everything, and nothing that it does may reach the session. */
static void become_child(void)
{
	mmap(worker.control, sizeof(*worker.control), PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_FIXED, WORKER_CONTROL_FD, 0);
	arena_leave();
	cell_stop_leave();
	cell_stdio_leave();
	host_fault_leave();
	close(WORKER_CHANNEL_FD);
	close(WORKER_CONTROL_FD);
	close(WORKER_ARENA_FD);
	close(WORKER_LIVE_FD);
}

pid_t exports_fork(void)
{
	bool first = !worker.is_child;
	int error;
	pid_t pid;

	cell_mode_enter_library();
	if (!children_admit())
		refuse();
	if (first && arena_has_in_place())
		device_pages_change();
	threads_hold();
	allocator_fork_begin();
	/* Parent and child go separate ways from here on. */
	if (first)
		arena_will_fork();
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
	children_note();
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
