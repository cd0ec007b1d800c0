/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA side of a worker as the rest of runtime/ sees it. Behind it: the driver table (real
 * libcuda.so.1 or the emulator), the runtime API that cells call, session device memory with its
 * ledger and cap, and the device half of the transaction.
 *
 * All state that must survive the worker (buffers, modules, streams, events as the cell knows them)
 * lies in the arena's META region and so rolls back with the host; driver handles are made again
 * when `epoch` has changed since they were made.
 *
 * The worker core calls, in this order: device_init (once, in the spare, before it has a session),
 * device_attach (arena is mapped), then per cell device_cell_begin, device_load, ...,
 * device_cell_end, device_cell_committed.
 */
#ifndef CGPU_RUNTIME_CUDA_DEVICE_H
#define CGPU_RUNTIME_CUDA_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/worker-protocol.h"
#include "runtime/cuda/driver/device-host.h"

struct buffer;
struct buffer_checksum;
struct error;
struct record;
struct unit;
struct address_description;
struct fault_record;

/*
 * In the zygote, before any library that could be linked to the driver: the libraries that stand
 * before the driver and before NVML are loaded from this folder. They are no driver themselves, and
 * ask for none. What goes wrong is logged.
 */
void device_stand_before_driver(const char *folder);

/*
 * Choose the driver (CGPU_DEVICE=emulated|native, default: native where libcuda.so.1 and a device
 * are there), initialise it and make the context ready. A device that cannot be used is no error:
 * info->problem says why and what to do, and each CUDA call of a cell fails with that text.
 */
int device_init(const struct device_host *host, struct device_info *ret_info, struct error *err);

/* Instead of device_init(): no driver is touched, because one has hung in an earlier worker. */
void device_leave_alone(const struct device_host *host, struct device_info *ret_info);
/*
 * Instead of device_init(): the emulated driver, whatever CGPU_DEVICE says, with so many devices of
 * so many bytes, and without failures that the environment asks for.
 */
void device_init_checks(const struct device_host *host, const struct worker_device *as,
			struct device_info *ret_info);

/* How a session is taken over. */
struct device_attachment {
	uint32_t epoch;
	uint64_t limit;  /* cap on session device memory in bytes; 0: all of it */
	bool refill;     /* the content of memory that no chunk comes for is written later */
	bool gives_up;   /* empty memory takes the place of what does not come */
	uint32_t needed; /* a bit for each device that the session has memory of */
	uint8_t uuids[CHUNK_DEVICES_MAX][DEVICE_UUID_SIZE]; /* of these */
};

/*
 * Start or take over a session; the arena is mapped. Memory that does not come, or a device that is
 * another one, makes the whole device one that cannot be used: the kernel keeps what there is for a
 * later worker.
 */
int device_attach(const struct device_attachment *how, struct error *err);
/* During attach: a chunk of session memory (or, address 0, one that holds pre-images) from the
 * kernel. Takes fd. */
int device_attach_chunk(uint64_t id, uint64_t size, uint64_t address, int fd, struct error *err);
/* The same of one whose content fill() writes to the address that it is given; ERROR_LIMIT: the
 * device is full. */
int device_attach_parked(uint64_t id, uint64_t size, uint64_t address,
			 int (*fill)(void *data, uint64_t address, struct error *err), void *data,
			 struct error *err);
/* Between cells: a chunk that is mapped nowhere, to be read; takes fd. */
int device_open_chunk(uint64_t id, uint64_t size, int fd, uint64_t *ret_address, struct error *err);
void device_close_chunk(uint64_t id);
/* During attach, after the chunks: the kernel process gets a copy of this buffer, which a pre-image
 * will overwrite, as a pre-image of its own. False: it could not be kept. */
bool device_attach_keep(uint64_t address, uint64_t size);
/* Then: put back what the failed cell had changed. */
int device_attach_preimage(uint64_t address, uint64_t size, uint64_t chunk, uint64_t offset,
			   struct error *err);
/* The same: what was kept of a buffer that was not saved. */
void device_attach_checksum(const struct buffer_checksum *c);
/* End of attach. What could not be brought back is appended to report, a line each. */
int device_attach_end(struct buffer *report, struct error *err);
/* Cells can use the device; and after device_attach_end(): the session's memory there is as it
 * should be. */
bool device_is_usable(void);
/* The name of the error that every CUDA call ends with when they cannot. */
void device_unusable_ename(char *ret, size_t size);

/*
 * Where on the device the byte lies that this byte of a host object stands in for; 0: the object
 * stands for no __device__ or
 * __constant__ variable. *ret_size: bytes from there to the variable's end.
 */
uint64_t device_variable(uint64_t stand_in, uint64_t *ret_size);

/* Session memory in whole chunks, while no cell runs. */
int device_read(uint64_t address, void *ret, size_t size, struct error *err);
int device_write(uint64_t address, const void *bytes, size_t size, struct error *err);
/* Tells whether the session has device memory at the address: there may have been no room for it.
 */
