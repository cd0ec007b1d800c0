/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker core for tests of the CUDA side: session memory in a private mapping of a memfd at a
 * fixed address, as the arena is, and a "kernel" that keeps the descriptors and pre-images that it
 * is sent. So a test can commit, kill a worker, start another one on the same state and see what it
 * finds.
 */
#ifndef CGPU_TESTS_DEVICE_HOST_H
#define CGPU_TESTS_DEVICE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/cuda/device.h"

/* What the kernel process holds. */
struct device_keeper {
	struct {
		uint64_t id, size, address;
		int fd;
		bool fresh, dropped;
	} chunks[64];
	size_t n_chunks;
	struct {
		uint64_t address, size, chunk, offset;
	} preimages[64];
	size_t n_preimages;
	int session_fd; /* the committed session memory */
	int socket;     /* from the worker; -1: messages are handled in this process */
	uint32_t epoch;
};

extern struct device_keeper keeper;
extern struct buffer printed; /* what device code printed */
extern struct device_info device_host_info;

/* What failed in the device's initialisation is in device_host_info.problem: no exit. Set before
 * device_host_start(). */
extern bool device_host_may_lack_device;

/* Before any worker; again: nothing is left of the session before. */
void device_host_init(void);
/* Become a worker: map the session, initialise the device, attach. Exits the process with 99 when
 * that fails. */
void device_host_start(uint64_t limit);
/* A cell that ends well is committed; 0, or -1 with the fault. */
void device_host_begin(uint32_t cell);
int device_host_end(struct fault_record *fault);
/* In a worker: the cell must end well. */
void device_host_commit(void);
/* Warnings of the last cell that ended. */
const char *device_host_warnings(void);

/*
 * Run body(data) in a worker process that is then killed by SIGKILL wherever it stands when it
 * calls device_host_die(), or ends. What it sent and committed is kept; what it did not commit is
 * rolled back. 0 when it reached device_host_die() or its end, else the line of what failed there.
 */
int device_host_worker(void (*body)(void *data), void *data);
void device_host_die(void) __attribute__((noreturn));

/* In a worker: leave with the line of what does not hold. */
#define WORKER_NEED(condition)                                                                     \
	do {                                                                                       \
		if (!(condition))                                                                  \
			device_host_fail(__FILE__, __LINE__, #condition);                          \
	} while (0)
void device_host_fail(const char *file, int line, const char *what) __attribute__((noreturn));

/* host_symbol() of units that are loaded: the test's own objects. */
void device_host_define(const char *name, void *address);
extern uint32_t device_host_line; /* caller_line() */

#endif
