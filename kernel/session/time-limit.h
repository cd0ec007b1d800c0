/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a cell may be at work, from its first magic to its reply: compilation, commands, waits
 * for a device and for input count, other cells in the queue do not. One that takes longer is
 * interrupted, and again every second until it has ended.
 */
#ifndef CGPU_KERNEL_SESSION_TIME_LIMIT_H
#define CGPU_KERNEL_SESSION_TIME_LIMIT_H

#include <stdint.h>

struct loop_source;
struct session;

struct time_limit {
	uint64_t ms;   /* 0: none */
	uint64_t most; /* that a cell may set; 0: any */
	struct loop_source *timer;
};

/* Sets the limit; the time of the cell at work begins anew. 0: none. */
void time_limit_set(struct session *s, uint64_t ms);
/* A cell is at work. */
void time_limit_begin(struct session *s);
void time_limit_end(struct session *s);

#endif
