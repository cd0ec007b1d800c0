/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot on disk needs two things of a worker: the list of its libraries, and the content of
 * device memory, out of it and into it. Both are given only while no cell runs. An error returned
 * is the end of the worker.
 */
#ifndef CGPU_RUNTIME_WORKER_WORKER_SNAPSHOT_H
#define CGPU_RUNTIME_WORKER_WORKER_SNAPSHOT_H

struct error;
struct ipc_message;

/* WORKER_LIBRARIES, WORKER_DEVICE_READ, WORKER_DEVICE_FILL. */
int worker_snapshot_libraries(const struct ipc_message *m, struct error *err);
int worker_snapshot_read(const struct ipc_message *m, struct error *err);
int worker_snapshot_fill(const struct ipc_message *m, struct error *err);

#endif
