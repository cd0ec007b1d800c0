/* SPDX-License-Identifier: Apache-2.0 */
/* The hash covers the whole record, so that decoding can rely on what was encoded. */
#define _GNU_SOURCE
#include "kernel/disk/snapshot-file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/record.h"
#include "common/base/regular-file.h"

#define MAGIC 0x70616e7375706763ull /* "cgpusnap" */
#define VERSION 5u
#if defined(__x86_64__)
#define MACHINE "x86-64"
#else
#define MACHINE "aarch64"
#endif
#define TEMPORARY ".writing"
#define FILE_MAX (1ull << 32)

void snapshot_file_release(struct snapshot_file *f)
{
	buffer_release(&f->libraries);
	buffer_release(&f->loaded);
	buffer_release(&f->units);
	buffer_release(&f->device);
	buffer_release(&f->session);
	buffer_release(&f->lost);
	free(f->blocks);
	*f = (struct snapshot_file){ 0 };
}

int snapshot_file_add(struct snapshot_file *f, const struct snapshot_block *b, struct error *err)
{
	if (f->n_blocks == f->cap_blocks) {
		size_t cap = f->cap_blocks ? f->cap_blocks * 2 : 256;
		struct snapshot_block *blocks = realloc(f->blocks, cap * sizeof(*blocks));

		if (!blocks)
			return error_set(err, ERROR_MEMORY, "out of memory for the list of blocks");
		f->blocks = blocks;
		f->cap_blocks = cap;
	}
	f->blocks[f->n_blocks++] = *b;
	return 0;
}

bool snapshot_name_is_good(const char *name)
{
	size_t len = strlen(name);

	if (!len || len > SNAPSHOT_NAME_MAX || *name == '.')
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr("_-.", *name))
			return false;
	return true;
}

static void file_name(char ret[128], const char *name)
{
	snprintf(ret, 128, "%s" SNAPSHOT_SUFFIX, name);
}

/* ---- record ---- */

static void encode(const struct snapshot_file *f, struct buffer *out)
{
	const struct buffer *parts[] = { &f->libraries, &f->loaded,  &f->units,
					 &f->device,    &f->session, &f->lost };

	record_put_u32(out, VERSION);
	record_put_str(out, MACHINE);
	record_put_u64(out, f->owner);
	record_put_u64(out, (uint64_t)f->time);
	record_put_u32(out, f->count);
	record_put_u32(out, f->epoch);
	record_put_u64(out, f->layout);
	for (int r = 0; r < ARENA_REGIONS; r++)
		record_put_u64(out, f->top[r]);
	record_put_u64(out, f->heap_freed);
	record_put_u64(out, f->changes);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		record_put_bytes(out, parts[i]->data, parts[i]->len);
	record_put_u32(out, (uint32_t)f->n_blocks);
	for (size_t i = 0; i < f->n_blocks; i++) {
		record_put_u64(out, f->blocks[i].address);
		record_put_u32(out, f->blocks[i].len);
		record_put_u64(out, f->blocks[i].hash.low);
		record_put_u64(out, f->blocks[i].hash.high);
	}
}

static int decode_blocks(struct record *r, struct snapshot_file *f, struct error *err)
{
	uint32_t n = record_count(r, 28);

	for (uint32_t i = 0; i < n; i++) {
		struct snapshot_block b = { .address = record_u64(r) };

		b.len = record_u32(r);
		b.hash.low = record_u64(r);
		b.hash.high = record_u64(r);
		if (!b.len || b.len > BLOCK_SIZE)
			return error_set(err, ERROR_INPUT, "it has a block of %u bytes", b.len);
		if (snapshot_file_add(f, &b, err))
			return -1;
	}
	return 0;
}

