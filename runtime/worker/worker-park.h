/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device memory of a session that is parked: out of the device into the kernel's file, and back
 * when the session is attached. An error returned is the end of the worker, or of the attach.
 */
#ifndef CGPU_RUNTIME_WORKER_WORKER_PARK_H
#define CGPU_RUNTIME_WORKER_WORKER_PARK_H

struct error;
struct ipc_message;

/* WORKER_PARK_FILE, WORKER_PARK. */
int worker_park_file(struct ipc_message *m, struct error *err);
int worker_park(struct ipc_message *m, struct error *err);
/* WORKER_CHUNK_PARKED. ERROR_LIMIT: the device is full. */
int worker_park_return(const struct ipc_message *m, struct error *err);

#endif
