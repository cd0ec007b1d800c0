/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The format of a snapshot on disk, without the content of its blocks (kernel/disk/block-store.h).
 * It is one file NAME.snapshot in the notebook's folder:
 *
 *	magic, bytes of the record, the record, hash of the record
 *
 * It is written atomically, to a temporary file that is synchronised and renamed: after a crash
 * there is the old snapshot of that name or the new one.
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
/* Automatic snapshots: of this kernel process, and of the one before it. */
#define SNAPSHOT_CURRENT "current"
#define SNAPSHOT_LAST "last"

enum save_step {
#define STEP(symbol, name) SAVE_##symbol,
#include "kernel/disk/save-steps.def"
#undef STEP
	SAVE_STEPS
};

/* Is called at each step of a save. */
struct save_hook {
	void (*fn)(void *data, enum save_step step);
	void *data;
};

static inline void save_hook_call(const struct save_hook *hook, enum save_step step)
{
	if (hook && hook->fn)
		hook->fn(hook->data, step);
}

/* A block of memory that is not all zero. */
struct snapshot_block {
	uint64_t address;
	uint32_t len;
	struct block_hash hash;
};

struct snapshot_file {
	uint64_t owner; /* number of the kernel process that made it */
	int64_t time;   /* seconds since 1970 */
	uint32_t count; /* execution count */
	uint32_t epoch; /* of the worker pool: handles of drivers from it or before are void */
	/* Layout of the tables in META: only workers with the same one can take the session
	 * over. */
	uint64_t layout;
	uint64_t top[ARENA_REGIONS];
	uint64_t heap_freed;
	uint64_t changes;        /* snapshot.changes of that moment; for the owner only */
	struct buffer libraries; /* payload of WORKER_LIBRARIES_ARE behind the layout */
	struct buffer loaded;    /* [str path]: libraries that the zygote was told to load */
	struct buffer units;     /* unit_table_encode() */
	struct buffer device;    /* [u64 address, u64 size] of device memory */
	struct buffer session;   /* data of the session layer */
	/* Text: what belonged to the process and cannot be restored; empty for nothing. */
	struct buffer lost;
	struct snapshot_block *blocks; /* by address */
	size_t n_blocks, cap_blocks;
};

void snapshot_file_release(struct snapshot_file *f);
int snapshot_file_add(struct snapshot_file *f, const struct snapshot_block *b, struct error *err);

/* Tells whether a name has only letters, digits, '_', '-' and '.', and does not begin with '.'. */
bool snapshot_name_is_good(const char *name);

/* Reads a snapshot. ERROR_NOT_FOUND: there is none; ERROR_INPUT: damaged, or of another version. */
int snapshot_file_read(int dir, const char *name, struct snapshot_file *ret, struct error *err);
/* Removes temporary files of a process that ended while it wrote; the folder is locked. */
void snapshot_file_clean(int dir);
/*
 * Writes a snapshot. With automatic, the name is SNAPSHOT_CURRENT, and an old one of another owner
 * is renamed to SNAPSHOT_LAST. The folder is not synchronised yet. On error no part of the new file
 * is there.
 */
int snapshot_file_write(int dir, const char *name, const struct snapshot_file *f, bool automatic,
			const struct save_hook *hook, struct error *err);
/* Returns the name of SNAPSHOT_LAST for this owner: the newest automatic snapshot of another
 * process. */
const char *snapshot_file_last(int dir, uint64_t owner);
int snapshot_file_drop(int dir, const char *name, struct error *err);
/* Calls fn for each name, in sorted order. */
int snapshot_file_each(int dir, void (*fn)(void *data, const char *name), void *data,
		       struct error *err);

#endif
