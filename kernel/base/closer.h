/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Closes file descriptors whose close() may take long: that of device memory waits for a lock of
 * the driver that other processes may hold, and a large memfd frees its pages one by one. One
 * thread of the process closes them in order.
 */
#ifndef CGPU_KERNEL_BASE_CLOSER_H
#define CGPU_KERNEL_BASE_CLOSER_H

#include <stdbool.h>

/* Takes fd over and closes it on the thread; -1 is accepted. Without a thread, or when too many
 * wait, it is closed before this returns. */
void closer_close(int fd);
/* Tells whether all are closed. */
bool closer_is_idle(void);
/* Returns a descriptor that is readable when the thread has become idle since closer_drain(). -1:
 * nothing was to be closed yet, or there is no such descriptor. */
int closer_idle_fd(void);
void closer_drain(void);

#endif
