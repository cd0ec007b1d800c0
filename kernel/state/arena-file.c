/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Large pieces are written through a shared mapping, because pwrite() takes the file's lock and
 * several threads write. The pages are made before the first byte is written, so no write to the
 * mapping can fail: nobody else takes pages out of the arena memfd, and one that a worker takes out
 * of the live memfd Linux makes anew.
 */
#define _GNU_SOURCE
#include "kernel/state/arena-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/whole-io.h"
#include "common/memory/address-map.h"
#include "kernel/sandbox/read-only-mount.h"

#define MAPPED_WRITE (1024 * 1024)
#define PIECE (4ull * 1024 * 1024)
#define SMALL_PIECE (64 * 1024)

int arena_file_live(struct error *err)
{
	cleanup_fd int fd = memfd_create("cgpu-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return error_errno(err, "memfd_create for the session's memory");
	if (ftruncate(fd, (off_t)ARENA_SIZE))
		return error_errno(err, "cannot give the session's memory its size");
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return error_errno(err, "cannot seal the session's memory");
	return steal_fd(&fd);
}

static int open_in(struct arena_file *f, const struct read_only_mount *mount, struct error *err)
{
	char name[32];

	snprintf(name, sizeof(name), "cgpu-memory-%d", (int)gettid());
	f->fd = openat(mount->writable, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (f->fd < 0)
		return error_errno(err, "cannot create the session's memory");
	f->reader = openat(mount->readable, name, O_RDONLY | O_CLOEXEC);
	if (unlinkat(mount->writable, name, 0) || f->reader < 0)
		return error_errno(err, "cannot open the session's memory for reading");
	if (ftruncate(f->fd, (off_t)ARENA_SIZE))
		return error_errno(err, "cannot give the session's memory its size");
	return 0;
}

/* The mode keeps an ordinary user's worker from opening it again by accident only. */
static int open_memfd(struct arena_file *f, struct error *err)
{
	char path[64];

	f->fd = arena_file_live(err);
	if (f->fd < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", f->fd);
	f->reader = open(path, O_RDONLY | O_CLOEXEC);
	if (f->reader < 0 || fchmod(f->fd, 0400))
		return error_errno(err, "cannot open the session's memory for reading");
	return 0;
}

int arena_file_init(struct arena_file *f, const struct read_only_mount *mount, struct error *err)
{
	*f = (struct arena_file)ARENA_FILE_INIT;
	if (mount && mount->writable >= 0 ? open_in(f, mount, err) : open_memfd(f, err)) {
		arena_file_release(f);
		return -1;
	}
	return 0;
}

void arena_file_release(struct arena_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->reader >= 0)
		close(f->reader);
	*f = (struct arena_file)ARENA_FILE_INIT;
}

int arena_file_read(int fd, uint64_t at, void *out, size_t len, struct error *err)
{
	size_t done = whole_pread(fd, out, len, at);

	if (done < len)
		return error_errno(err, "cannot read the session's memory at offset %#llx",
				   (unsigned long long)(at + done));
	return 0;
}

/* False: not possible, nothing was written. */
static bool write_mapped(int fd, uint64_t at, const void *data, size_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);
	bool there = p != MAP_FAILED && !madvise(p, len, MADV_POPULATE_WRITE);

	if (there)
		memcpy(p, data, len);
	if (p != MAP_FAILED)
		munmap(p, len);
	return there;
}

int arena_file_write(int fd, uint64_t at, const void *data, size_t len, struct error *err)
{
	size_t done;

	if (len >= MAPPED_WRITE && write_mapped(fd, at, data, len))
		return 0;
	done = whole_pwrite(fd, data, len, at);
	if (done < len)
		return error_errno(err, "cannot write the session's memory at offset %#llx",
				   (unsigned long long)(at + done));
	return 0;
}

int arena_file_punch(int fd, uint64_t at, uint64_t len, struct error *err)
{
	if (len && fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)len))
		return error_errno(err, "cannot give back session memory at offset %#llx",
				   (unsigned long long)at);
	return 0;
}

static int copy_small(int from, int to, uint64_t at, uint64_t len, struct error *err)
{
	char piece[SMALL_PIECE];

	for (uint64_t done = 0, n; done < len; done += n) {
		n = len - done < sizeof(piece) ? len - done : sizeof(piece);
		if (arena_file_read(from, at + done, piece, n, err) ||
		    arena_file_write(to, at + done, piece, n, err))
			return -1;
	}
	return 0;
}

/* Only `to` is mapped: a worker may take pages out of `from` meanwhile. */
static int copy_mapped(int from, int to, uint64_t at, uint64_t len, struct error *err)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, to, (off_t)at);
	int failed;

	if (p == MAP_FAILED || madvise(p, len, MADV_POPULATE_WRITE)) {
		if (p != MAP_FAILED)
			munmap(p, len);
		return copy_small(from, to, at, len, err);
	}
	failed = arena_file_read(from, at, p, len, err);
	munmap(p, len);
	return failed;
}

static int copy_piece(int from, int to, uint64_t at, uint64_t len, struct error *err)
{
	return len < MAPPED_WRITE ? copy_small(from, to, at, len, err)
				  : copy_mapped(from, to, at, len, err);
}

int arena_file_copy(int from, int to, uint64_t at, uint64_t len, struct error *err)
{
	for (uint64_t done = 0, n; done < len; done += n) {
		n = len - done < PIECE ? len - done : PIECE;
		if (copy_piece(from, to, at + done, n, err))
			return -1;
	}
	return 0;
}

int arena_file_move(int from, int to, uint64_t at, uint64_t len, struct error *err)
{
	for (uint64_t done = 0, n; done < len; done += n) {
		n = len - done < PIECE ? len - done : PIECE;
		if (copy_piece(from, to, at + done, n, err) ||
		    arena_file_punch(from, at + done, n, err))
			return -1;
	}
	return 0;
}

uint64_t arena_file_bytes(int fd)
{
	struct stat st;

	return fd < 0 || fstat(fd, &st) ? 0 : (uint64_t)st.st_blocks * 512;
}
