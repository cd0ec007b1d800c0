/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading, writing and emptying the two files of session memory, arena and live memfd
 * (common/memory/arena-layout.h). A call that fails has set err, and may have done a part.
 * Thread-safe for ranges that do not overlap.
 */
#ifndef CGPU_KERNEL_STATE_ARENA_FILE_H
#define CGPU_KERNEL_STATE_ARENA_FILE_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct read_only_mount;

/* The file of a committed state. */
struct arena_file {
	int fd;
	int reader; /* for workers: reading only; -1: it is not for workers */
};

#define ARENA_FILE_INIT { -1, -1 }

/*
 * Creates an empty, sparse file of ARENA_SIZE. In `mount` its reader is one for good; without
 * (NULL, or a machine that has none), a reader can open it again for writing. On error *f is
 * ARENA_FILE_INIT.
 */
int arena_file_init(struct arena_file *f, const struct read_only_mount *mount, struct error *err);
void arena_file_release(struct arena_file *f);

/* Creates a live memfd: sparse, of ARENA_SIZE, and nobody can resize it; -1 on error. */
int arena_file_live(struct error *err);

/* Reads bytes at an offset; holes are zero. */
int arena_file_read(int fd, uint64_t at, void *out, size_t len, struct error *err);
int arena_file_write(int fd, uint64_t at, const void *data, size_t len, struct error *err);
/* Gives back the memory of [at, at + len), which is zero then. */
int arena_file_punch(int fd, uint64_t at, uint64_t len, struct error *err);
/* Copies pages to the same offset of another file. */
int arena_file_copy(int from, int to, uint64_t at, uint64_t len, struct error *err);
/* Copies pages to the same offset of another file and gives back those of the first, piece by
 * piece, so that they never take twice their memory. */
int arena_file_move(int from, int to, uint64_t at, uint64_t len, struct error *err);

/* Returns the bytes of memory that a file has, also one of device memory; 0 for -1. */
uint64_t arena_file_bytes(int fd);

#endif
