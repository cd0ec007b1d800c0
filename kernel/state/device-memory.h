/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device memory between two workers: chunks by id with the descriptors that keep them alive, the
 * pre-images of the running cell, and what a commit has dropped (for undo). The content is never
 * looked at here; the next worker maps the chunks at the same addresses and copies the pre-images
 * back.
 */
#ifndef CGPU_KERNEL_STATE_DEVICE_MEMORY_H
#define CGPU_KERNEL_STATE_DEVICE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/certificate.h"
#include "common/protocol/worker-protocol.h"

struct buffer;
struct error;
struct record;

struct device_chunk {
	uint64_t id;
	uint64_t size;
	uint64_t address;           /* 0: mapped nowhere (a pre-image, a spare chunk) */
	uint64_t committed_address; /* where a rollback puts it */
	int fd;                     /* owned; -1: parked, and not made again yet */
	bool parked;                /* its content lies in the file of kernel/device/eviction.c */
	uint64_t place;             /* there */
	bool fresh;                 /* made by the running cell */
	bool dropped;               /* not needed once the running cell is committed */
};

struct device_preimage {
	uint64_t address;
	uint64_t size;
	uint64_t chunk;
	uint64_t offset;
};

struct device_certificates {
	struct certificate *at;
	size_t n, cap;
};

struct device_chunks {
	struct device_chunk *at;
	size_t n, cap;
};

struct device_preimages {
	struct device_preimage *at;
	size_t n, cap;
};

/* What takes one commit back. */
struct device_undo {
	bool valid;
	struct device_preimages preimages;
	struct device_certificates certificates; /* that the cell has made */
	struct device_chunks dropped;            /* to be mapped again */
	struct device_chunks before; /* id and address of the chunks that existed, fd -1 */
};

/*
 * What the memory is memory of: the driver and the devices of the first worker that had the session
 * and could use its device. A session stays there, whatever a later worker could choose.
 */
struct device_home {
	bool known;
	bool emulated;
	uint64_t window;                   /* bytes of addresses that its memory lies in */
	char passed_over[PASSED_OVER_MAX]; /* as the worker's hello has it */
	uint8_t uuids[CHUNK_DEVICES_MAX][DEVICE_UUID_SIZE];
};

struct device_memory {
	struct device_home home;
	struct device_chunks chunks;
	struct device_chunks waiting; /* pre-images that nobody needs, in the worker's hands for
					 those of the next cell */
	struct device_preimages
		preimages; /* of the running cell, or to be restored by the next worker */
	struct device_certificates certificates; /* the same of them */
	bool out_of_reach; /* the worker that has the session has no device: all of this is for a
			      later one */
	bool tried; /* a worker was sent away because it had no device, and another one is tried */
	bool gives_up; /* if that cannot map all of this either, it does without the rest */
};

void device_memory_release(struct device_memory *d);

/* Add the bytes of each device's chunks that the device has; that are parked. */
void device_chunks_sum(const struct device_chunks *c, uint64_t bytes[CHUNK_DEVICES_MAX]);
void device_chunks_sum_parked(const struct device_chunks *c, uint64_t bytes[CHUNK_DEVICES_MAX]);
/* What it holds lies at this place of the file of kernel/device/eviction.c: its memory goes. */
void device_chunk_park(struct device_chunk *c, uint64_t place);
/* Is one of them parked? */
bool device_chunks_parked(const struct device_chunks *c);

/* Messages of a running worker. fd is taken over, also on error. */
int device_memory_chunk(struct device_memory *d, uint64_t id, uint64_t size, uint64_t address,
			int fd, struct error *err);
int device_memory_preimage(struct device_memory *d, const struct device_preimage *p,
			   struct error *err);
int device_memory_certificates(struct device_memory *d, struct record *r, struct error *err);
/* Does the chunk wait for pre-images? */
bool device_memory_waits(const struct device_memory *d, uint64_t id);
/* Counts from the commit of the running cell on. One that waits goes at once. */
int device_memory_drop(struct device_memory *d, uint64_t id, struct error *err);

/* The cell is good: its chunks stay. What takes it back is made; without memory for that it is not
 * valid. */
void device_memory_commit(struct device_memory *d, struct device_undo *ret_undo);
/* The undo is not kept: its pre-images wait for the next cell. */
void device_memory_recycle(struct device_memory *d, struct device_undo *undo);
/* The cell is dropped: its chunks go, but those with pre-images stay until
 * device_memory_restored(). */
void device_memory_rollback(struct device_memory *d);
/* The next worker has copied the pre-images back. */
void device_memory_restored(struct device_memory *d);
/*
 * Back over n commits, undo[0] being the newest; the next worker restores. The undos are used up
 * but for what is released with device_undo_release(). Room for it is made before, and then it
 * cannot fail.
 */
int device_memory_undo_room(struct device_memory *d, struct device_undo *const *undo, size_t n,
			    struct error *err);
void device_memory_undo(struct device_memory *d, struct device_undo *const *undo, size_t n);
/* Device memory that it keeps from being given back. */
uint64_t device_undo_bytes(const struct device_undo *u);
void device_undo_release(struct device_undo *u);
void device_memory_reset(struct device_memory *d);

/* The lists as WORKER_ATTACH carries them, and one chunk as WORKER_CHUNK does. */
void device_memory_encode_preimages(const struct device_memory *d, struct buffer *out);
void device_memory_encode_certificates(const struct device_memory *d, struct buffer *out);
void device_chunk_encode(const struct device_chunk *c, struct buffer *out);
/* [u64 id] of those that wait. */
void device_memory_encode_waiting(const struct device_memory *d, struct buffer *out);

#endif
