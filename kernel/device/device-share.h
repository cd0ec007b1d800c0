/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The session's part in sharing device memory with the other kernels of the machine. A request of
 * its worker is passed to kernel/share/, at once or, with `%limit wait`, in turn with the others.
 * The session holds what its chunks take; that is announced whenever a cell has ended.
 */
#ifndef CGPU_KERNEL_DEVICE_DEVICE_SHARE_H
#define CGPU_KERNEL_DEVICE_DEVICE_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/protocol/worker-protocol.h"
#include "kernel/share/share.h"

struct buffer;
struct error;
struct loop_source;
struct record;
struct supervisor;
struct worker;

typedef void device_share_answer(struct supervisor *s, bool granted, const char *why);

struct device_share {
	struct share share;
	bool open;
	/* Why the list is not open; "": nobody has asked for it. */
	char problem[320];
	uint64_t totals[CHUNK_DEVICES_MAX]; /* of the devices that workers have asked for; 0: not
					       known */
	uint64_t wait_ms;                   /* how long a cell waits for memory; 0: not at all */
	/* The request without an answer yet: */
	bool waiting;
	uint32_t number;              /* the number of the worker's question */
	device_share_answer *claimed; /* the claim's callback; NULL: it is the worker's question */
	struct share_request request;
	uint64_t asked_ms;
	struct loop_source *watch, *tick;
	struct loop_source *say; /* announces later what is held; NULL: the list is up to date */
};

/* Opens the list. When the list cannot be used, at once or later, the session goes on alone, and
 * %doctor says why. */
int device_share_open(struct supervisor *s, const char *path, const char *name, struct error *err);
void device_share_release(struct supervisor *s);

/* Handles WORKER_DEVICE_ASK. */
int device_share_on_ask(struct supervisor *s, struct worker *w, struct record *r,
			struct error *err);
/* Handles WORKER_LIBRARY_MEMORY. */
int device_share_on_held(struct worker *w, struct record *r, struct error *err);
/* Requests memory for a parked session, which no worker has: answer() is called at once or
 * later. */
void device_share_claim(struct supervisor *s, uint32_t device, uint64_t bytes,
			device_share_answer *answer);
/* Withdraws the request: its cell or its worker has ended. */
void device_share_stop(struct supervisor *s);
/* device_share_begin(): a cell begins. device_share_settle(): it has ended, and the session holds
 * its chunks. */
void device_share_begin(struct supervisor *s);
void device_share_settle(struct supervisor *s);
/* Appends who holds how much of each device that others hold memory of. */
int device_share_table(struct supervisor *s, struct buffer *out, struct error *err);
/* Appends the same from the current list, without waiting for its lock. */
int device_share_glance(struct supervisor *s, struct buffer *out, struct error *err);

#endif
