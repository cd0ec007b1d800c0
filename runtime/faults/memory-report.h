/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who holds the session's memory: the heap as a whole, and for each cell what it has taken, what of
 * that is live, by which variables it is reached, and what nobody points to any more. Only between
 * cells.
 */
#ifndef CGPU_RUNTIME_FAULTS_MEMORY_REPORT_H
#define CGPU_RUNTIME_FAULTS_MEMORY_REPORT_H

struct device_buffer;
struct error;
struct ipc_message;

/* WORKER_MEMORY. */
int memory_report_answer(const struct ipc_message *m, struct error *err);

/* Each buffer of cudaMalloc() that nothing in the session points to. -1: the search took too long,
 * or memory is out. */
int memory_report_lost_buffers(void (*fn)(void *data, const struct device_buffer *b), void *data,
			       struct error *err);

#endif
