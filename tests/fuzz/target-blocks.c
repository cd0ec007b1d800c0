/* SPDX-License-Identifier: Apache-2.0 */
/* The block store: a file of snapshots' blocks in a folder that cells can write. Input: the file.
 */
#include "kernel/disk/block-store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buffer.h"
#include "tests/fuzz/fuzz.h"

#define BLOCKS 3
#define SIZE 4096

static void fill(char block[SIZE], int n)
{
	for (size_t i = 0; i < SIZE; i++)
		block[i] = (char)(i / 64 * (size_t)(n + 1));
}

static bool one(const uint8_t *data, size_t size)
{
	struct block_store s;
	char block[SIZE], read[SIZE];
	bool all = true;

	fuzz_file("blocks", data, size);
	if (block_store_open(&s, fuzz_folder(), false, NULL))
		return false;
	for (int n = 0; n < BLOCKS; n++) {
		fill(block, n);
		if (block_store_get(&s, block_hash(block, SIZE), read, SIZE, NULL))
			all = false;
		else if (memcmp(read, block, SIZE))
			abort(); /* what is not damaged is what it was */
	}
	block_store_close(&s);
	return all;
}

static bool seed(unsigned i, struct buffer *to)
{
	struct block_store s;
	struct block_hash hash;
	char block[SIZE], path[128];
	bool fresh;

	if (i)
		return false;
	fuzz_file("blocks", "", 0);
	if (block_store_open(&s, fuzz_folder(), true, NULL))
		abort();
	for (int n = 0; n < BLOCKS; n++) {
		fill(block, n);
		if (block_store_put(&s, block, SIZE, &hash, &fresh, NULL))
			abort();
	}
	block_store_close(&s);
	snprintf(path, sizeof(path), "%s/blocks", fuzz_path());
	fuzz_read(path, to);
	return true;
}

const struct fuzz_target fuzz_blocks = { one, seed, 5000 };
