/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of cells: they run in cell mode, with a signal stack of their own, are known by their
 * stacks, and stand still for a commit (runtime/process/threads.h).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "runtime/exports/exports.h"
#include "runtime/exports/thread-local.h"
#include "runtime/faults/backtrace.h"
#include "runtime/faults/host-fault.h"
#include "runtime/loader/symbols.h"
#include "runtime/process/cell-mode.h"
#include "runtime/process/cell-stack.h"
#include "runtime/process/threads.h"
#include "runtime/process/tracked.h"
#include "runtime/process/worker.h"

typedef int creator(pthread_t *ret, const pthread_attr_t *attr, void *(*fn)(void *), void *arg);

/* Made by the thread that starts it, freed by itself. */
struct thread {
	struct threads_member member;
	void *(*fn)(void *);
	thrd_start_t c11; /* instead of fn */
	void *arg;
	uint64_t low; /* of its stack */
};

static void remember_stack(uint64_t *ret_low)
{
	size_t size = 0, guard = 0;
	pthread_attr_t attr;
	void *low = NULL;

	if (pthread_getattr_np(pthread_self(), &attr))
		return;
	pthread_attr_getstack(&attr, &low, &size);
	pthread_attr_getguardsize(&attr, &guard);
	pthread_attr_destroy(&attr);
	*ret_low = (uint64_t)(uintptr_t)low;
	cell_stack_add_thread(*ret_low - guard, *ret_low, *ret_low + size);
}

static void end_thread(void *data)
{
	struct thread *t = data;

	thread_local_end();
	cell_mode.in_cell = false;
	tracked_remove(t);
	threads_remove(&t->member);
	cell_stack_remove_thread(t->low);
	host_fault_thread_end();
	free(t);
}

/* A function that a stream calls runs in a thread of the driver, which blocks all signals; a thread
 * that it starts must not. */
static void leave_drivers_mask(void)
{
	sigset_t mask;

	if (pthread_sigmask(SIG_BLOCK, NULL, &mask) || sigismember(&mask, THREADS_SIGNAL) != 1)
		return;
	sigemptyset(&mask);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

static void *run_thread(void *data)
{
	struct thread *t = data;
	void *result = NULL;

	leave_drivers_mask();
	threads_begin(&t->member);
	thread_local_begin();
	remember_stack(&t->low);
	host_fault_thread_begin();
	pthread_cleanup_push(end_thread, t);
	cell_mode.in_cell = true;
	if (t->c11)
		result = (void *)(intptr_t)t->c11(t->arg);
	else
		result = t->fn(t->arg);
	pthread_cleanup_pop(1);
	return result;
}

/* Threads that a library keeps for itself (OpenMP, OpenBLAS) come back by themselves: their end is
 * no news. */
static void track(const struct thread *t)
{
	const void *fn = t->member.fn;
	const struct symbol *s = symbols_at((uint64_t)(uintptr_t)fn);
	Dl_info info;

	if (s)
		tracked_add(TRACKED_THREAD, t, s->name);
	else if (backtrace_in_unit((uint64_t)(uintptr_t)fn) ||
		 (dladdr(fn, &info) && info.dli_fname && strstr(info.dli_fname, "libstdc++")))
		tracked_add(TRACKED_THREAD, t, "");
}

static int create(pthread_t *ret, const pthread_attr_t *attr, struct thread start)
{
	struct thread *t;
	int r;

	cell_mode_enter_library();
	t = malloc(sizeof(*t));
	if (t) {
		*t = start;
		t->member.fn = start.c11 ? (void *)start.c11 : (void *)start.fn;
		t->member.cell = worker.cell;
		threads_add(&t->member);
		track(t);
	}
	r = t ? pthread_create(ret, attr, run_thread, t) : EAGAIN;
	if (t && r) {
		tracked_remove(t);
		threads_remove(&t->member);
		free(t);
	}
	cell_mode_leave_library();
	return r;
}

/*
 * In place of libc's for the whole process, as malloc() is: a thread that a library starts for a
 * cell (std::thread, a thread pool) runs the cell's code.
 */
__attribute__((visibility("default"))) int
pthread_create(pthread_t *ret, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	static _Atomic(creator *) libc;

	if (cell_mode_active())
		return exports_pthread_create(ret, attr, fn, arg);
	if (!libc)
		libc = (creator *)dlsym(RTLD_NEXT, "pthread_create");
	return libc(ret, attr, fn, arg);
}

/* Faults must come through: the thread may block all signals. */
static void admit_faults(sigset_t *ret_old)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigaddset(&set, faults[i]);
	pthread_sigmask(SIG_UNBLOCK, &set, ret_old);
}

void exports_thread_call(void (*fn)(void *data), void *data)
{
	uint64_t low = 0;
	sigset_t old;

	thread_local_begin();
	remember_stack(&low);
	host_fault_thread_begin();
	admit_faults(&old);
	cell_mode.in_cell = true;
	fn(data);
	thread_local_end();
	cell_mode.in_cell = false;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	host_fault_thread_end();
	cell_stack_remove_thread(low);
}

int exports_pthread_create(pthread_t *ret, const pthread_attr_t *attr, void *(*fn)(void *),
			   void *arg)
{
	return create(ret, attr, (struct thread){ .fn = fn, .arg = arg });
}

int exports_thrd_create(thrd_t *ret, thrd_start_t fn, void *arg)
{
	return create(ret, NULL, (struct thread){ .c11 = fn, .arg = arg }) ? thrd_nomem
									   : thrd_success;
}