static int decode(struct record *r, struct snapshot_file *f, struct error *err)
{
	struct buffer *parts[] = { &f->libraries, &f->loaded,  &f->units,
				   &f->device,    &f->session, &f->lost };
	uint32_t version = record_u32(r);
	const char *machine;

	if (!r->failed && version != VERSION)
		return error_set(err, ERROR_INPUT,
				 "it has format %u, this cgpu knows %u: load it with the version "
				 "that made it",
				 version, VERSION);
	machine = record_str(r);
	if (!r->failed && strcmp(machine, MACHINE))
		return error_set(err, ERROR_INPUT,
				 "it was made on %s, and its code does not run on %s", machine,
				 MACHINE);
	f->owner = record_u64(r);
	f->time = (int64_t)record_u64(r);
	f->count = record_u32(r);
	f->epoch = record_u32(r);
	f->layout = record_u64(r);
	for (int i = 0; i < ARENA_REGIONS; i++) {
		f->top[i] = record_u64(r);
		if (f->top[i] % ARENA_PAGE || f->top[i] > arena_region_size((enum arena_region)i))
			return error_set(err, ERROR_INPUT, "it names impossible sizes");
	}
	f->heap_freed = record_u64(r);
	f->changes = record_u64(r);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		size_t len;
		const char *bytes = record_bytes(r, &len);

		buffer_append(parts[i], bytes, len);
		if (buffer_check(parts[i], err))
			return -1;
	}
	if (decode_blocks(r, f, err))
		return -1;
	return record_check(r, "the snapshot", err);
}

/* ---- file ---- */

