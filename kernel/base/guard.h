/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two small processes above the kernel process, which outlive it for as long as it takes to end
 * all that it has left: whatever a cell or a command has started, in whichever group or session,
 * with whichever environment.
 */
#ifndef CGPU_KERNEL_BASE_GUARD_H
#define CGPU_KERNEL_BASE_GUARD_H

struct error;

/*
 * Forks the process that goes on as the kernel process, and returns 0 there; the caller's own
 * process and the guard never return, and end as the kernel process does. It is called while there
 * is one thread. -1: there is no second process.
 */
int guard_enter(struct error *err);

#endif
