/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device memory of the session by owner, and the time of launches, in memory that the worker writes
 * and the kernel process reads at any time, also while a cell runs, without a question or a wait.
 * The table is protected by a sequence number, odd while it is written (a seqlock); a reader that
 * meets a write keeps its old copy.
 */
#ifndef CGPU_COMMON_PROTOCOL_DEVICE_WATCH_H
#define CGPU_COMMON_PROTOCOL_DEVICE_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define DEVICE_WATCH_ROWS 10

struct device_watch_row {
	char name[48]; /* "" unknown */
	uint64_t size;
	uint32_t cell;
	uint32_t pad;
};

struct device_watch_table {
	uint32_t n_rows;
	uint32_t
		n_left; /* buffers without a row, which are all smaller; bytes_left is their size */
	uint64_t bytes_left;
	struct device_watch_row rows[DEVICE_WATCH_ROWS]; /* the largest first */
};

/* Launches of an emulated device, by clock_now_ns(). */
struct device_busy {
	_Atomic uint32_t running;
	_Atomic uint64_t since_ns; /* start of the time with at least one running */
	_Atomic uint64_t busy_ns;  /* total time with at least one running, before since_ns */
};

struct device_watch {
	_Atomic uint32_t
		wanted; /* set by the kernel process: the table is updated while a cell runs */
	_Atomic uint32_t sequence;
	_Atomic uint64_t used, limit; /* bytes, counted as for the limit */
	struct device_busy busy;
	struct device_watch_table table;
};

void device_watch_put(struct device_watch *w, const struct device_watch_table *t);
/* Reads the table. False: it is being written. The writer is not trusted: counts are limited and
 * names terminated. */
bool device_watch_get(const struct device_watch *w, struct device_watch_table *ret);
/* Returns the nanoseconds until now in which a launch ran. */
uint64_t device_busy_ns(const struct device_busy *b, uint64_t now_ns);

#endif