static int read_file(int fd, struct buffer *ret, struct error *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return error_errno(err, "cannot look at it");
	if ((uint64_t)st.st_size > FILE_MAX)
		return error_set(err, ERROR_INPUT, "it is too large to be one");
	if (!buffer_extend(ret, (size_t)st.st_size) && st.st_size)
		return error_set(err, ERROR_MEMORY, "out of memory");
	for (size_t done = 0; done < (size_t)st.st_size;) {
		ssize_t n = pread(fd, ret->data + done, (size_t)st.st_size - done, (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return error_errno(err, "cannot read it");
		done += (size_t)n;
	}
	return 0;
}

static int check(const struct buffer *b, const char **ret, size_t *ret_len, struct error *err)
{
	uint64_t head[2], hash;

	if (b->len < sizeof(head) + sizeof(hash))
		return error_set(err, ERROR_INPUT, "it is cut short");
	memcpy(head, b->data, sizeof(head));
	if (head[0] != MAGIC)
		return error_set(err, ERROR_INPUT, "it is no snapshot of cgpu");
	if (head[1] != b->len - sizeof(head) - sizeof(hash))
		return error_set(err, ERROR_INPUT, "it is cut short or damaged");
	memcpy(&hash, b->data + b->len - sizeof(hash), sizeof(hash));
	*ret = b->data + sizeof(head);
	*ret_len = head[1];
	if (XXH3_64bits(*ret, *ret_len) != hash)
		return error_set(err, ERROR_INPUT, "it is damaged");
	return 0;
}

static int read_and_decode(int fd, struct snapshot_file *ret, struct error *err)
{
	cleanup_buffer struct buffer b = BUFFER_INIT;
	struct record r;
	const char *at = NULL;
	size_t len = 0;

	if (read_file(fd, &b, err) || check(&b, &at, &len, err))
		return -1;
	r = record_open(at, len);
	return decode(&r, ret, err);
}

int snapshot_file_read(int dir, const char *name, struct snapshot_file *ret, struct error *err)
{
	struct snapshot_file f = { 0 };
	struct error why = ERROR_INIT;
	char path[128];
	int fd;

	file_name(path, name);
	fd = regular_file_open(dir, path, O_RDONLY, 0, &why);
	if (fd < 0 && why.code == ERROR_NOT_FOUND)
		return error_set(err, ERROR_NOT_FOUND, "there is no snapshot '%s'", name);
	if (fd < 0)
		return error_set(err, why.code, "snapshot '%s' cannot be used: %s", name, why.text);
	if (read_and_decode(fd, &f, err)) {
		close(fd);
		snapshot_file_release(&f);
		return error_wrap(err, "snapshot '%s' cannot be used", name);
	}
	close(fd);
	*ret = f;
	return 0;
}

static int write_temporary(int dir, const struct snapshot_file *f, const struct save_hook *hook,
			   struct error *err)
{
	cleanup_fd int fd =
		regular_file_open(dir, TEMPORARY, O_WRONLY | O_CREAT | O_TRUNC, 0600, err);
	cleanup_buffer struct buffer record = BUFFER_INIT, b = BUFFER_INIT;
	uint64_t head[2] = { MAGIC }, hash;

	if (fd < 0)
		return error_wrap(err, "cannot make the file " TEMPORARY " for the snapshot");
	encode(f, &record);
	if (buffer_check(&record, err))
		return -1;
	head[1] = record.len;
	hash = XXH3_64bits(record.data, record.len);
	buffer_append(&b, head, sizeof(head));
	buffer_append(&b, record.data, record.len);
	buffer_append(&b, &hash, sizeof(hash));
	if (buffer_check(&b, err))
		return -1;
	for (size_t done = 0; done < b.len;) {
		ssize_t n = write(fd, b.data + done, b.len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return error_errno(err, "cannot write the snapshot");
		done += (size_t)n;
	}
	save_hook_call(hook, SAVE_LISTED);
	return fsync(fd) ? error_errno(err, "cannot write the snapshot to disk") : 0;
}

const char *snapshot_file_last(int dir, uint64_t owner)
{
	struct snapshot_file current;
	bool foreign;

	if (snapshot_file_read(dir, SNAPSHOT_CURRENT, &current, NULL))
		return SNAPSHOT_LAST;
	foreign = current.owner != owner;
	snapshot_file_release(&current);
	return foreign ? SNAPSHOT_CURRENT : SNAPSHOT_LAST;
}

/* Renames an automatic snapshot of another process, so that it is not overwritten. */
static void keep_foreign(int dir, uint64_t owner)
{
	if (!strcmp(snapshot_file_last(dir, owner), SNAPSHOT_CURRENT))
		renameat(dir, SNAPSHOT_CURRENT SNAPSHOT_SUFFIX, dir, SNAPSHOT_LAST SNAPSHOT_SUFFIX);
}

int snapshot_file_write(int dir, const char *name, const struct snapshot_file *f, bool automatic,
			const struct save_hook *hook, struct error *err)
{
	char path[128];

	if (write_temporary(dir, f, hook, err)) {
		unlinkat(dir, TEMPORARY, 0);
		return -1;
	}
	save_hook_call(hook, SAVE_LIST_SYNCED);
	if (automatic)
		keep_foreign(dir, f->owner);
	file_name(path, name);
	if (renameat(dir, TEMPORARY, dir, path)) {
		error_errno(err, "cannot give the snapshot its name");
		unlinkat(dir, TEMPORARY, 0);
		return -1;
	}
	return 0;
}

void snapshot_file_clean(int dir)
{
	unlinkat(dir, TEMPORARY, 0);
}

int snapshot_file_drop(int dir, const char *name, struct error *err)
{
	char path[128];

	file_name(path, name);
	if (!unlinkat(dir, path, 0))
		return 0;
	if (errno == ENOENT)
		return error_set(err, ERROR_NOT_FOUND, "there is no snapshot '%s'", name);
	return error_errno(err, "cannot drop snapshot '%s'", name);
}

static int is_snapshot(const struct dirent *d)
{
	size_t len = strlen(d->d_name), suffix = strlen(SNAPSHOT_SUFFIX);

	return len > suffix && *d->d_name != '.' &&
	       !strcmp(d->d_name + len - suffix, SNAPSHOT_SUFFIX);
}

int snapshot_file_each(int dir, void (*fn)(void *data, const char *name), void *data,
		       struct error *err)
{
	struct dirent **found;
	int n = scandirat(dir, ".", &found, is_snapshot, alphasort);

	if (n < 0)
		return error_errno(err, "cannot list the snapshots");
	for (int i = 0; i < n; i++) {
		found[i]->d_name[strlen(found[i]->d_name) - strlen(SNAPSHOT_SUFFIX)] = '\0';
		if (snapshot_name_is_good(found[i]->d_name))
			fn(data, found[i]->d_name);
		free(found[i]);
	}
	free(found);
	return 0;
}
