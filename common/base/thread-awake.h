/* SPDX-License-Identifier: Apache-2.0 */
/* Tells whether a thread of this process can go on without help by another one. */
#ifndef CGPU_COMMON_BASE_THREAD_AWAKE_H
#define CGPU_COMMON_BASE_THREAD_AWAKE_H

#include <stdbool.h>
#include <sys/types.h>

/* False: the thread waits in a futex, as for a lock or for a thread's end, until another thread
 * acts. */
bool thread_awake(pid_t tid);

#endif
