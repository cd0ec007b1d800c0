/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding what cells have left running. A process belongs to the session if its initial environment
 * carries the same CGPU_SESSION token as ours: that is inherited over fork and exec, whatever the
 * process does to its parent, group or session. A program started with an emptied environment is
 * missed; the kernel, a child subreaper, still gets it as its child.
 */
#ifndef CGPU_RUNTIME_WORKER_SESSION_PROCESSES_H
#define CGPU_RUNTIME_WORKER_SESSION_PROCESSES_H

#include <stdbool.h>
#include <sys/types.h>

/* Make sure that this process has a token, by executing itself again with one if need be. */
void session_processes_mark(char *const argv[]);

bool session_processes_owns(pid_t pid);
/* Kill all but this process and its parent, until none is left. */
void session_processes_kill(void);

#endif
