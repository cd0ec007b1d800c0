/* SPDX-License-Identifier: Apache-2.0 */
/* The worker core gives these functions to the CUDA side, and is told this about the device. */
#ifndef CGPU_RUNTIME_CUDA_DRIVER_DEVICE_HOST_H
#define CGPU_RUNTIME_CUDA_DRIVER_DEVICE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/worker-protocol.h"

struct address_description;
struct device_debugger;
struct device_watch;
struct error;

/* The CUDA side needs these functions of the worker core; borrowed for the life of the process. */
struct device_host {
	/* Memory in the arena's META region that rolls back with the session; NULL when it is full.
	 */
	void *(*session_alloc)(size_t size);
	void (*session_free)(void *p);
	/* One pointer-sized root in the arena header under which the CUDA side finds its state
	 * again; starts as NULL. */
	void **session_root;
	/* Cell memory from the arena's heap, as malloc() in a cell gives it: managed and pinned
	 * memory. align: power of 2 */
	void *(*heap_alloc)(size_t size, size_t align);
	void (*heap_free)(void *p);
	/* Text to the cell's stdout (device printf) or stderr. NULL: to those of the process, with
	 * each fault's report. */
	void (*print)(bool to_stderr, const char *text, size_t len);
	/* Messages of common/protocol/worker-protocol.h about device memory. fd -1: none. */
	int (*send)(uint32_t message, const void *data, size_t len, int fd, struct error *err);
	/* Line of the cell that calls into the runtime API, for "unchecked error of cudaMalloc
	 * (line 4)"; 0: unknown. */
	uint32_t (*caller_line)(void);
	/* Address of a function or variable that the unit being loaded defines on the host, NULL if
	 * it does not: kernels are known by the address of their stub, device variables by the
	 * address of their stand-in. */
	void *(*host_symbol)(const char *name);
	/* The same for a function of it that has no name for other units, such as the stub of a
	 * template's instance. */
	void *(*own_function)(const char *name);
	/* Name of the host variable that lies at this address, or points there, for "d_x"; "" if
	 * none is found. */
	const char *(*name_of_pointer)(uint64_t address);
	/* Describes what lies at an address of the host; may be NULL. Any thread may ask. */
	void (*describe)(uint64_t address, struct address_description *ret);
	/* The worker is in / has left a call that may wait for the device. */
	void (*enter_device)(void);
	void (*leave_device)(void);
	/* Around each change of the session's tables, so that the worker is not stopped in the
	 * middle; may be NULL. */
	void (*enter_tables)(void);
	void (*leave_tables)(void);
	/* Are these bytes variables or heap of the session? */
	bool (*is_session_memory)(uint64_t address, uint64_t size);
	/* Each variable of the session that has the size of a pointer. */
	void (*each_pointer)(void (*fn)(void *data, void *variable), void *data);
	/* "native", "emulated", or NULL: as CGPU_DEVICE says. */
	const char *driver;
	/* Why an earlier worker of the session did not use the driver of the machine, "" for
	 * nothing; may be NULL. */
	const char *passed_over;
	bool waits; /* no context is taken before there is a session */
	/* Bytes of addresses that the session's memory has, see
	 * runtime/cuda/driver/device-window.h; 0: not known yet. */
	uint64_t window;
	/* A folder to be made for core dumps of the device, in which there is WORKER_DUMP_FILE;
	 * NULL: there are none. */
	const char *dump_folder;
	/* A table that others may look at while cells run; NULL: nobody does. */
	struct device_watch *watch;
	/*
	 * For drivers that have threads of their own, all NULL where there is nothing to say. Run a
	 * function of the cell in such a thread; how many threads the cell has that are not merely
	 * waiting for another one; between hold and release this thread is not stopped for a
	 * commit.
	 */
	void (*call_in_thread)(void (*fn)(void *data), void *data);
	int (*thread_count)(void);
	void (*hold_thread)(void);
	void (*release_thread)(void);
	/* Who debugs device code on the emulated device; NULL: nobody ever does. */
	const struct device_debugger *debugger;
	/* For the ledger of cells: the running one takes device memory, what cell `cell` had taken
	 * is free again; may be NULL. */
	void (*device_made)(uint64_t bytes);
	void (*device_freed)(uint32_t cell, uint64_t bytes);
	/* May so many bytes of this device be taken? total: what there is of it. 1: they may, 0:
	 * *ret_why says why not, -1: the cell was interrupted while it waited. NULL: nobody has to
	 * be asked */
	int (*ask)(int device, uint64_t total, uint64_t bytes, const char **ret_why);
	/* May the session have so many bytes more on the host? NULL: there is no limit */
	bool (*has_host_room)(uint64_t bytes);
	/* The device has no room for so many bytes. True: some have been given back, which is worth
	 * another try. May be NULL */
	bool (*make_room)(uint64_t bytes);
	/* Run with malloc() served by libc, not by the arena; nests. Every runtime API call is
	 * wrapped in this. */
	void (*enter_library)(void);
	void (*leave_library)(void);
};

struct device_info {
	char name[128];
	bool emulated;
	int driver_version;   /* 13000 */
	int capability;       /* the lowest of the devices, 75 for 7.5; 0: not known */
	uint64_t memory;      /* of all devices */
	uint64_t most_memory; /* of the one that has most */
	uint64_t window;      /* bytes of addresses for session memory, 0: none */
	uint32_t traits;      /* enum device_trait */
	int devices;
	uint8_t uuids[CHUNK_DEVICES_MAX][DEVICE_UUID_SIZE];
	char problem[512];                 /* "" when cells can use the device */
	char passed_over[PASSED_OVER_MAX]; /* why a driver that this machine has is not the one that
					      is used, "" for nothing */
};

#endif
