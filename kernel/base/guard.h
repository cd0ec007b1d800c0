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
 * is one thread. -1: there is no second process. folder: it is removed in the end, if it is there,
 * with the files in it; "" for none. It must live on.
 */
int guard_enter(const char *folder, struct error *err);

#endif
