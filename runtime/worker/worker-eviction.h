/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device memory of a session that is parked: out of the device into the kernel's file, and back
 * when the session is attached. An error returned is the end of the worker, or of the attach.
 */
#ifndef CGPU_RUNTIME_WORKER_WORKER_EVICTION_H
#define CGPU_RUNTIME_WORKER_WORKER_EVICTION_H

struct error;
struct ipc_message;

/* WORKER_EVICTION_FILE, WORKER_EVICT. */
int worker_eviction_file(struct ipc_message *m, struct error *err);
int worker_evict(struct ipc_message *m, struct error *err);
/* WORKER_CHUNK_PARKED. ERROR_LIMIT: the device is full. */
int worker_eviction_return(const struct ipc_message *m, struct error *err);

#endif
