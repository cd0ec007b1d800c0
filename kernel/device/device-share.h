/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The session among the other kernels of the machine: what its worker asks for is asked of
 * kernel/share/, at once or, with
 * `%limit wait`, in turn with the others. What it holds is what its chunks are: said anew whenever
 * a cell has ended.
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
	char problem[320];                  /* why it is not, "": nobody has asked for it */
	uint64_t totals[CHUNK_DEVICES_MAX]; /* of what workers have asked for; 0: not known */
	uint64_t wait_ms;                   /* how long a cell waits for memory, 0: not at all */
	/* The question that is not answered yet: */
	bool waiting;
	uint32_t number;              /* of the worker's */
	device_share_answer *claimed; /* whose it is; NULL: the worker's */
	struct share_request request;
	uint64_t asked_ms;
	struct loop_source *watch, *tick;
	struct loop_source *say; /* what is held is to be said again; NULL: the list has it */
};

/* When the list cannot be had, or later on cannot be had any more, the session goes on alone, and
 * %doctor says why. */
int device_share_open(struct supervisor *s, const char *path, const char *name, struct error *err);
void device_share_release(struct supervisor *s);

/* WORKER_DEVICE_ASK */
int device_share_on_ask(struct supervisor *s, struct worker *w, struct record *r,
			struct error *err);
/* WORKER_DEVICE_HELD */
int device_share_on_held(struct worker *w, struct record *r, struct error *err);
/* The same for a session that comes back, which no worker has: answer() is called at once or later.
 */
void device_share_claim(struct supervisor *s, uint32_t device, uint64_t bytes,
			device_share_answer *answer);
/* The cell does not wait any more: it is over, or its worker is. */
void device_share_stop(struct supervisor *s);
/* A cell begins; it is over, and the chunks that are there are what is held. */
void device_share_begin(struct supervisor *s);
void device_share_settle(struct supervisor *s);
/* Who holds what of each device that others hold something of. */
int device_share_table(struct supervisor *s, struct buffer *out, struct error *err);
/* The same as it is at the moment, without waiting for anybody. */
int device_share_glance(struct supervisor *s, struct buffer *out, struct error *err);

#endif
