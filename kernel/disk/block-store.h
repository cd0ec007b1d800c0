/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A content-addressed file of compressed blocks: blocks are found by the hash of their content, and
 * equal blocks of all snapshots in a folder are stored once. Blocks are only appended. A record
 * that a crash has cut short is at the end, and is cut off when the file is opened for writing;
 * damage elsewhere is skipped. Of two records with one hash the later counts.
 *
 *	record: magic, bytes, packed bytes, hash of these (u32 each), hash of the content (16
 *	        bytes), packed bytes (zstd)
 *
 * Not thread-safe. Errors name the file.
 */
#ifndef CGPU_KERNEL_DISK_BLOCK_STORE_H
#define CGPU_KERNEL_DISK_BLOCK_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

#define BLOCK_SIZE (64u * 1024)

struct block_hash {
	uint64_t low, high;
};

struct block_place {
	struct block_hash hash;
	uint64_t offset; /* file offset of the record; 0: the slot is empty */
	uint32_t len, packed;
};

struct block_store {
	int dir; /* borrowed */
	int fd;
	uint64_t end;
	uint64_t packed;           /* bytes of all records */
	struct block_place *table; /* open addressing */
	size_t n, cap;
	/* Set by the caller: a block counts as present only if it can be read. */
	bool checks;
	void *scratch, *unpacked; /* for one packed block; for one unpacked */
	void *packer, *unpacker;
};

struct block_hash block_hash(const void *data, size_t len);

/* Opens the store in folder `dir`; an absent file is an empty store. With writing, the caller has
 * the folder locked. */
int block_store_open(struct block_store *s, int dir, bool writing, struct error *err);
void block_store_close(struct block_store *s);

/* Adds a block; len <= BLOCK_SIZE. ret_fresh: it was not in the store before. On error no part of
 * it stays. */
int block_store_put(struct block_store *s, const void *data, size_t len, struct block_hash *ret,
		    bool *ret_fresh, struct error *err);
/* Removes what was appended beyond `end`, an earlier value of s->end. Only block_store_close() may
 * follow. */
int block_store_cut(struct block_store *s, uint64_t end, struct error *err);
int block_store_sync(struct block_store *s, struct error *err);
/* Reads a block. ERROR_NOT_FOUND: it is absent. ERROR_INPUT: it is damaged. */
int block_store_get(struct block_store *s, struct block_hash hash, void *out, size_t len,
		    struct error *err);
/* Returns the packed bytes of a block; 0: it is absent. */
uint32_t block_store_find(const struct block_store *s, struct block_hash hash);

/*
 * Rewrites the file with the blocks for which keep() is true, and renames it into place when it is
 * complete. hook is called with 0 before the rename and with 1 after it.
 */
int block_store_sweep(struct block_store *s, bool (*keep)(void *data, struct block_hash hash),
		      void (*hook)(void *, int), void *data, struct error *err);

#endif
