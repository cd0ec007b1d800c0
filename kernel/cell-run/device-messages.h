/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker says of the device: memory, devices, shares, memory of libraries. */
#ifndef CGPU_KERNEL_CELL_RUN_DEVICE_MESSAGES_H
#define CGPU_KERNEL_CELL_RUN_DEVICE_MESSAGES_H

struct error;
struct ipc_message;
struct record;
struct supervisor;
struct worker;

/* Handles one of the WORKER_DEVICE_ messages, or WORKER_LIBRARY_MEMORY, of any worker; takes its
 * descriptors. ERROR_PROTOCOL: it is malformed; ERROR_LIMIT: there is too much of it. */
int device_messages_take(struct supervisor *s, struct worker *w, struct ipc_message *m,
			 struct record *r, struct error *err);

#endif
