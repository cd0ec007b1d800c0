/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine: runs one launch of a PTX kernel on the CPU, warp-wide, with every memory access
 * checked. It owns no device memory and knows no streams: the driver says where buffers are through
 * struct machine_memory and calls machine_launch(), which returns when the grid has ended or
 * faulted. Several launches may run at the same time from different threads.
 *
 * Addresses. A device buffer is {address, size, bytes}: kernels see `address`, the machine touches
 * `bytes`. For memory that the host may touch too (managed, mapped, registered) both are the same.
 * Windows of shared, local and parameter memory have addresses of their own (machine-limits.h) that
 * no buffer may overlap.
 *
 * Threads. Helper threads are made at the first launch that can use them, block all signals and
 * hold nothing between launches, so the process may fork (the child makes its own at its first
 * launch) or be killed at any time.
 */
#ifndef CGPU_EMULATOR_MACHINE_H
#define CGPU_EMULATOR_MACHINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulator/ptx/ptx-module.h"
#include "emulator/report/gpu-fault.h"

/* Names of the machine's threads begin so, and are told from the program's by that. */
#define MACHINE_THREAD_NAME "cgpu: "

struct error;
struct image;
struct shadow;
struct observer;

struct machine_buffer {
	uint64_t address;
	uint64_t size; /* exact bytes asked for, not rounded: one byte past it is out of bounds */
	void *bytes;   /* where the machine finds them in this process */
	bool read_only;
	bool freed;            /* only from `nearest`: freed, kept for the report */
	bool unreachable;      /* the same: live memory of another device, closed to this one */
	bool guarded;          /* before_write() is called before it is written */
	uint64_t lifted;       /* the driver's own: the guard that it is free of */
	int device;            /* whose memory it is */
	uint32_t tag;          /* cell that made it, 0 unknown */
	uint32_t freed_tag;    /* cell that freed it */
	struct shadow *shadow; /* which bytes were written; NULL: all of them. Lives until no launch
				  is running */
	char name[64];         /* variable or module symbol, "" unknown */
};

/*
 * How the machine looks up memory. Both calls come from several threads at once and must be safe
 * against the driver's own changes. After any buffer was added, freed or resized the driver
 * increments *generation; translations made under an older generation are forgotten.
 */
struct machine_memory {
	void *data;
	/* The live buffer that holds the byte at `address`; false when there is none. */
	bool (*find)(void *data, uint64_t address, struct machine_buffer *ret);
	/*
	 * The buffer nearest to `address`, live or recently freed, for a fault report: one that
	 * holds the address first (a freed one included), else the one whose end or start is
	 * nearest. false when there is none.
	 */
	bool (*nearest)(void *data, uint64_t address, struct machine_buffer *ret);
	/* Device code is about to write to a guarded buffer. 0: it may; from then on it is not
	 * guarded. */
	int (*before_write)(void *data, const struct machine_buffer *b);
	const _Atomic uint64_t *generation;
	int device;        /* that looks, for reports */
	bool reaches_host; /* find() and nearest() know memory of the host, too */
};

struct machine_launch {
	struct ptx_function *kernel;
	uint32_t grid[3], block[3];
	uint32_t dynamic_shared; /* bytes */
	const void *params; /* packed as kernel->params say; read before machine_launch() returns */
	size_t params_size;
	const struct machine_memory *memory;
	bool cooperative;        /* grid.sync() works: all blocks are resident at once */
	uint64_t stack_size;     /* local memory a lane for called functions, cudaLimitStackSize; 0:
				    default */
	unsigned threads;        /* host threads to use; 0: as many as CPUs are usable */
	const _Atomic int *stop; /* not 0: end with GPU_FAULT_TIMEOUT. Polled every few thousand
				    back edges; may be NULL */
	void *data;              /* first argument of the calls below */
	/* Device printf and assert text. Calls are serialised within one launch. NULL: dropped. */
	void (*print)(void *data, const char *text, size_t len);
	/* An uninitialised read (GPU_FAULT_UNINITIALIZED); the launch goes on. Serialised, too.
	 * NULL: dropped. */
	void (*finding)(void *data, const struct gpu_fault *f);
	/* Device malloc: address of a new buffer or 0. NULL: always 0. */
	uint64_t (*heap_alloc)(void *data, uint64_t size);
	/* The texture or surface of a handle; NULL: there is none. Valid until the launch ends. May
	 * be NULL. */
	const struct image *(*image)(void *data, uint64_t handle);
	/* Device free: false when address is no block of the heap. */
	bool (*heap_free)(void *data, uint64_t address);
	/* Who looks on: checks, profiles (observer.h). Normally none; MACHINE_OBSERVERS at most. */
	struct observer *const *observers;
	uint32_t observer_count;
	/* All threads spin: whether something else than this launch may still free them. NULL:
	 * nothing. */
	bool (*may_be_freed)(void *data);
};

#endif
