/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of cells: they run in cell mode, with a signal stack of their own, and are known by their stacks. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "common/error.h"
#include "runtime/cell-mode.h"
#include "runtime/cell-stack.h"
#include "runtime/exports.h"
#include "runtime/host-fault.h"
#include "runtime/thread-local.h"
#include "runtime/tracked.h"
#include "runtime/worker.h"

typedef int creator(pthread_t *ret, const pthread_attr_t *attr, void *(*fn)(void *), void *arg);

struct start {
	void *(*fn)(void *);
	thrd_start_t c11; /* instead of fn */
	void *arg;
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

struct thread_end {
	uint64_t low;
	const void *handle;
};

static void end_thread(void *data)
{
	const struct thread_end *e = data;

	thread_local_end();
	cell_mode.in_cell = false;
	tracked_remove(e->handle);
	cell_stack_remove_thread(e->low);
	host_fault_thread_end();
}

static void *run_thread(void *data)
{
	struct start s = *(struct start *)data;
	struct thread_end e = { 0, (void *)pthread_self() };
	void *result = NULL;

	free(data);
	thread_local_begin();
	remember_stack(&e.low);
	host_fault_thread_begin();
	pthread_cleanup_push(end_thread, &e);
	cell_mode.in_cell = true;
	if (s.c11)
		result = (void *)(intptr_t)s.c11(s.arg);
	else
		result = s.fn(s.arg);
	pthread_cleanup_pop(1);
	return result;
}

static int create(pthread_t *ret, const pthread_attr_t *attr, struct start start)
{
	struct start *s;
	pthread_t thread;
	int r;

	cell_mode_enter_library();
	s = malloc(sizeof(*s));
	if (s)
		*s = start;
	r = s ? pthread_create(&thread, attr, run_thread, s) : EAGAIN;
	if (r)
		free(s);
	else
		tracked_add(TRACKED_THREAD, (void *)thread, "");
	cell_mode_leave_library();
	if (!r)
		*ret = thread;
	return r;
}

/*
 * In place of libc's for the whole process, as malloc() is: a thread that a library starts for a cell (std::thread, a
 * thread pool) runs the cell's code.
 */
__attribute__((visibility("default"))) int pthread_create(pthread_t *ret, const pthread_attr_t *attr, void *(*fn)(void *),
							  void *arg)
{
	static _Atomic(creator *) libc;

	if (cell_mode_active())
		return exports_pthread_create(ret, attr, fn, arg);
	if (!libc)
		libc = (creator *)dlsym(RTLD_NEXT, "pthread_create");
	return libc(ret, attr, fn, arg);
}

int exports_pthread_create(pthread_t *ret, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	return create(ret, attr, (struct start){ fn, NULL, arg });
}

int exports_thrd_create(thrd_t *ret, thrd_start_t fn, void *arg)
{
	return create(ret, NULL, (struct start){ NULL, fn, arg }) ? thrd_nomem : thrd_success;
}
