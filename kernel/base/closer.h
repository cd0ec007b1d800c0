/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptors whose close() may take long: that of device memory waits for the lock that the driver
 * holds for whatever other processes do, and a large memfd gives its pages back one by one. One
 * thread of the process closes them, in the order in which they come.
 */
#ifndef CGPU_KERNEL_BASE_CLOSER_H
#define CGPU_KERNEL_BASE_CLOSER_H

#include <stdbool.h>

/* Takes fd; -1 is accepted. Without a thread, or when too many wait, it is closed before this
 * returns. */
void closer_close(int fd);
/* All are closed. */
bool closer_is_idle(void);
/* Readable when it has become idle since closer_drain(); -1 until something was to be closed, or
 * when there is no such thing. */
int closer_idle_fd(void);
void closer_drain(void);

#endif
