/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes what a finished cell did to the arena the committed state: header check, scan for overwritten pages, journal,
 * memfd. The worker must be quiet: between WORKER_CELL_END and WORKER_COMMITTED, or stopped outside its allocator.
 */
#ifndef CGPU_KERNEL_SUPERVISOR_COMMIT_H
#define CGPU_KERNEL_SUPERVISOR_COMMIT_H

#include <stdint.h>
#include <sys/types.h>

#include "kernel/supervisor/journal.h"

struct error;
struct snapshot;

struct commit_report {
	uint64_t bytes; /* copied */
	uint64_t ns;
};

struct commit_source {
	pid_t pid;
	int pagemap;                     /* from dirty_pages_open() */
	const struct dirty_pages *method;
};

/*
 * 0: the snapshot holds the cell's state. -1: it holds the state before the cell. hook may be NULL. The journal is RUNNING
 * and empty afterwards.
 */
int commit_cell(struct snapshot *s, struct journal *j, const struct commit_source *from,
		const struct commit_hook *hook, struct commit_report *ret, struct error *err);

/* "begin", "header", ... */
const char *commit_step_name(enum commit_step step);

#endif
