/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal of one commit: a copy of the pages that a cell has overwritten, taken out of the
 * worker before the arena's memfd is touched. It is in the kernel's memory, not on disk, since it
 * guards against the death of the worker, and the memfd dies with the kernel.
 *
 * Used by kernel/state/commit.c alone.
 */
#ifndef CGPU_KERNEL_STATE_JOURNAL_H
#define CGPU_KERNEL_STATE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "kernel/state/dirty-pages.h"

struct error;

enum commit_step {
#define STEP(symbol, name) COMMIT_##symbol,
#include "kernel/state/commit-steps.def"
#undef STEP
	COMMIT_STEPS
};

/* Is called at each step of a commit. */
struct commit_hook {
	void (*fn)(void *data, enum commit_step step);
	void *data;
};

static inline void commit_hook_call(const struct commit_hook *hook, enum commit_step step)
{
	if (hook && hook->fn)
		hook->fn(hook->data, step);
}

enum journal_state { JOURNAL_RUNNING, JOURNAL_STAGED, JOURNAL_APPLIED };

/* Old content of the pages that a commit overwrites, for rollback and undo. */
struct preimage {
	struct dirty_ranges ranges;
	/* ranges.bytes of content, one range after the other; the block has `mapped` bytes of
	 * kernel/state/kept-memory.h. */
	char *data;
	size_t mapped;
	bool valid;            /* false: the commit was larger than what is kept */
	struct preimage *next; /* another part of the same commit; on the heap, owned */
};

struct journal {
	enum journal_state state;
	struct dirty_ranges ranges; /* addresses in the worker; filled while RUNNING */
	/* The pages, one range after the other; a block of kernel/state/kept-memory.h. */
	char *data;
	size_t capacity;
	struct journal_slice *slices; /* how threads divide `ranges`, from STAGED on */
	size_t n_slices;
	struct preimage preimage; /* valid from APPLIED to journal_reset() */
};

void journal_release(struct journal *j);

/* RUNNING -> STAGED: copy `ranges` out of the process. On error the journal is RUNNING and empty.
 */
int journal_stage(struct journal *j, pid_t pid, struct error *err);

/*
 * STAGED -> APPLIED: save the pre-image when it is not larger than keep_bytes and there is memory
 * for it, then write the pages to the memfd at address - base. On error what was written is taken
 * back when there is a pre-image; the state stays STAGED and the call can be repeated. hook may be
 * NULL; it may be called from any of the threads that copy.
 */
int journal_apply(struct journal *j, int memfd, uint64_t base, uint64_t keep_bytes,
		  const struct commit_hook *hook, struct error *err);

/* STAGED or APPLIED: calls fn for each copied part of [address, address + size). */
void journal_each(const struct journal *j, uint64_t address, uint64_t size,
		  void (*fn)(void *data, uint64_t address, const char *bytes, size_t len),
		  void *data);

/* Any state -> RUNNING. Everything is forgotten; one block of memory is kept for the next
 * commit. */
void journal_reset(struct journal *j);

/* STAGED -> RUNNING: hands the copied pages over instead of applying them: ranges and data are the
 * caller's, as in struct preimage. */
void journal_take_out(struct journal *j, struct dirty_ranges *ret_ranges, char **ret_data,
		      size_t *ret_mapped);
/* RUNNING -> STAGED: with pages that were taken out. On success they are the journal's, on error
 * still the caller's, and the journal is RUNNING and empty. */
int journal_put_in(struct journal *j, struct dirty_ranges *ranges, char *data, size_t mapped,
		   struct error *err);

/* Takes over the pre-image; the caller releases it. */
struct preimage journal_steal_preimage(struct journal *j);
/* Writes the pre-image back. It can be repeated. */
int preimage_restore(const struct preimage *p, int memfd, uint64_t base, struct error *err);
void preimage_release(struct preimage *p);
/* Returns the bytes of memory that the pre-image takes. */
uint64_t preimage_bytes(const struct preimage *p);

#endif
