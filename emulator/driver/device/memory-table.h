/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of the emulated GPUs as memory*.c share it: tables, which are arrays of structs that
 * start with {address, size}, sorted by address, never overlapping, and the state of each device.
 * Used inside memory*.c only.
 */
#ifndef CGPU_EMULATOR_MEMORY_TABLE_H
#define CGPU_EMULATOR_MEMORY_TABLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cuda/emulator-extension.h"
#include "emulator/driver/device/frames.h"
#include "emulator/driver/device/gpu.h"
#include "emulator/warp/machine.h"

struct mapping;
struct shadow;

struct range {
	uint64_t address;
	uint64_t size;
};

struct range_table {
	char *items;
	size_t item; /* bytes of one */
	size_t n, cap;
};

/* A guard: its function is asked before device code writes to a buffer. */
struct memory_guard {
	int (*before_write)(const struct emulator_guarded *g);
	uint64_t number; /* of guards so far: buffers that are lifted have that of the guard they
			    are free of */
};

/* The memory of one device. */
struct memory_device {
	uint64_t used;              /* bytes of all its allocations */
	struct frames frames;       /* where these lie */
	uint32_t peers;             /* a bit for each device that this one reaches */
	struct machine_memory view; /* of the machine when it runs the device's code */
};

struct memory_table {
	pthread_rwlock_t lock; /* of all that follows */
	struct memory_device device[GPU_DEVICES_MAX];
	struct range_table reservations; /* struct range */
	struct range_table mappings;     /* struct mapping */
	struct range_table buffers;      /* struct machine_buffer */
	size_t freed_count;              /* buffers that were freed and are kept for reports */
	struct memory_guard guard;
	struct shadow *retired;      /* given up while a launch may look at them */
	unsigned launches;           /* that run */
	_Atomic uint64_t generation; /* grows with every change that device code can see */
	emulator_host_fn
		find_host; /* NULL: device code reaches no memory of the host but what is mapped */
};

extern struct memory_table memory_table;

static inline void *range_at(const struct range_table *t, size_t i)
{
	return t->items + i * t->item;
}

/* Index of the first item whose start is >= address. */
size_t range_index(const struct range_table *t, uint64_t address);
/* The item that holds the byte at `address`, NULL when there is none. */
void *range_find(const struct range_table *t, uint64_t address);
bool range_overlaps(const struct range_table *t, uint64_t address, uint64_t size);
/* Room for an item at its place; the caller fills it before anything else is called. NULL: out of
 * memory. */
void *range_insert(struct range_table *t, uint64_t address);
void range_remove(struct range_table *t, void *item);

/* Before anything else. */
void memory_make_views(void);

/* The calls below are made with the lock held for writing. */
void memory_forget_buffers(uint64_t address, uint64_t size);
/* Give a shadow up, maybe while a launch looks at it. */
void memory_retire_shadow(struct shadow **s);
/* Keep a freed mapping's place for reports. */
void memory_remember_freed(const struct mapping *m);

#endif
