/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much host memory a session uses, as Linux counts it: the pages of the arena's memfd, what its
 * worker has of its own beside them, and what the processes have that cells have started. Emulated
 * device memory has a limit of its own and is left out, also in a checker (checker.h). And who
 * holds it: cells and variables.
 */
#ifndef CGPU_KERNEL_CELL_RUN_MEMORY_USE_H
#define CGPU_KERNEL_CELL_RUN_MEMORY_USE_H

#include <stdbool.h>
#include <stdint.h>

struct buffer;
struct supervisor;
struct worker;

/* A worker without a session: its libraries, the emulator's tables. Not counted against the limit.
 */
#define MEMORY_USE_BASE (96ull << 20)

struct memory_use {
	uint64_t session;       /* of the arena */
	uint64_t worker;        /* of the worker beside it */
	uint64_t children;      /* of processes that cells have started */
	uint64_t shadow_copies; /* copies of what cells overwrite whole, kernel/state/shadow-copy.h
				 */
};

/* exact: a page that several processes share since a fork() is counted once, which takes longer. w:
 * NULL for none. */
struct memory_use memory_use_now(const struct supervisor *s, const struct worker *w, bool exact);
/* Memory of the machine in the files that the session's state is in: the arena, chunks of emulated
 * device memory. */
uint64_t memory_use_kept(const struct supervisor *s);
uint64_t memory_use_total(const struct memory_use *u);

/* Lines for the text of an OutOfMemory: who holds most. w is the worker as it is at this moment. */
void memory_use_holders(struct supervisor *s, const struct worker *w, const struct memory_use *u,
			struct buffer *out);

#endif
