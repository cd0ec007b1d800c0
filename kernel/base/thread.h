/* SPDX-License-Identifier: Apache-2.0 */
/* Threads beside the event loop. Signals are the loop's: these take none. */
#ifndef CGPU_KERNEL_BASE_THREAD_H
#define CGPU_KERNEL_BASE_THREAD_H

#include <pthread.h>

/* pthread_create() with all signals blocked; its error number. */
int thread_start(pthread_t *ret, void *(*fn)(void *data), void *data);

#endif
