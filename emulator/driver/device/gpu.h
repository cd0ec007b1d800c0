/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The emulated GPUs of this process: whether they are initialised, how they are broken, who listens
 * to them. Every driver API function starts with gpu_enter(), which is the one place where failures
 * are injected, where an uninitialised driver and a missing context are refused, and where faults
 * of device code come back. There is one device, or as many as CGPU_EMULATED_DEVICES says; a fault
 * on one of them is one of all.
 *
 * Faults. A fault is `pending` after the launch and is delivered by the next call that
 * synchronises; from then on it is `sticky`: every call returns it until the process ends, as on
 * hardware.
 */
#ifndef CGPU_EMULATOR_GPU_H
#define CGPU_EMULATOR_GPU_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#include <cuda.h>
#pragma GCC visibility pop

#include "common/cuda/emulator-extension.h"
#include "emulator/debug/debugger-source.h"

struct gpu_fault;
struct machine_launch;

#define GPU_NAME "cgpu emulated device"
#define GPU_DRIVER_VERSION 13000
#define GPU_L2_PERSISTING_MAX (3 * 1024 * 1024)
#define GPU_L2_FETCH_MAX 128
#define GPU_GRANULARITY (2ull * 1024 * 1024)
#define GPU_DEVICES_MAX 16
#define GPU_CONTEXTS_MAX 16 /* of cuCtxCreate() */

/* Kinds of calls: what one needs, and whether it waits for the device. */
enum gpu_call {
	GPU_CALL_FREE,   /* works before cuInit and on a broken device */
	GPU_CALL_DEVICE, /* needs cuInit only */
	GPU_CALL_ASYNC, /* needs a context; returns a sticky error but does not look for new ones */
	GPU_CALL_QUERY, /* the same, and delivers a pending fault */
	GPU_CALL_SYNC,  /* waits until the device is idle, then as QUERY */
};

/* Limits that cuCtxSetLimit() changes. */
struct gpu_limits {
	size_t stack;
	size_t printf_fifo;
	size_t malloc_heap;
	size_t sync_depth,
		pending_launches;       /* of launches by device code; kept, and never reached */
	size_t l2_fetch, l2_persisting; /* advice to a cache that is not there */
};

/* The limits of one device and what its heap holds. */
struct gpu_device {
	struct gpu_limits limits;
	_Atomic uint64_t heap_used; /* bytes of all blocks of malloc() of device code together */
};

struct gpu {
	pthread_mutex_t init_lock; /* of gpu_init() */
	int devices;               /* how many there are, fixed by cuInit as the next one is */
	uint64_t memory;           /* bytes of memory of each */
	int capability;            /* of each, 75 for 7.5 */
	bool has_hmm;              /* device code reaches all memory of the host */
	struct gpu_device device[GPU_DEVICES_MAX];
	_Atomic bool initialised;
	_Atomic int pending; /* CUresult that the next synchronising call delivers */
	_Atomic int sticky;  /* CUresult of every call */
	_Atomic int hung;    /* a launch that never ends occupies the device */
	_Atomic int stop;    /* launches are to end, as gpu_stop() says */
	_Atomic int halt;    /* the same, or one has faulted: the others need not go on */
	pthread_mutex_t fault_lock;
	struct emulator_fault fault; /* that broke the devices; code 0: none did */
	pthread_mutex_t print_lock;  /* keeps the output of threads apart */
	emulator_print_fn print;
	void *print_data;
	struct debugger_source debugger;
};

extern struct gpu gpu;

/* CUDA_SUCCESS when the call may go on. `name` is the API name without version suffix. */
CUresult gpu_enter(const char *name, enum gpu_call kind);

/* Behind what a call has waited for: the fault that it is to deliver. */
CUresult gpu_deliver(void);
/* There is a device of this number. */
static inline bool gpu_has(int device)
{
	return device >= 0 && device < gpu.devices;
}

/* Work is dropped, since the device is broken or a launch that never ends is before it. */
bool gpu_is_dead(void);

/* Start of cuInit: sizes and reservations. */
CUresult gpu_init(void);

/* Device code of this launch has faulted: keep the report, make it pending; write the core dump
 * that somebody has asked for. */
void gpu_record_fault(const struct gpu_fault *f, const struct machine_launch *l);
/* The same for a fault without a report of the machine; text: a line. */
void gpu_break(int code, const char *text);
/* A launch that never ends occupies the device until gpu_stop(). */
void gpu_hang(void);
int gpu_last_fault(struct emulator_fault *ret);

void gpu_print(bool to_stderr, const char *text, size_t len);
void gpu_stop(int on);

#endif
