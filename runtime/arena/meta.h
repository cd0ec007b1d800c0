/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Session memory of our own in the META region: tables of allocator and loader, state of the CUDA
 * side. It rolls back with the session and lies gigabytes away from the user's blocks, so an
 * overrun of a cell does not reach it. Thread-safe.
 */
#ifndef CGPU_RUNTIME_ARENA_META_H
#define CGPU_RUNTIME_ARENA_META_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed, aligned to 16; NULL when META is full. */
void *meta_alloc(size_t size);
void meta_free(void *p); /* NULL allowed */
char *meta_strdup(const char *text);

/* Held by each of our critical sections on session tables, so that the worker is not stopped in the
 * middle (see worker_control.allocator_busy); nests. */
void meta_enter(void);
void meta_leave(void);
/* Called around each outermost or inner critical section: what keeps a thread from being stopped in
 * it. */
void meta_set_gate(void (*enter)(void), void (*leave)(void));
/* Is any thread in one? */
bool meta_is_busy(void);
/* The counter of threads that are in a critical section; NULL: one of our own, which nobody else
 * reads. */
void meta_set_busy(_Atomic unsigned *counter);

#endif
