/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a thread of this process may go on by itself. */
#ifndef CGPU_COMMON_BASE_THREAD_AWAKE_H
#define CGPU_COMMON_BASE_THREAD_AWAKE_H

#include <stdbool.h>
#include <sys/types.h>

/* False: it waits in a futex, as for a lock or for a thread's end, which another thread has to end.
 */
bool thread_awake(pid_t tid);

#endif
