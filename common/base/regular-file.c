/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is no regular file is found by a look at the path, since opening a device can have effects;
 * then the open file is looked at, since the path may have changed. Between the two, O_NONBLOCK
 * keeps open() from waiting for the other end of a FIFO. It also keeps open() from waiting until
 * another process gives up its lease on a regular file, and has no effect on reading one.
 */
#define _GNU_SOURCE
#include "common/base/regular-file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"

static int check_kind(mode_t mode, struct error *err)
{
	static const struct {
		mode_t kind;
		const char *name;
	} kinds[] = {
		{ S_IFIFO, "FIFO" },         { S_IFDIR, "folder" },
		{ S_IFSOCK, "socket" },      { S_IFCHR, "character device" },
		{ S_IFBLK, "block device" },
	};

	if (S_ISREG(mode))
		return 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if ((mode & S_IFMT) == kinds[i].kind)
			return error_set(err, ERROR_INPUT, "it is a %s, not a regular file",
					 kinds[i].name);
	return error_set(err, ERROR_INPUT, "it is not a regular file");
}

static int refuse(struct error *err)
{
	return error_set(err, errno == ENOENT || errno == ENOTDIR ? ERROR_NOT_FOUND : ERROR_SYSTEM,
			 "%s", strerror(errno));
}

int regular_file_open(int dir, const char *path, int flags, mode_t mode, struct error *err)
{
	int where = flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0;
	cleanup_fd int fd = -1;
	struct stat st;

	if (!fstatat(dir, path, &st, where) && !S_ISLNK(st.st_mode) && check_kind(st.st_mode, err))
		return -1;
	fd = openat(dir, path, (flags & ~O_TRUNC) | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, mode);
	if (fd < 0 && errno == EWOULDBLOCK)
		return error_set(err, ERROR_STATE, "another process has a lease on it");
	if (fd < 0 || fstat(fd, &st))
		return refuse(err);
	if (check_kind(st.st_mode, err))
		return -1;
	if (flags & O_TRUNC && ftruncate(fd, 0))
		return error_errno(err, "it cannot be emptied");
	return steal_fd(&fd);
}

FILE *regular_file_read(const char *path, struct error *err)
{
	cleanup_fd int fd = regular_file_open(AT_FDCWD, path, O_RDONLY, 0, err);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");

	if (f)
		fd = -1;
	else if (fd >= 0)
		error_set(err, ERROR_SYSTEM, "%s", strerror(errno));
	return f;
}
