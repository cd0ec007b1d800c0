/* SPDX-License-Identifier: Apache-2.0 */
/* The index is built from the records' headers whenever the file is opened, so it cannot disagree
 * with the file. */
#define _GNU_SOURCE
#include "kernel/disk/block-store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/regular-file.h"
#include "common/base/whole-io.h"

#define FILE_NAME "blocks"
#define SWEPT_NAME "blocks.new"
#define MAGIC 0x6b6c6263u /* "cblk" */
#define LEVEL 1

struct header {
	uint32_t magic, len, packed, check;
	struct block_hash hash;
};

struct block_hash block_hash(const void *data, size_t len)
{
	XXH128_hash_t h = XXH3_128bits(data, len);

	return (struct block_hash){ h.low64, h.high64 };
}

static uint32_t check_of(const struct header *h)
{
	uint32_t words[] = { h->magic, h->len, h->packed };

	return (uint32_t)XXH3_64bits_withSeed(words, sizeof(words), h->hash.low ^ h->hash.high);
}

static bool is_sound(const struct header *h)
{
	return h->magic == MAGIC && h->len && h->len <= BLOCK_SIZE &&
	       h->packed <= ZSTD_COMPRESSBOUND(BLOCK_SIZE) && h->check == check_of(h);
}

/* ---- index ---- */

static struct block_place *slot_of(const struct block_store *s, struct block_hash hash)
{
	size_t i = hash.low & (s->cap - 1);

	while (s->table[i].offset &&
	       (s->table[i].hash.low != hash.low || s->table[i].hash.high != hash.high))
		i = (i + 1) & (s->cap - 1);
	return &s->table[i];
}

static int grow(struct block_store *s, struct error *err)
{
	struct block_place *old = s->table;
	size_t n = s->cap;

	if (s->n * 2 < s->cap)
		return 0;
	s->cap = n ? n * 2 : 1024;
	s->table = calloc(s->cap, sizeof(*s->table));
	if (!s->table) {
		s->table = old;
		s->cap = n;
		return error_set(err, ERROR_MEMORY, "out of memory for the index of snapshots");
	}
	for (size_t i = 0; i < n; i++)
		if (old[i].offset)
			*slot_of(s, old[i].hash) = old[i];
	free(old);
	return 0;
}

/* Enters a record into the index. Offsets are stored plus 1, so that 0 is an empty slot. */
static int enter(struct block_store *s, const struct header *h, uint64_t offset, struct error *err)
{
	struct block_place *p;

	if (grow(s, err))
		return -1;
	p = slot_of(s, h->hash);
	s->n += !p->offset;
	/* A second record of a block was written because the first one is damaged. */
	*p = (struct block_place){ h->hash, offset + 1, h->len, h->packed };
	s->packed += sizeof(*h) + h->packed;
	return 0;
}

static const struct block_place *find(const struct block_store *s, struct block_hash hash)
{
	const struct block_place *p = s->cap ? slot_of(s, hash) : NULL;

	return p && p->offset ? p : NULL;
}

uint32_t block_store_find(const struct block_store *s, struct block_hash hash)
{
	const struct block_place *p = find(s, hash);

	return p ? (uint32_t)sizeof(struct header) + p->packed : 0;
}

/* ---- file ---- */

static bool is_record(const struct block_store *s, uint64_t at, uint64_t size, struct header *ret)
{
	return at + sizeof(*ret) <= size &&
	       whole_pread(s->fd, ret, sizeof(*ret), at) == sizeof(*ret) && is_sound(ret) &&
	       at + sizeof(*ret) + ret->packed <= size;
}

/* Finds the first record at or after `at`; size: there is none. Damaged bytes before it are
 * skipped. */
static uint64_t find_record(const struct block_store *s, uint64_t at, uint64_t size,
			    struct header *ret)
{
	static const uint32_t magic = MAGIC;

	if (is_record(s, at, size, ret))
		return at;
	for (at++; at + sizeof(*ret) <= size;) {
		off_t data = lseek(s->fd, (off_t)at, SEEK_DATA);
		const char *hit;
		size_t len;

		/* A file that was made longer than any disk would be read for years. */
		if (data < 0)
			return size;
		at = (uint64_t)data;
		len = size - at < BLOCK_SIZE ? size - at : BLOCK_SIZE;
		if (len < sizeof(*ret))
			return size;

		if (whole_pread(s->fd, s->scratch, len, at) < len)
			return size;
		hit = memmem(s->scratch, len, &magic, sizeof(magic));
		at += hit ? (uint64_t)(hit - (const char *)s->scratch) : len - sizeof(magic) + 1;
		if (hit && is_record(s, at, size, ret))
			return at;
		at += hit != NULL;
	}
	return size;
}

static int scan(struct block_store *s, struct error *err)
{
	struct stat st;
	struct header h;

	if (fstat(s->fd, &st))
		return error_errno(err, "cannot look at the blocks of snapshots");
	for (uint64_t at = 0;
	     (at = find_record(s, at, (uint64_t)st.st_size, &h)) < (uint64_t)st.st_size;) {
		if (enter(s, &h, at, err))
			return -1;
		at += sizeof(h) + h.packed;
		s->end = at;
	}
	return 0;
}

