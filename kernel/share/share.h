/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This kernel's part of the machine's GPUs: what it holds of each, as the other kernels see it, and
 * whether more may be taken.
 *
 * Who asks for more than is free is refused, or waits. Those who wait are served in their order:
 * what an earlier one waits for is not given to a later one, also when that asks for less. When all
 * who hold memory of a device wait for it, nobody would ever go on: the last one to come is
 * refused, its cell ends, and what it held is the others'.
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

/* The name is shown to the others: the notebook. */
int share_open(struct share *s, const char *path, const char *name, struct error *err);
/* What it held is free. */
void share_close(struct share *s);

struct share_request {
	const uint8_t *device; /* UUID */
	uint64_t total;        /* bytes that all kernels together may hold of it */
	uint64_t bytes;
	bool waits;   /* a place in the queue is taken, or kept, when it is not there now */
	bool returns; /* the same as long as idle ones give enough when they are asked */
};

enum share_answer {
	SHARE_GRANTED,
	SHARE_QUEUED, /* ask again when file.watch is readable, or a second later */
	SHARE_FULL,
	SHARE_DEADLOCK, /* all others wait, too */
};

/* -1: the list cannot be read or written, nothing has changed. */
int share_ask(struct share *s, const struct share_request *r, enum share_answer *ret,
	      struct error *err);
/* It does not wait any more. */
int share_leave_queue(struct share *s, struct error *err);
/* From here on this much is held of the device. */
int share_hold(struct share *s, const uint8_t *device, uint64_t bytes, struct error *err);
/* So much of it was put aside. */
int share_park(struct share *s, const uint8_t *device, uint64_t bytes, struct error *err);
/* A cell has begun, or all have ended. gives: what is held is given to who waits for it. */
int share_note_idle(struct share *s, bool idle, bool gives, struct error *err);

/* Somebody else waits for memory of this device: the bytes of the first in the queue, 0: nobody. */
int share_wanted(struct share *s, const uint8_t *device, uint64_t *ret_bytes, struct error *err);

/* Does this one hold anything? */
bool share_holds(const struct share *s);
/* What all but this one hold of the device at the moment, without the lock. */
int share_held_by_others(struct share *s, const uint8_t *device, uint64_t *ret_bytes,
			 struct error *err);
/* share_table() without the lock: what it says may be a moment old, and it never waits for a kernel
 * that has stopped. */
int share_glance(struct share *s, const uint8_t *device, struct buffer *out, unsigned *ret_others,
		 struct error *err);
/* A line for each kernel that holds memory of the device or waits for it, the largest first.
 * ret_others (NULL: not asked for): how many of them are not this one. */
int share_table(struct share *s, const uint8_t *device, struct buffer *out, unsigned *ret_others,
		struct error *err);

#endif
