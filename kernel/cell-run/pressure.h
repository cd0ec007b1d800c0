/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does the machine thrash? Linux counts the time in which all processes that had work to do waited
 * for memory (pressure stall information, Documentation/accounting/psi.rst, line "full"). The share
 * of it in a window of PRESSURE_WINDOW_MS is what counts: a machine on which it is over
 * PRESSURE_PERCENT answers nobody any more.
 *
 * The file is read, which any user may; a trigger with poll() is for privileged ones only, and the
 * watchdog looks anyway.
 */
#ifndef CGPU_KERNEL_CELL_RUN_PRESSURE_H
#define CGPU_KERNEL_CELL_RUN_PRESSURE_H

#include <stdbool.h>
#include <stdint.h>

#define PRESSURE_WINDOW_MS 2000u
#define PRESSURE_PERCENT 40u

struct pressure {
	int fd;             /* -1: this Linux does not tell */
	uint64_t window_ms; /* start of the window */
	uint64_t window_us; /* the count then */
	unsigned percent;   /* of the last whole window */
};

/* proc_dir: "/proc". */
void pressure_init(struct pressure *p, const char *proc_dir);
void pressure_release(struct pressure *p);
/* A window starts. */
void pressure_begin(struct pressure *p, uint64_t now_ms);
/* True when a window has ended in which the machine thrashed; the next one has started then. */
bool pressure_is_high(struct pressure *p, uint64_t now_ms);

#endif
