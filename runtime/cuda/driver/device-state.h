/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA side of this process: what dies with the worker. Everything else is in the session.
 */
#ifndef CGPU_RUNTIME_CUDA_DRIVER_DEVICE_STATE_H
#define CGPU_RUNTIME_CUDA_DRIVER_DEVICE_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "runtime/cuda/driver/device-host.h"
#include "runtime/cuda/driver/driver.h"
#include "runtime/cuda/driver/libcuda-find.h"

struct device_session;
struct ledger_callbacks;

#define DEVICES_MAX 16

/* The rooms above do this when the driver has said something. */
struct device_callbacks {
	/* The first error that ends the device. */
	void (*ended)(CUresult why);
	/* No context could be made; true: another try is worth it. */
	bool (*context_refused)(CUresult why);
};

#define DEVICE_SHAPE_LIMITS 7 /* of a launch, in the order of the runtime API's checks */

/* One device as this process uses it: its primary context, what was made in that, and what was
 * asked about the device. */
struct device_context {
	CUcontext handle;     /* NULL: nobody has used the device */
	CUstream own_stream;  /* of device_own_stream(); NULL: not made */
	_Atomic int retained; /* by libraries and cells, beside the worker */
	unsigned flags;       /* of cudaSetDeviceFlags() */
	uint32_t code_epoch;  /* device.epoch when pointers into device code were made good */
	int shape_limits[DEVICE_SHAPE_LIMITS]; /* 0: not asked for */
	/* The kernel that computes digests of buffers. */
	struct {
		CUmodule module; /* NULL: not loaded */
		CUfunction function;
		CUdeviceptr slots; /* for its answers */
	} digest;
};

struct device {
	const struct device_host *host;
	struct cuda_driver chosen;
	char driver_path[LIBCUDA_PATH_MAX]; /* of its file, unless the environment has named that */
	const struct cuda_driver *driver;   /* the chosen one, or the one that logs its calls */
	const struct device_callbacks *callbacks;
	const struct ledger_callbacks *ledger_callbacks;
	struct device_info info;
	bool usable;
	CUresult unusable; /* why not */
	bool is_mps_client;
	int count; /* of devices, DEVICES_MAX at most */
	struct device_context contexts[DEVICES_MAX];
	pthread_mutex_t contexts_lock; /* while a handle is made */
	pthread_t cell_thread;         /* in which cells run */
	uint64_t window;               /* bytes of the range of addresses, 0: there is none */
	uint32_t nodes_told;           /* a bit for each device whose node the kernel process has */
	uint32_t epoch;                /* of the session that is attached */
	uint64_t limit;                /* cap on session device memory, bytes */
	enum device_rollback rollback;
	uint32_t cell;      /* that runs */
	_Atomic int sticky; /* CUresult that ended the device, 0: well */
	/* The file that the driver writes when device code faults; "": none is asked for. */
	char dump_path[WORKER_DUMP_FOLDER_MAX + sizeof(WORKER_DUMP_FILE)];
	_Atomic bool used; /* since device_dump_wait() has asked last */
	struct device_session *session;
	bool refill, gives_up;        /* of the attach at work */
	struct buffer not_back;       /* of that: lines about buffers that could not be put back */
	_Atomic uint32_t host_chunks; /* that this process has made */
	uint64_t watch_renewed_ns;    /* when the table of device_host.watch was made */
	pthread_mutex_t lock; /* over the session's tables; never held while device code runs */
};

extern struct device device;

/* The device of this thread: the one that cudaSetDevice() has chosen, or that we work at in
 * between. */
int device_current(void);
/* Make it another one. What is in between comes back by another call; a failure is found by
 * device_enter(), too. */
CUresult device_switch(int ordinal);
/* Cells run in this thread from here on; this is its device. */
void device_begin_cells(int ordinal);
/* Make the context of the thread's device current in the driver. */
CUresult device_enter(void);
/* From here on no cell uses the device: the driver has answered so. */
void device_set_unusable(CUresult why);
/* The same, for a reason that is no error of the driver's. */
void device_set_out_of_reach(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The stream of the current device in which work of our own waits for nothing that cells have
 * begun. */
CUresult device_own_stream(int ordinal, CUstream *ret);
/* Somebody else may have made another one current. */
void device_context_changed(void);
/* This is the thread in which cells run, not one that they have started. */
bool device_in_cell_thread(void);
/* Remember a sticky result. */
CUresult device_note(CUresult result);

/* Text to stdout or stderr of what the device belongs to: the cell, or the program itself. */
void device_print(bool to_stderr, const char *text, size_t len);

/* Around each use of the session's tables. Never held while device code runs. */
void device_lock(void);
void device_unlock(void);

static inline uint64_t round_up_to(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

#endif
