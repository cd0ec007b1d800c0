/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much device memory the session uses and who holds it, and when launches ran, as the worker
 * writes it into memory that the kernel process reads at any time, also while a cell runs: nobody
 * asks and nobody waits. The table is behind a sequence number, odd while it is written; who finds
 * it so keeps what he had.
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
	uint32_t n_left; /* buffers without a row, all smaller, and what they hold */
	uint64_t bytes_left;
	struct device_watch_row rows[DEVICE_WATCH_ROWS]; /* the largest first */
};

/* Launches of an emulated device; on the clock of clock_now_ns(). */
struct device_busy {
	_Atomic uint32_t running;
	_Atomic uint64_t since_ns; /* at least one has been running */
	_Atomic uint64_t busy_ns;  /* that at least one ran, before that */
};

struct device_watch {
	_Atomic uint32_t wanted; /* by the kernel process: the table is renewed while a cell runs */
	_Atomic uint32_t sequence;
	_Atomic uint64_t used, limit; /* bytes, as the cap counts them */
	struct device_busy busy;
	struct device_watch_table table;
};

void device_watch_put(struct device_watch *w, const struct device_watch_table *t);
/* False: it is being written. What the writer is not trusted with is mended: counts, and the ends
 * of names. */
bool device_watch_get(const struct device_watch *w, struct device_watch_table *ret);
/* Nanoseconds until now during which a launch ran. */
uint64_t device_busy_ns(const struct device_busy *b, uint64_t now_ns);

#endif
