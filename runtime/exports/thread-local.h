/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thread-local variables of units, each reached through a control that the compiler or the loader
 * has made (runtime/loader/thread-local-control.h).
 *
 * Variables of the cell's own thread lie in session memory and keep their value from cell to cell;
 * those of other threads end with the thread.
 */
#ifndef CGPU_RUNTIME_EXPORTS_THREAD_LOCAL_H
#define CGPU_RUNTIME_EXPORTS_THREAD_LOCAL_H

#include "runtime/loader/thread-local-control.h"

/* __emutls_get_address() of units. */
void *thread_local_address(struct thread_local_control *c);
/* __tls_get_addr() of units. */
void *thread_local_index_address(const struct thread_local_index *i);
#if defined(__aarch64__)
/*
 * The entry of all descriptors leads here, with x16 and x17 pushed. It returns the distance from
 * the thread pointer to the variable in x0, pops them, and leaves all other registers as they are,
 * but for the flags and x30.
 */
void thread_local_resolve(void);
#endif
/* __cxa_thread_atexit() of units: call this when the thread ends. The cell's own thread does not
 * end. */
int thread_local_at_exit(void (*fn)(void *object), void *object, void *dso);
/* The thread that calls is none of the cell's own; and it ends: destructors run, variables go. In
 * cell mode. */
void thread_local_begin(void);
void thread_local_end(void);

#endif
