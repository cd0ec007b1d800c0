/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack is mapped without a reserve, so that it does not count where Linux counts what is
 * promised. Where so much address space is not to be had, as under `ulimit -v`, half of it is
 * tried, down to the size of an ordinary stack.
 */
#define _GNU_SOURCE
#include "common/base/deep-thread.h"

#include <stdint.h>
#include <sys/mman.h>

#include "common/base/error.h"

#define STACK_MIN ((size_t)8 << 20)
#define GUARD ((size_t)1 << 20)
/* So much stays below the caller of deep_thread_tidy(), for the next calls. */
#define KEPT ((size_t)1 << 20)

static int map_stack(struct deep_thread *t, struct error *err)
{
	for (t->size = DEEP_THREAD_STACK_MAX; t->size >= STACK_MIN; t->size /= 2) {
		t->stack = mmap(NULL, t->size + GUARD, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
		if (t->stack != MAP_FAILED)
			break;
		t->stack = NULL;
	}
	if (!t->stack)
		return error_errno(err, "cannot map a stack");
	if (!mprotect(t->stack, GUARD, PROT_NONE))
		return 0;
	error_errno(err, "cannot protect the end of a stack");
	munmap(t->stack, t->size + GUARD);
	return -1;
}

int deep_thread_begin(struct deep_thread *t, void *(*run)(void *data), void *data,
		      struct error *err)
{
	pthread_attr_t attributes;
	int failed;

	if (map_stack(t, err))
		return -1;
	failed = pthread_attr_init(&attributes);
	if (!failed) {
		failed = pthread_attr_setstack(&attributes, t->stack + GUARD, t->size) ||
			 pthread_create(&t->id, &attributes, run, data);
		pthread_attr_destroy(&attributes);
	}
	if (!failed)
		return 0;
	munmap(t->stack, t->size + GUARD);
	return error_set(err, ERROR_SYSTEM, "cannot start a thread");
}

void deep_thread_join(struct deep_thread *t)
{
	pthread_join(t->id, NULL);
	munmap(t->stack, t->size + GUARD);
}

void deep_thread_tidy(const struct deep_thread *t)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0),
		  bottom = (uintptr_t)t->stack + GUARD;

	here = (here - KEPT) & ~(uintptr_t)0xffff;
	if (here > bottom)
		madvise((void *)bottom, here - bottom, MADV_DONTNEED);
}
