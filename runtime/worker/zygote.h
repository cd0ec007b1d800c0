/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process that workers are forked from: it holds the session's addresses free, has loaded the
 * libraries that cells use, and makes a worker in a millisecond. One thread, no CUDA, no secrets.
 */
#ifndef CGPU_RUNTIME_WORKER_ZYGOTE_H
#define CGPU_RUNTIME_WORKER_ZYGOTE_H

/* Serve ZYGOTE_SOCKET_FD until the kernel closes it. Exit status. */
int zygote_run(void);

#endif
