/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device memory between two workers: chunks by id with the file descriptors that keep them alive,
 * the pre-images of the running cell, and the chunks that a commit has dropped (for undo). The
 * content is never looked at here; the next worker maps the chunks at the same addresses and copies
 * the pre-images back.
 */
#ifndef CGPU_KERNEL_STATE_DEVICE_MEMORY_H
#define CGPU_KERNEL_STATE_DEVICE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/protocol/buffer-checksum.h"
#include "common/protocol/worker-protocol.h"

struct buffer;
struct error;
struct record;

struct device_chunk {
	uint64_t id;
	uint64_t size;
	uint64_t address;           /* 0: mapped nowhere (a pre-image, a spare chunk) */
	uint64_t committed_address; /* the address after a rollback */
	int fd;                     /* owned; -1: parked, and not made anew yet */
	bool parked;                /* the content is in the file of kernel/device/eviction.c */
	uint64_t place;             /* offset in that file */
	bool fresh;                 /* made by the running cell */
	bool dropped;               /* not needed once the running cell is committed */
};

struct device_preimage {
	uint64_t address;
	uint64_t size;
	uint64_t chunk;
	uint64_t offset;
};

struct device_checksums {
	struct buffer_checksum *at;
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

/* Takes one commit back. */
struct device_undo {
	bool valid;
	struct device_preimages preimages;
	struct device_checksums checksums; /* made by the cell */
	struct device_chunks dropped;      /* to be mapped again */
	struct device_chunks before;       /* id and address of the chunks that existed, fd -1 */
};

/*
 * The driver and the devices that the session's memory belongs to: those of the first worker that
 * had the session and a usable device. The session stays there, whatever a later worker could
 * choose.
 */
struct device_home {
	bool known;
	bool emulated;
	uint64_t window;                   /* size of the address range of its memory, in bytes */
	char passed_over[PASSED_OVER_MAX]; /* as the worker's hello has it */
	uint8_t uuids[CHUNK_DEVICES_MAX][DEVICE_UUID_SIZE];
};

/* Whether the next worker keeps, for a redo or an undo, what the pre-images overwrite. */
enum device_keeping {
	KEEPING_NO,
	KEEPING_ASKED,
	/* A worker was told. One that dies before it has the session may have restored a part, and
	 * what the next one would find is no state of the session. */
	KEEPING_BEGUN,
};

struct device_memory {
	struct device_home home;
	struct device_chunks chunks;
	/* Chunks for pre-images that nobody needs; the worker keeps them mapped for the pre-images
	 * of the next cell. */
	struct device_chunks waiting;
	/* Pre-images of the running cell, or those that the next worker must restore. */
	struct device_preimages preimages;
	struct device_checksums checksums; /* likewise */
	enum device_keeping keeping;
	struct device_preimages kept; /* what the worker that takes the session has kept so far */
	/* The worker that holds the session has no device; a later worker may reach this memory. */
	bool out_of_reach;
	bool tried;    /* a worker without a device was sent away, and another one is tried */
	bool gives_up; /* if the next one cannot map all of it either, the rest is given up */
};

void device_memory_release(struct device_memory *d);

/* device_chunks_sum() adds to bytes[i] the bytes of the chunks that are in the memory of device i;
 * device_chunks_sum_parked() adds those that are parked. */
void device_chunks_sum(const struct device_chunks *c, uint64_t bytes[CHUNK_DEVICES_MAX]);
void device_chunks_sum_parked(const struct device_chunks *c, uint64_t bytes[CHUNK_DEVICES_MAX]);
/* Marks the chunk as parked: its content is at this offset of the file of kernel/device/eviction.c,
 * and its device memory is closed. */
void device_chunk_park(struct device_chunk *c, uint64_t place);
/* Tells whether one of the chunks is parked. */
bool device_chunks_parked(const struct device_chunks *c);

/* Record messages of a running worker. fd is taken over, also on error. */
int device_memory_chunk(struct device_memory *d, uint64_t id, uint64_t size, uint64_t address,
			int fd, struct error *err);
int device_memory_preimage(struct device_memory *d, const struct device_preimage *p,
			   struct error *err);
int device_memory_checksums(struct device_memory *d, struct record *r, struct error *err);
/* Tells whether the chunk waits for the next pre-images. */
bool device_memory_waits(const struct device_memory *d, uint64_t id);
/* Drops a chunk. A chunk of the session is marked until the running cell is committed; one that
 * waits is closed at once. */
int device_memory_drop(struct device_memory *d, uint64_t id, struct error *err);

/* Commits: the chunks of the cell stay. ret_undo is the step back; it is not valid when there is no
 * memory for it. */
void device_memory_commit(struct device_memory *d, struct device_undo *ret_undo);
/* Releases an undo that is not kept; the chunks of its pre-images wait for the next cell. */
void device_memory_recycle(struct device_memory *d, struct device_undo *undo);
/* Rolls back: the chunks of the cell are closed, but those with pre-images stay until
 * device_memory_restored(). */
void device_memory_rollback(struct device_memory *d);
/* Notes that the next worker has copied the pre-images back. What it has kept before is added to
 * ret_kept; NULL: nobody wants it. */
void device_memory_restored(struct device_memory *d, struct device_undo *ret_kept);
/*
 * Rolls the running cell back as device_memory_rollback() does, while its worker still lives. ret
 * is what leads to its state again, as an undo leads away from it; the next worker is asked to keep
 * the content. ret is not valid when there is no memory for it.
 */
void device_memory_set_aside(struct device_memory *d, struct device_undo *ret);
/*
 * Goes over n commits, undo[0] being the newest, to the state that they lead to; the next worker
 * restores the content. The undos are used up except for what device_undo_release() frees.
 * ret_inverse, NULL for none, leads to the state that is left, as in device_memory_set_aside().
 * device_memory_undo_room() allocates before, so that device_memory_undo() cannot fail.
 */
int device_memory_undo_room(struct device_memory *d, struct device_undo *const *undo, size_t n,
			    struct error *err);
void device_memory_undo(struct device_memory *d, struct device_undo *const *undo, size_t n,
			struct device_undo *ret_inverse);
/* Returns the bytes of device memory that the undo holds. */
uint64_t device_undo_bytes(const struct device_undo *u);
void device_undo_release(struct device_undo *u);
void device_memory_reset(struct device_memory *d);

/* Encode the lists as WORKER_ATTACH carries them, and one chunk as WORKER_CHUNK does. */
void device_memory_encode_preimages(const struct device_memory *d, struct buffer *out);
/* [u64 address, u64 size]: what the next worker keeps before the pre-images are restored. */
void device_memory_encode_keeping(const struct device_memory *d, struct buffer *out);
void device_memory_encode_checksums(const struct device_memory *d, struct buffer *out);
void device_chunk_encode(const struct device_chunk *c, struct buffer *out);
/* Encodes the chunks that wait as [u64 id]. */
void device_memory_encode_waiting(const struct device_memory *d, struct buffer *out);

#endif
