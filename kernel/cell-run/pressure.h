/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detects thrashing of the machine. Linux counts the time in which all processes with work to do
 * waited for memory (pressure stall information, Documentation/accounting/psi.rst, line "full").
 * The share of that time in a window of PRESSURE_WINDOW_MS decides: a machine over PRESSURE_PERCENT
 * is not usable any more.
 *
 * The file is read, which any user may do; a trigger with poll() is for privileged processes only,
 * and the watchdog runs anyway.
 */
#ifndef CGPU_KERNEL_CELL_RUN_PRESSURE_H
#define CGPU_KERNEL_CELL_RUN_PRESSURE_H

#include <stdbool.h>
#include <stdint.h>

#define PRESSURE_WINDOW_MS 2000u
#define PRESSURE_PERCENT 40u

struct pressure {
	int fd;             /* -1: this Linux does not report it */
	uint64_t window_ms; /* start of the window */
	uint64_t window_us; /* the count at the start */
	unsigned percent;   /* of the last whole window */
};

/* proc_dir: "/proc". */
void pressure_init(struct pressure *p, const char *proc_dir);
void pressure_release(struct pressure *p);
/* Starts a window. */
void pressure_begin(struct pressure *p, uint64_t now_ms);
/* True when a window has ended in which the machine thrashed; the next window has started then. */
bool pressure_is_high(struct pressure *p, uint64_t now_ms);

#endif