int block_store_open(struct block_store *s, int dir, bool writing, struct error *err)
{
	struct error why = ERROR_INIT;

	*s = (struct block_store){ .dir = dir, .fd = -1 };
	s->scratch = malloc(ZSTD_COMPRESSBOUND(BLOCK_SIZE) + sizeof(struct header));
	s->unpacked = malloc(BLOCK_SIZE);
	s->packer = ZSTD_createCCtx();
	s->unpacker = ZSTD_createDCtx();
	if (!s->scratch || !s->unpacked || !s->packer || !s->unpacker) {
		block_store_close(s);
		return error_set(err, ERROR_MEMORY, "out of memory for snapshots");
	}
	if (writing)
		unlinkat(dir, SWEPT_NAME, 0); /* left by a process that ended during a sweep */
	s->fd = regular_file_open(dir, FILE_NAME, writing ? O_RDWR | O_CREAT : O_RDONLY, 0600,
				  &why);
	if (s->fd < 0 && why.code == ERROR_NOT_FOUND)
		return 0;
	if (s->fd < 0)
		error_set(err, why.code, "the file `" FILE_NAME "` of snapshots: %s", why.text);
	else if (!scan(s, err) && (!writing || !block_store_cut(s, s->end, err)))
		return 0;
	block_store_close(s);
	return -1;
}

void block_store_close(struct block_store *s)
{
	free(s->table);
	free(s->scratch);
	free(s->unpacked);
	ZSTD_freeCCtx(s->packer);
	ZSTD_freeDCtx(s->unpacker);
	if (s->fd >= 0)
		close(s->fd);
	*s = (struct block_store){ .fd = -1 };
}

int block_store_cut(struct block_store *s, uint64_t end, struct error *err)
{
	return ftruncate(s->fd, (off_t)end)
		       ? error_errno(err, "cannot cut the file `" FILE_NAME "` to its end")
		       : 0;
}

static bool is_there(struct block_store *s, struct block_hash hash, size_t len)
{
	return find(s, hash) && (!s->checks || !block_store_get(s, hash, s->unpacked, len, NULL));
}

int block_store_put(struct block_store *s, const void *data, size_t len, struct block_hash *ret,
		    bool *ret_fresh, struct error *err)
{
	struct header *h = s->scratch;
	size_t packed;

	*ret = block_hash(data, len);
	*ret_fresh = !is_there(s, *ret, len);
	if (!*ret_fresh)
		return 0;
	packed = ZSTD_compressCCtx(s->packer, h + 1, ZSTD_COMPRESSBOUND(BLOCK_SIZE), data, len,
				   LEVEL);
	if (ZSTD_isError(packed))
		return error_set(err, ERROR_SYSTEM, "cannot compress a block: %s",
				 ZSTD_getErrorName(packed));
	*h = (struct header){ MAGIC, (uint32_t)len, (uint32_t)packed, 0, *ret };
	h->check = check_of(h);
	if (whole_pwrite(s->fd, h, sizeof(*h) + packed, s->end) != sizeof(*h) + packed) {
		error_errno(err, "cannot write the blocks of a snapshot");
		/* If this fails, the rest is not a valid record. */
		block_store_cut(s, s->end, NULL);
		return -1;
	}
	if (enter(s, h, s->end, err))
		return -1;
	s->end += sizeof(*h) + packed;
	return 0;
}

int block_store_sync(struct block_store *s, struct error *err)
{
	return fdatasync(s->fd) ? error_errno(err, "cannot write the blocks of a snapshot to disk")
				: 0;
}

int block_store_get(struct block_store *s, struct block_hash hash, void *out, size_t len,
		    struct error *err)
{
	const struct block_place *p = find(s, hash);
	struct block_hash got;
	size_t n;

	if (!p || p->len != len)
		return error_set(err, ERROR_NOT_FOUND,
				 "a block is missing: the file `" FILE_NAME
				 "` was cut short or is of another time");
	if (whole_pread(s->fd, s->scratch, p->packed, p->offset - 1 + sizeof(struct header)) !=
	    p->packed)
		return error_errno(err, "cannot read the blocks of a snapshot");
	n = ZSTD_decompressDCtx(s->unpacker, out, len, s->scratch, p->packed);
	got = ZSTD_isError(n) || n != len ? (struct block_hash){ 0 } : block_hash(out, len);
	if (got.low != hash.low || got.high != hash.high)
		return error_set(err, ERROR_INPUT,
				 "a block is damaged in the file `" FILE_NAME "`");
	return 0;
}

static int copy_kept(struct block_store *s, int fd,
		     bool (*keep)(void *data, struct block_hash hash), void *data,
		     struct error *err)
{
	struct header h;
	uint64_t out = 0;

	for (uint64_t at = 0; (at = find_record(s, at, s->end, &h)) < s->end;
	     at += sizeof(h) + h.packed) {
		if (find(s, h.hash)->offset != at + 1 || !keep(data, h.hash))
			continue;
		if (whole_pread(s->fd, s->scratch, sizeof(h) + h.packed, at) !=
		    sizeof(h) + h.packed)
			return error_errno(err, "cannot read the blocks of snapshots");
		if (whole_pwrite(fd, s->scratch, sizeof(h) + h.packed, out) != sizeof(h) + h.packed)
			return error_errno(err, "cannot write the blocks of snapshots");
		out += sizeof(h) + h.packed;
	}
	return fdatasync(fd) ? error_errno(err, "cannot write the blocks of snapshots to disk") : 0;
}

int block_store_sweep(struct block_store *s, bool (*keep)(void *data, struct block_hash hash),
		      void (*hook)(void *, int), void *data, struct error *err)
{
	cleanup_fd int fd =
		regular_file_open(s->dir, SWEPT_NAME, O_RDWR | O_CREAT | O_TRUNC, 0600, err);

	if (fd < 0)
		return error_wrap(err, "cannot make a copy of the blocks of snapshots");
	if (copy_kept(s, fd, keep, data, err)) {
		unlinkat(s->dir, SWEPT_NAME, 0);
		return -1;
	}
	hook(data, 0);
	if (renameat(s->dir, SWEPT_NAME, s->dir, FILE_NAME) || fsync(s->dir))
		return error_errno(err, "cannot put the copy of the blocks in their place");
	hook(data, 1);
	return 0;
}
