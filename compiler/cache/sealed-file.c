/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file gets its name when it is whole, by a rename, which takes the place of any file but a
 * folder. A folder that is not empty is moved aside: it is not known whose it is.
 */
#define _GNU_SOURCE
#include "compiler/cache/sealed-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "common/base/buffer.h"
#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/regular-file.h"
#include "common/base/whole-io.h"

/* Larger than any file that is made here: reading more would take as long as a compilation. */
#define FILE_MAX ((off_t)1 << 30)

int sealed_file_open(const char *path, struct stat *ret)
{
	cleanup_fd int fd = regular_file_open(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW, 0, NULL);

	if (fd < 0 || fstat(fd, ret) || ret->st_uid != geteuid() || ret->st_size > FILE_MAX)
		return -1;
	return steal_fd(&fd);
}

size_t sealed_file_content(const void *bytes, size_t len)
{
	XXH128_hash_t hash, seal;

	if (len <= sizeof(seal))
		return 0;
	len -= sizeof(seal);
	memcpy(&seal, (const char *)bytes + len, sizeof(seal));
	hash = XXH3_128bits(bytes, len);
	return XXH128_isEqual(hash, seal) ? len : 0;
}

bool sealed_file_read(const char *path, struct buffer *ret)
{
	size_t before = ret->len, content = 0, size;
	struct stat st;
	cleanup_fd int fd = sealed_file_open(path, &st);
	char *bytes;

	if (fd < 0)
		return false;
	size = (size_t)st.st_size;
	bytes = buffer_extend(ret, size);
	if (!bytes)
		return false;
	if (whole_pread(fd, bytes, size, 0) == size)
		content = sealed_file_content(bytes, size);
	ret->len = before + content;
	ret->data[ret->len] = '\0';
	return content != 0;
}

void sealed_file_discard(const char *path)
{
	cleanup_buffer struct buffer aside = BUFFER_INIT;

	if (!unlink(path) || errno == ENOENT || !rmdir(path))
		return;
	buffer_printf(&aside, "%s.aside.%d", path, (int)getpid());
	if (!buffer_check(&aside, NULL))
		rename(path, buffer_text(&aside));
}

static int put(const char *from, const char *to, struct error *err)
{
	if (rename(from, to))
		sealed_file_discard(to);
	else
		return 0;
	if (!rename(from, to))
		return 0;
	error_errno(err, "cannot write %s", to);
	unlink(from);
	return -1;
}

int sealed_file_write(const char *path, const void *bytes, size_t len, struct error *err)
{
	cleanup_buffer struct buffer part = BUFFER_INIT;
	cleanup_fd int fd = -1;
	XXH128_hash_t seal = XXH3_128bits(bytes, len);

	buffer_printf(&part, "%s.%d", path, (int)getpid());
	if (buffer_check(&part, err))
		return -1;
	sealed_file_discard(buffer_text(&part));
	fd = open(buffer_text(&part), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0 && whole_pwrite(fd, bytes, len, 0) == len &&
	    whole_pwrite(fd, &seal, sizeof(seal), len) == sizeof(seal))
		return put(buffer_text(&part), path, err);
	error_errno(err, "cannot write %s", buffer_text(&part));
	unlink(buffer_text(&part));
	return -1;
}

static int append_seal(int fd, size_t len)
{
	XXH128_hash_t seal;
	void *bytes = len ? mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;

	if (bytes == MAP_FAILED)
		return -1;
	seal = XXH3_128bits(bytes, len);
	munmap(bytes, len);
	return whole_pwrite(fd, &seal, sizeof(seal), len) == sizeof(seal) ? 0 : -1;
}

int sealed_file_seal(const char *from, const char *to, struct error *err)
{
	cleanup_fd int fd = regular_file_open(AT_FDCWD, from, O_RDWR | O_NOFOLLOW, 0, err);
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && !append_seal(fd, (size_t)st.st_size))
		return put(from, to, err);
	if (fd < 0)
		error_wrap(err, "cannot write %s", from);
	else
		error_errno(err, "cannot write %s", from);
	sealed_file_discard(from);
	return -1;
}
