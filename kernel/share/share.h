/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This kernel's part in sharing the machine's GPUs: the memory that it holds of each, as the other
 * kernels see it, and the decision whether it may take more.
 *
 * A kernel that asks for more than is free is refused, or waits. The queue is first come, first
 * served: memory that an earlier kernel waits for is not given to a later one, also when that asks
 * for less. When all that hold memory of a device wait for it, there is a deadlock: the last one to
 * come is refused, its cell ends, and its memory is freed for the others.
 */
#ifndef CGPU_KERNEL_SHARE_SHARE_H
#define CGPU_KERNEL_SHARE_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/share/share-file.h"

struct buffer;
struct error;

struct share {
	struct share_file file;
	struct share_slot own;
};

/* Joins the list; the others are shown the name, that of the notebook. */
int share_open(struct share *s, const char *path, const char *name, struct error *err);
/* Leaves the list; the memory that was held is free. */
void share_close(struct share *s);

struct share_request {
	const uint8_t *device; /* UUID */
	uint64_t total;        /* limit of the device in bytes for all kernels together */
	uint64_t bytes;
	/* Takes or keeps a place in the queue when the memory is not free. */
	bool waits;
	/* Likewise, as long as idle kernels would free enough on demand. */
	bool returns;
};

enum share_answer {
	SHARE_GRANTED,
	SHARE_QUEUED, /* ask again when file.watch is readable, or a second later */
	SHARE_FULL,
	SHARE_DEADLOCK, /* all others wait, too */
};

/* Asks for memory. -1: the list cannot be read or written, nothing has changed. */
int share_ask(struct share *s, const struct share_request *r, enum share_answer *ret,
	      struct error *err);
/* Leaves the queue. */
int share_leave_queue(struct share *s, struct error *err);
/* Sets how much of the device is held. */
int share_hold(struct share *s, const uint8_t *device, uint64_t bytes, struct error *err);
/* Sets how much of the device is parked. */
int share_park(struct share *s, const uint8_t *device, uint64_t bytes, struct error *err);
/* Notes that a cell has begun, or that all have ended. gives: memory that is held is freed when
 * others wait for it. */
int share_note_idle(struct share *s, bool idle, bool gives, struct error *err);

/* Tells whether another kernel waits for memory of this device: *ret_bytes is what the first in the
 * queue wants, 0: nobody waits. */
int share_wanted(struct share *s, const uint8_t *device, uint64_t *ret_bytes, struct error *err);

/* Tells whether this kernel holds anything. */
bool share_holds(const struct share *s);
/* Returns what all other kernels hold of the device at the moment, without the lock. */
int share_held_by_others(struct share *s, const uint8_t *device, uint64_t *ret_bytes,
			 struct error *err);
/* Is share_table() without the lock: the answer may be a moment old, and never waits for a kernel
 * that has stopped. */
int share_glance(struct share *s, const uint8_t *device, struct buffer *out, unsigned *ret_others,
		 struct error *err);
/* Appends a line for each kernel that holds memory of the device or waits for it, the largest
 * first. ret_others (may be NULL): how many of them are other kernels. */
int share_table(struct share *s, const uint8_t *device, struct buffer *out, unsigned *ret_others,
		struct error *err);

#endif
