/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker takes a session over, runs a cell and answers questions about addresses. Failures of a
 * cell are told to the kernel here; an error returned is the end of the worker.
 */
#ifndef CGPU_RUNTIME_WORKER_WORKER_RUN_H
#define CGPU_RUNTIME_WORKER_WORKER_RUN_H

struct error;
struct ipc_message;

/* WORKER_ATTACH and the messages that belong to it, up to WORKER_ATTACHED. */
int worker_run_attach(const struct ipc_message *first, struct error *err);
/* WORKER_RUN: a cell, up to WORKER_CELL_END. */
int worker_run_cell(const struct ipc_message *m, struct error *err);
/* WORKER_LIMITS, WORKER_DESCRIBE. */
int worker_run_limits(const struct ipc_message *m, struct error *err);
int worker_run_describe(const struct ipc_message *m, struct error *err);

#endif
