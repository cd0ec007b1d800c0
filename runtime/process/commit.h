/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worker follows a commit: the kernel has committed a cell, or a part of one at a checkpoint.
 * Ranges of session memory that it writes in place are here, too, until they are committed.
 */
#ifndef CGPU_RUNTIME_PROCESS_COMMIT_H
#define CGPU_RUNTIME_PROCESS_COMMIT_H

#include <stdbool.h>

struct buffer;
struct error;
struct ipc_message;

/* Threads of cells stand still from here to commit_done(), and the device is done with what they
 * had begun. False: one of them does not stand still in 20 s, and all go on. */
bool commit_freeze_threads(void);
/* Appends to WORKER_CELL_END or WORKER_CHECKPOINT what the commit has to know of session memory;
 * from here on the worker touches none. Ranges that it does not write in place any more are told at
 * once. */
int commit_put(struct buffer *out, struct error *err);
/* WORKER_COMMITTED: threads of cells go on. */
int commit_done(const struct ipc_message *m, struct error *err);
/* WORKER_IN_PLACE_BEGIN, WORKER_IN_PLACE_END. */
int commit_begin_in_place(const struct ipc_message *m, struct error *err);
int commit_end_in_place(const struct ipc_message *m, struct error *err);

#endif
