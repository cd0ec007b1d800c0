/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stops a cell and keeps its state. The kernel sets control->interrupt and sends SIGUSR1. Where the
 * cell's thread is in unit code, it is unwound there. Where it is in libc or the driver, which may
 * hold locks, its return to unit code is redirected: it stops as soon as the call ends (blocking
 * calls return at once with EINTR).
 */
#ifndef CGPU_RUNTIME_FAULTS_INTERRUPT_H
#define CGPU_RUNTIME_FAULTS_INTERRUPT_H

#include <stdbool.h>

struct error;

/* Once, in the worker, in the thread that runs cells. */
int interrupt_init(struct error *err);
/* Call fn(data) on the cell stack as the cell; false if it was interrupted. */
bool interrupt_run(void (*fn)(void *data), void *data);
bool interrupt_pending(void);

#endif
