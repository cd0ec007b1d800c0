/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The session among the other kernels of the machine: what its worker asks for is asked of kernel/share/, at once or, with
 * `%limit wait`, in turn with the others. What it holds is what its chunks are: said anew whenever a cell has ended.
 */
#ifndef CGPU_KERNEL_SUPERVISOR_DEVICE_SHARE_H
#define CGPU_KERNEL_SUPERVISOR_DEVICE_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/share/share.h"

struct buffer;
struct error;
struct loop_source;
struct record;
struct supervisor;
struct worker;

struct device_share {
	struct share share;
	bool open;
	uint64_t wait_ms; /* how long a cell waits for memory, 0: not at all */
	/* The question that is not answered yet: */
	bool waiting;
	uint32_t number;
	struct share_request request;
	uint64_t asked_ms;
	struct loop_source *watch, *tick;
};

int device_share_open(struct supervisor *s, const char *path, const char *name, struct error *err);
void device_share_release(struct supervisor *s);

/* WORKER_DEVICE_ASK */
int device_share_on_ask(struct supervisor *s, struct worker *w, struct record *r, struct error *err);
/* The cell does not wait any more: it is over, or its worker is. */
void device_share_stop(struct supervisor *s);
/* A cell begins; it is over, and the chunks that are there are what is held. */
void device_share_begin(struct supervisor *s);
void device_share_settle(struct supervisor *s);
/* Who holds what of each device that others hold something of. */
int device_share_table(struct supervisor *s, struct buffer *out, struct error *err);

#endif
