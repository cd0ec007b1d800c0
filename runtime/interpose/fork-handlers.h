/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pthread_atfork() for the zygote. It makes workers by clone(), of which libc knows nothing, so the
 * handlers that libraries have registered are called here: OpenBLAS ends its threads before a fork
 * by one, and starts them anew when they are needed.
 */
#ifndef CGPU_RUNTIME_INTERPOSE_FORK_HANDLERS_H
#define CGPU_RUNTIME_INTERPOSE_FORK_HANDLERS_H

/* Around a clone(), in this thread. */
void fork_handlers_prepare(void);
void fork_handlers_parent(void);
void fork_handlers_child(void);

#endif