bool device_has(uint64_t address);
/* Fills memory with zeros. */
int device_clear(uint64_t address, size_t size, struct error *err);

void device_set_limit(uint64_t limit);
/* enum device_rollback; from the next cell on. */
void device_set_rollback(unsigned mode);
/* The cost of keeping the old content of buffers, or its digest, since the cell began. */
struct device_rollback_cost {
	uint64_t saved_bytes, saved_ns;
	uint64_t read_bytes, read_ns;
};
void device_rollback_cost(struct device_rollback_cost *ret);

/* From here on what the device does is counted. ERROR_UNSUPPORTED: a real one does not. */
int device_profile_begin(struct error *err);
/* Ends it; ret: as common/protocol/launch-profile.h has it. Only after a begin that worked. */
int device_profile_take(struct buffer *ret, struct error *err);

/*
 * From here on what cells ask of the device is noted, on a real one, too. stop(): before
 * device_cell_end(); take(): after it. ret: as common/protocol/device-trace.h has it.
 */
int device_trace_begin(struct error *err);
void device_trace_stop(void);
int device_trace_take(struct buffer *ret, struct error *err);

/* checks: of the cell's launches, EMULATOR_CHECK_RACES. A real device has none. */
void device_cell_begin(uint32_t cell, uint32_t checks);
/* The text of that cell, for reports; borrowed until the next call, which comes when the cell has
 * ended. NULL: unknown. */
void device_cell_text(const char *text);
/*
 * Device code of the unit: variables get session memory and their initial values, kernels become
 * launchable. The unit's object is placed already, so that host_symbol() finds what it defines.
 */
int device_load(const struct unit *u, struct error *err);
/*
 * Settle: wait for the device with a deadline, probe for sticky errors. 0: the device is well;
 * unchecked non-sticky errors are appended to warnings, a line each. -1: the cell has failed;
 * *fault is filled (kind, ename, text).
 */
int device_cell_end(struct buffer *warnings, struct fault_record *fault);
/* waiting: u32 count, [u64 id] of chunks with pre-images that the next cell may use; NULL: none. */
void device_cell_committed(struct record *waiting);
/* Between cells: those are given back. */
void device_forget_scratch(void);
/* Between cells, and no thread of a cell runs: a suspend of the machine that loses device memory
 * will be found out. */
void device_expect_suspend(void);
/* If the machine was suspended since the last cell, what that has lost is told on stderr, where the
 * cell's output goes already. */
void device_look_after_suspend(void);
/*
 * A cell is committed in the middle: settle as at its end, and, after device_cell_committed(), go
 * on as after its beginning. -1: the device has failed, and so will the cell.
 */
int device_checkpoint_begin(void);
void device_checkpoint_end(void);
/*
 * Threads of the cell stand still, and the commit copies pages: waits for what they have begun that
 * may write to host memory. The error of a launch is the next cell's.
 */
void device_finish_for_commit(void);
/* Pages of the session are about to be exchanged, and no thread uses the device: what that reaches
 * of them it reaches anew. */
void device_pages_change(void);

/*
 * What went wrong on the device in this cell, "" for nothing: the error that has ended it, or why
 * memory was last refused, with who holds what. For the text of a fault that comes of it, a null
 * pointer used although cudaMalloc() had failed. Async-signal-safe.
 */
const char *device_fault_cause(void);
/* Quotes the line of a cell that has device code, as reports do; nothing when it is blank or not
 * known. */
void device_source_put(uint32_t cell, uint32_t line, struct buffer *out);

/* Fill *ret if the address is device memory (live or freed); false otherwise. Async-signal-safe. */
bool device_describe(uint64_t address, struct address_description *ret);
/* Buffers that cudaMalloc() has given and cudaFree() has not taken back, by address. */
struct device_buffer {
	uint64_t address;
	uint64_t size;
	uint32_t cell;
	uint32_t line;
};
uint32_t device_buffers(struct device_buffer *ret, uint32_t max);
/* Blocks of the heap that the driver holds for cells: managed, pinned and registered memory. */
void device_each_host_block(void (*fn)(void *data, uint64_t address, uint64_t size), void *data);

/* End the device code that runs, on the emulated device: it then faults with cudaErrorLaunchTimeout
 * and the report says where it was. Does nothing on a real one. Async-signal-safe. */
void device_stop(void);
/* Payload of WORKER_DEVICE_REPORT after the id. */
void device_report(struct buffer *out);

/* Address of an exported function of the CUDA runtime API or of the launch glue by name; NULL if
 * there is none. */
void *device_symbol(const char *name);

/* The address of our function for one that makes or destroys a handle of a loaded library
 * (library-handles.h); NULL otherwise. */
void *device_library_symbol(const char *name);
/* Are there handles of libraries that another worker has made? */
bool device_libraries_due(void);
/* Makes them again, as code of a cell that is about to run; what goes wrong is a warning of it. */
void device_libraries_renew(void *unused);

/* Another number when the structs of the device's state in the arena are others. */
uint64_t device_layout(void);

#endif
