/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of compressed blocks that are known by the hash of their content: equal blocks of all
 * snapshots in a folder are kept once. Blocks are only ever appended. A record that a crash has cut
 * short is at the end, and is cut off when the file is opened for writing; what is damaged
 * elsewhere is passed over. Of two records with one hash the later is meant.
 *
 *	record: magic, bytes, packed bytes, hash of these (u32 each), hash of the content (16
 *	        bytes), packed bytes (zstd)
 *
 * For one thread. Errors name the file.
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
	uint64_t offset; /* of the record; 0: slot is empty */
	uint32_t len, packed;
};

struct block_store {
	int dir; /* borrowed */
	int fd;
	uint64_t end;
	uint64_t packed;           /* bytes of all records */
	struct block_place *table; /* open addressing */
	size_t n, cap;
	bool checks; /* set by the caller: a block counts as there when it can be read */
	void *scratch, *unpacked; /* for a packed block, for another */
	void *packer, *unpacker;
};

struct block_hash block_hash(const void *data, size_t len);

/* In folder `dir`; an absent file is an empty store. writing: the caller has the folder locked. */
int block_store_open(struct block_store *s, int dir, bool writing, struct error *err);
void block_store_close(struct block_store *s);

/* len <= BLOCK_SIZE. ret_fresh: it was not there before. On error nothing of it stays. */
int block_store_put(struct block_store *s, const void *data, size_t len, struct block_hash *ret,
		    bool *ret_fresh, struct error *err);
/* Takes back what was appended beyond `end`, which s->end once was. Only block_store_close() may
 * follow. */
int block_store_cut(struct block_store *s, uint64_t end, struct error *err);
int block_store_sync(struct block_store *s, struct error *err);
/* ERROR_NOT_FOUND: not there. ERROR_INPUT: damaged. */
int block_store_get(struct block_store *s, struct block_hash hash, void *out, size_t len,
		    struct error *err);
/* Packed bytes of a block; 0: it is not there. */
uint32_t block_store_find(const struct block_store *s, struct block_hash hash);

/*
 * Rewrites the file with the blocks for which keep() is true, under its name when it is complete.
 * hook is called before that with 0, after it with 1.
 */
int block_store_sweep(struct block_store *s, bool (*keep)(void *data, struct block_hash hash),
		      void (*hook)(void *, int), void *data, struct error *err);

#endif
