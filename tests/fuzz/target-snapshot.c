/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot_file_read(): a file in a folder that cells can write. The hash of the record is made
 * right, since whoever writes such a file can make it so, too. Input: the record.
 */
#include "kernel/disk/snapshot-file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "tests/fuzz/fuzz.h"

#define HEAD 16 /* bytes before the record, and 8 of its hash behind it */

static void make_good(struct buffer *b)
{
	uint64_t len = b->len - HEAD - 8, hash = XXH3_64bits(b->data + HEAD, len);

	memcpy(b->data + 8, &len, 8);
	memcpy(b->data + b->len - 8, &hash, 8);
}

static bool one(const uint8_t *data, size_t size)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct snapshot_file f;

	buffer_puts(&b, "cgpusnap");
	buffer_append(&b, "\0\0\0\0\0\0\0", 8);
	buffer_append(&b, data, size);
	buffer_append(&b, "\0\0\0\0\0\0\0", 8);
	make_good(&b);
	fuzz_file("fuzzed" SNAPSHOT_SUFFIX, b.data, b.len);
	if (snapshot_file_read(fuzz_folder(), "fuzzed", &f, NULL))
		return false;
	snapshot_file_release(&f);
	return true;
}

static bool seed(unsigned i, struct buffer *to)
{
	struct snapshot_file f = { .owner = 7, .time = 1795851739, .count = 12, .layout = 77 };
	struct snapshot_block block = { 0x200000000000, BLOCK_SIZE, { 1, 2 } };
	cleanup_buffer struct buffer read = BUFFER_INIT;
	char path[128];

	if (i > 1)
		return false;
	for (unsigned k = 0; k < 3 * i; k++, block.address += BLOCK_SIZE)
		if (snapshot_file_add(&f, &block, NULL))
			abort();
	if (i) {
		f.top[0] = 64 * ARENA_PAGE;
		buffer_puts(&f.libraries, "libraries");
		buffer_puts(&f.units, "units");
		buffer_puts(&f.session, "session");
		buffer_puts(&f.lost, "2 threads");
	}
	if (snapshot_file_write(fuzz_folder(), "written", &f, false, NULL, NULL))
		abort();
	snapshot_file_release(&f);
	snprintf(path, sizeof(path), "%s/written" SNAPSHOT_SUFFIX, fuzz_path());
	fuzz_read(path, &read);
	buffer_append(to, read.data + HEAD, read.len - HEAD - 8);
	return true;
}

const struct fuzz_target fuzz_snapshot = { one, seed, 20000 };
