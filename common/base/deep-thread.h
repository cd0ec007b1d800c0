/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread whose stack is large enough for recursion over the text of a cell, whatever its depth.
 * The stack is address space, and memory only as far as it was used.
 */
#ifndef CGPU_COMMON_BASE_DEEP_THREAD_H
#define CGPU_COMMON_BASE_DEEP_THREAD_H

#include <pthread.h>
#include <stddef.h>

struct error;

/* The largest stack, in bytes; a smaller one is taken where there is no room for it. */
#define DEEP_THREAD_STACK_MAX ((size_t)4 << 30)

struct deep_thread {
	pthread_t id;
	char *stack; /* with the guard below it */
	size_t size;
};

/* Starts run(data). */
int deep_thread_begin(struct deep_thread *t, void *(*run)(void *data), void *data,
		      struct error *err);
/* Waits for its end, and releases the stack. */
void deep_thread_join(struct deep_thread *t);
/* On the thread itself: gives back the memory of the stack that is not in use. */
void deep_thread_tidy(const struct deep_thread *t);

#endif
