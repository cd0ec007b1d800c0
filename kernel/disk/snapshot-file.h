/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a snapshot on disk consists of, but for the content of its blocks
 * (kernel/disk/block-store.h). One file NAME.snapshot in the notebook's folder:
 *
 *	magic, bytes of the record, the record, hash of the record
 *
 * It is written to a temporary file, synchronised and renamed: the old snapshot of that name is
 * there, or the new one.
 */
#ifndef CGPU_KERNEL_DISK_SNAPSHOT_FILE_H
#define CGPU_KERNEL_DISK_SNAPSHOT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"
#include "common/memory/arena-layout.h"
#include "kernel/disk/block-store.h"

struct error;

#define SNAPSHOT_NAME_MAX 64
#define SNAPSHOT_SUFFIX ".snapshot"
/* Automatic ones: of this kernel process, and of the one before it. */
#define SNAPSHOT_CURRENT "current"
#define SNAPSHOT_LAST "last"

enum save_step {
#define STEP(symbol, name) SAVE_##symbol,
#include "kernel/disk/save-steps.def"
#undef STEP
	SAVE_STEPS
};

/* Told of each step of a save as it is reached. */
struct save_hook {
	void (*fn)(void *data, enum save_step step);
	void *data;
};

static inline void save_hook_call(const struct save_hook *hook, enum save_step step)
{
	if (hook && hook->fn)
		hook->fn(hook->data, step);
}

/* Bytes that are not all zero. */
struct snapshot_block {
	uint64_t address;
	uint32_t len;
	struct block_hash hash;
};

struct snapshot_file {
	uint64_t owner;  /* the kernel process that made it */
	int64_t time;    /* seconds since 1970 */
	uint32_t count;  /* execution count */
	uint32_t epoch;  /* of the worker pool: handles of drivers up to it are void */
	uint64_t layout; /* of the tables in META: only workers with the same can take it over */
	uint64_t top[ARENA_REGIONS];
	uint64_t heap_freed;
	uint64_t changes; /* snapshot.changes when it was made; means something to the owner */
	struct buffer libraries; /* payload of WORKER_LIBRARIES_ARE behind the layout */
	struct buffer loaded;    /* [str path]: those that the zygote was told to load */
	struct buffer units;     /* unit_table_encode() */
	struct buffer device;    /* [u64 address, u64 size] of device memory */
	struct buffer session;   /* the session layer's own */
	struct buffer lost; /* text: what belongs to the process and will not come back; empty for
			       nothing */
	struct snapshot_block *blocks; /* by address */
	size_t n_blocks, cap_blocks;
};

void snapshot_file_release(struct snapshot_file *f);
int snapshot_file_add(struct snapshot_file *f, const struct snapshot_block *b, struct error *err);

/* Letters, digits, '_', '-' and '.', not in front. */
bool snapshot_name_is_good(const char *name);

/* ERROR_NOT_FOUND: no such snapshot; ERROR_INPUT: damaged, or of another version. */
int snapshot_file_read(int dir, const char *name, struct snapshot_file *ret, struct error *err);
/* What a process has left that ended while it wrote; the folder is locked. */
void snapshot_file_clean(int dir);
/* automatic: name is SNAPSHOT_CURRENT, and one of another owner becomes SNAPSHOT_LAST. The folder
 * is not synchronised yet. On error nothing of it is there. */
int snapshot_file_write(int dir, const char *name, const struct snapshot_file *f, bool automatic,
			const struct save_hook *hook, struct error *err);
/* What SNAPSHOT_LAST means to this owner: the newest automatic one of another process. */
const char *snapshot_file_last(int dir, uint64_t owner);
int snapshot_file_drop(int dir, const char *name, struct error *err);
/* Calls fn for each name, sorted. */
int snapshot_file_each(int dir, void (*fn)(void *data, const char *name), void *data,
		       struct error *err);

#endif
