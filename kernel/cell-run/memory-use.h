/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures the host memory of a session as Linux counts it: the pages of the arena's memfd, the
 * other memory of its worker, and the processes that cells have started. Emulated device memory has
 * a limit of its own and is left out, also in a checker (checker.h). It also attributes the memory
 * to cells and variables.
 */
#ifndef CGPU_KERNEL_CELL_RUN_MEMORY_USE_H
#define CGPU_KERNEL_CELL_RUN_MEMORY_USE_H

#include <stdbool.h>
#include <stdint.h>

struct buffer;
struct supervisor;
struct worker;

/* Memory of a worker without a session (its libraries, the emulator's tables), which does not count
 * against the limit. */
#define MEMORY_USE_BASE (96ull << 20)

struct memory_use {
	uint64_t session;       /* of the arena */
	uint64_t worker;        /* of the worker, without the arena */
	uint64_t children;      /* of processes that cells have started */
	uint64_t shared;        /* files of memory that either holds; 0 unless exact */
	uint64_t shadow_copies; /* copies of what cells overwrite whole, kernel/state/shadow-copy.h
				 */
};

/* Measures the memory. With exact, which takes longer, a page that several processes share since a
 * fork() is counted once, files of memory are counted though nobody has them mapped
 * (shared-memory.h), and files of disks are not though they are. w: NULL for none. */
struct memory_use memory_use_now(const struct supervisor *s, const struct worker *w, bool exact);
/* Returns the memory of the machine in the files that hold the session's state: the arena and
 * chunks of emulated device memory. */
uint64_t memory_use_kept(const struct supervisor *s);
uint64_t memory_use_total(const struct memory_use *u);

/* Appends lines for the text of an OutOfMemory: which cells and variables hold most. w is the
 * worker at this moment. */
void memory_use_holders(struct supervisor *s, const struct worker *w, const struct memory_use *u,
			struct buffer *out);

#endif
