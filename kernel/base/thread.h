/* SPDX-License-Identifier: Apache-2.0 */
/* Threads beside the event loop. They block all signals, which belong to the loop's thread. */
#ifndef CGPU_KERNEL_BASE_THREAD_H
#define CGPU_KERNEL_BASE_THREAD_H

#include <pthread.h>

/* Calls pthread_create() with all signals blocked; returns its error number. */
int thread_start(pthread_t *ret, void *(*fn)(void *data), void *data);

#endif
