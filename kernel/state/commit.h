/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commit: turns the changes of a finished cell in the arena into the committed state, in the steps
 * header check, scan for dirty and fresh pages, journal, write to the memfd. The worker must be
 * quiet: between WORKER_CELL_END and WORKER_COMMITTED, or stopped outside its allocator.
 */
#ifndef CGPU_KERNEL_STATE_COMMIT_H
#define CGPU_KERNEL_STATE_COMMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/memory/arena-layout.h"
#include "kernel/state/fresh-pages.h"
#include "kernel/state/journal.h"

struct error;
struct redo;
struct snapshot;

struct commit_report {
	uint64_t bytes; /* copied */
	uint64_t ns;
};

struct commit_source {
	pid_t pid;
	int pagemap; /* from dirty_pages_open() */
	const struct dirty_pages *method;
	/* Heap that no state which can be returned to uses, sorted; NULL: none. It must stay valid
	 * until commit_end(). */
	const struct dirty_ranges *given_back;
};

/* A commit in progress. */
struct commit {
	struct snapshot *snapshot;
	struct journal *journal;
	const struct commit_hook *hook;
	struct arena_header header;
	struct fresh_pages fresh;
	struct dirty_ranges stay; /* fresh pages that stay in the live memfd */
	const struct dirty_ranges *given_back;
	pid_t pid;
	uint64_t bytes; /* to be copied, without fresh pages that are moved */
	uint64_t began_ns;
	/* The cell is not over (a checkpoint): all in-place ranges are committed in the arena
	 * memfd at once, and from here on they are not shared. */
	bool goes_on;
	/* Other processes have fresh memory from the live memfd: it keeps its pages, and is not
	 * used by the worker any more. */
	bool forked;
	bool ended_worker;      /* to make room: its death says nothing of the cell */
	struct preimage *saved; /* pre-images that this update has found, for undo */
	bool saved_lost;
};

/*
 * Checks the header and finds the dirty pages. 0: commit_copy() and commit_end() must follow; -1:
 * nothing has changed. hook may be NULL.
 */
int commit_begin(struct commit *c, struct snapshot *s, struct journal *j,
		 const struct commit_source *from, const struct commit_hook *hook,
		 struct error *err);
/* After commit_begin(): leaves large ranges of fresh memory in the live memfd for the time being,
 * as far as there is room for shadow copies, so that the reply need not wait for the copying. No
 * thread of a cell may live. */
void commit_leave_fresh(struct commit *c);
/* Tells whether the commit is worth a thread of its own, with about two milliseconds of copying. */
bool commit_is_large(const struct commit *c);
/* Copies the dirty pages and moves fresh ones. It may run on another thread, as long as nobody else
 * uses snapshot or journal. */
int commit_copy(struct commit *c, struct error *err);
/* Ends the commit in another way: the cell's state goes into ret, a redo image without device
 * memory and units, and the snapshot holds the state before. -1: the state is too large, or cannot
 * be read. */
int commit_set_aside(struct commit *c, struct redo *ret, struct error *err);
/* Ends the commit. With copied, the snapshot holds the cell's state, otherwise the state before.
 * The journal is RUNNING and empty. */
void commit_end(struct commit *c, bool copied, struct commit_report *ret);

/* Adds pre-images, an owned list, to the newest entry of the undo log. lost: more was overwritten
 * than the log keeps. */
void commit_add_saved(struct snapshot *s, struct preimage *saved, bool lost);

/* Runs all three steps. 0: the snapshot holds the cell's state. -1: it holds the state before the
 * cell. */
int commit_cell(struct snapshot *s, struct journal *j, const struct commit_source *from,
		const struct commit_hook *hook, struct commit_report *ret, struct error *err);

/* Returns the name of a step, such as "begin" or "header". */
const char *commit_step_name(enum commit_step step);

#endif
