/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device memory that libraries and cells have taken from the driver itself, not by the runtime API:
 * runtime/cuda/libcuda/libcuda.c. It is no session state and goes with the worker, but it counts
 * against the cap, and reports show it as held by "libraries".
 *
 * Here are the rows, and the sum of what calls at work have reserved; requests:
 * library-memory-request.h.
 */
#ifndef CGPU_RUNTIME_CUDA_MEMORY_LIBRARY_MEMORY_H
#define CGPU_RUNTIME_CUDA_MEMORY_LIBRARY_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

enum library_memory_kind {
	LIBRARY_MEMORY, /* key: address */
	LIBRARY_OBJECT, /* physical memory of cuMemCreate(); key: a number of libcuda-vmm.c */
	LIBRARY_ARRAY,  /* key: handle, as with the next ones */
	LIBRARY_MODULE,
	LIBRARY_POOL,    /* what a pool has beyond what is allocated from it */
	LIBRARY_GRAPH,   /* memory nodes */
	LIBRARY_LIMIT,   /* stacks and heaps beyond what they were at first */
	LIBRARY_UNKNOWN, /* found by device-audit.c; key: the device */
};

struct library_memory {
	enum library_memory_kind kind;
	uint64_t key;
	uint64_t bytes;
	uint64_t owner; /* of memory: the pool that it is from, 0: none */
	uint32_t cell;
	uint32_t line;
	int device;
	const char *call; /* a literal */
};

struct buffer;

/* A request of so many bytes is at work. device.lock is held. */
void library_memory_add_reserved(int device, uint64_t bytes);
/* The reservation is over. Takes device.lock, as the next ones do: `h` is what was taken, NULL:
 * nothing. An earlier row of that kind and key is replaced. */
void library_memory_settle(int device, uint64_t reserved, const struct library_memory *h);
/* The row goes; false: there is none. */
bool library_memory_drop(enum library_memory_kind kind, uint64_t key);
bool library_memory_find(enum library_memory_kind kind, uint64_t key, struct library_memory *ret);
/* Sum of the rows of a kind that belong to an owner. */
uint64_t library_memory_of_owner(enum library_memory_kind kind, uint64_t owner);
/* Another key for a row. */
void library_memory_rename(enum library_memory_kind kind, uint64_t key, uint64_t to);

/* The bytes lie in one piece of such memory. */
bool library_memory_reaches(uint64_t address, uint64_t size);

/* In all, of a device (-1: of all), and of one kind only. device.lock is held. */
uint64_t library_memory_bytes(int device);
uint64_t library_memory_bytes_of(enum library_memory_kind kind, int device);
/* Row number i of those in which all is summed up that was taken by the same call on the same
 * device; false behind the last. device.lock is held. */
bool library_memory_sum(uint32_t i, struct library_memory *ret);

/* At the end of a cell: the kernel process is told what there is, if it has changed. device.lock is
 * held. */
void library_memory_tell(void);

#endif
