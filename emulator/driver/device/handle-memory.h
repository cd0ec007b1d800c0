/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of objects that callers know by address: streams, events, modules, graphs, ... Each kind
 * has a number of its own in its first field, its magic, and what was destroyed lies there zeroed
 * until the next of the kind takes its place. So a handle that is used after it was destroyed is
 * told by its magic and is an error, whatever the heap did in between.
 */
#ifndef CGPU_EMULATOR_DRIVER_HANDLE_MEMORY_H
#define CGPU_EMULATOR_DRIVER_HANDLE_MEMORY_H

#include <pthread.h>
#include <stddef.h>

struct handle_memory {
	size_t size;
	pthread_mutex_t lock;
	struct handle_spare *spare; /* destroyed ones, the latest first */
};

#define HANDLE_MEMORY(type) { sizeof(type), PTHREAD_MUTEX_INITIALIZER, NULL }

/* Zeroed; NULL: out of memory. */
void *handle_memory_take(struct handle_memory *m);
/* NULL is nothing. */
void handle_memory_give(struct handle_memory *m, void *object);

#endif
