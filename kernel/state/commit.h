/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes what a finished cell did to the arena the committed state: header check, scan for
 * overwritten pages, journal, memfd. The worker must be quiet: between WORKER_CELL_END and
 * WORKER_COMMITTED, or stopped outside its allocator.
 */
#ifndef CGPU_KERNEL_STATE_COMMIT_H
#define CGPU_KERNEL_STATE_COMMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/memory/arena-layout.h"
#include "kernel/state/journal.h"

struct error;
struct snapshot;

struct commit_report {
	uint64_t bytes; /* copied */
	uint64_t ns;
};

struct commit_source {
	pid_t pid;
	int pagemap; /* from dirty_pages_open() */
	const struct dirty_pages *method;
};

/* A commit between its steps. */
struct commit {
	struct snapshot *snapshot;
	struct journal *journal;
	const struct commit_hook *hook;
	struct arena_header header;
	pid_t pid;
	uint64_t bytes; /* to be copied */
	uint64_t began_ns;
	bool goes_on; /* the cell is not over: bring the shadow copies up to date at once, its
			 ranges are not shared from here on */
	struct preimage *saved; /* what that has found for undo */
	bool saved_lost;
};

/*
 * Check the header and find what was overwritten. 0: commit_copy() and commit_end() must follow;
 * -1: nothing has changed. hook may be NULL.
 */
int commit_begin(struct commit *c, struct snapshot *s, struct journal *j,
		 const struct commit_source *from, const struct commit_hook *hook,
		 struct error *err);
/* Better on a thread of its own? About two milliseconds of copying. */
bool commit_is_large(const struct commit *c);
/* The work in proportion to `bytes`; may run on another thread, as long as nobody else uses
 * snapshot or journal. */
int commit_copy(struct commit *c, struct error *err);
/* Copied: the snapshot holds the cell's state. If not: it holds the state before. The journal is
 * RUNNING and empty. */
void commit_end(struct commit *c, bool copied, struct commit_report *ret);

/* More old content for the newest entry of the undo log, an owned list; lost: there was more than
 * is kept. */
void commit_add_saved(struct snapshot *s, struct preimage *saved, bool lost);

/* All three. 0: the snapshot holds the cell's state. -1: it holds the state before the cell. */
int commit_cell(struct snapshot *s, struct journal *j, const struct commit_source *from,
		const struct commit_hook *hook, struct commit_report *ret, struct error *err);

/* "begin", "header", ... */
const char *commit_step_name(enum commit_step step);

#endif
