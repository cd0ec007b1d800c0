/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worker process as its parts see it. One worker a process, so this is one object.
 */
#ifndef CGPU_RUNTIME_PROCESS_WORKER_H
#define CGPU_RUNTIME_PROCESS_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/protocol/worker-protocol.h"
#include "runtime/process/library-heap.h"

struct buffer;
struct error;
struct unit;

struct worker_process {
	struct worker_control *control; /* shared with the kernel */
	pid_t pid;
	bool is_child; /* a process that a cell has forked: no part of the session */
	bool attached;
	uint32_t cell; /* execution count of the cell that runs, or ran last */
	struct library_heap library_heap;
};

extern struct worker_process worker;

/* A message to the kernel; fd -1: none. */
int worker_send(uint32_t type, const void *data, size_t len, int fd, struct error *err);
/* The next message; waits. Fails when the kernel is gone. */
struct ipc_message;
int worker_receive(struct ipc_message *ret, int timeout_ms, struct error *err);

/* Empties the record of a fault, for another one, and returns it. For signal handlers. */
struct fault_record *worker_clear_fault(void);

static inline void worker_set_phase(enum worker_phase phase)
{
	atomic_store(&worker.control->phase, phase);
}

/*
 * Copies characters of so many bytes, up to and with a zero one, from an address that may be
 * anything: how many bytes there are before that, at most len. -1: nothing is there.
 */
ssize_t worker_read_characters(const void *from, size_t unit, void *ret, size_t len);

/* End the process at once; nothing runs any more. */
_Noreturn void worker_exit(int status);

#endif
