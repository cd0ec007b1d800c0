/* SPDX-License-Identifier: Apache-2.0 */
/* Documentation/userspace-api/landlock.rst of Linux. Declared here what headers before 6.12 lack.
 */
#define _GNU_SOURCE
#include "common/sandbox/landlock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"

#define ABI_SCOPES 6
#define SCOPE_ABSTRACT_UNIX_SOCKET (1ull << 0)
#define SCOPE_SIGNAL (1ull << 1)

struct ruleset {
	uint64_t handled_access_fs;
	uint64_t handled_access_net;
	uint64_t scoped;
};

static int abi(void)
{
	return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

static int restrict_self(int fd, struct error *err)
{
	return syscall(SYS_landlock_restrict_self, fd, 0)
		       ? error_errno(err, "landlock_restrict_self")
		       : 0;
}

int landlock_scope(struct error *err)
{
	struct ruleset r = { .scoped = SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL };
	cleanup_fd int fd = -1;

	if (abi() < ABI_SCOPES)
		return error_set(
			err, ERROR_UNSUPPORTED,
			"this Linux has no Landlock scopes (6.12 has; it may need lsm=landlock at "
			"boot); the system call filter stands in for them");
	fd = (int)syscall(SYS_landlock_create_ruleset, &r, sizeof(r), 0);
	if (fd < 0)
		return error_errno(err, "landlock_create_ruleset");
	return restrict_self(fd, err);
}

static int allow(int ruleset, int parent, const char *name, struct error *err)
{
	cleanup_fd int fd = openat(parent, name, O_PATH | O_CLOEXEC | O_NOFOLLOW);
	struct landlock_path_beneath_attr rule = { .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE,
						   .parent_fd = fd };
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || S_ISLNK(st.st_mode))
		return 0; /* gone again, or a link: what it points to has a rule of its own */
	if (syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) &&
	    errno != EINVAL)
		return error_errno(err, "landlock_add_rule for %s", name);
	return 0;
}

/* Everything in `folder` but the entry `but`. */
static int allow_beside(int ruleset, const char *folder, const char *but, struct error *err)
{
	cleanup_dir DIR *d = opendir(folder);

	if (!d)
		return error_errno(err, "cannot list %s", folder);
	for (struct dirent *e; (e = readdir(d));) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || !strcmp(e->d_name, but))
			continue;
		if (allow(ruleset, dirfd(d), e->d_name, err))
			return -1;
	}
	return 0;
}

static int allow_others(int ruleset, char *path, struct error *err)
{
	for (char *slash = path; slash; slash = strchr(slash + 1, '/')) {
		char *end = strchr(slash + 1, '/');
		char name[256];

		snprintf(name, sizeof(name), "%.*s", (int)(end ? end - slash - 1 : 255), slash + 1);
		*slash = '\0';
		if (allow_beside(ruleset, path[0] ? path : "/", name, err))
			return -1;
		*slash = '/';
	}
	return 0;
}

int landlock_hide(const char *path, struct error *err)
{
	struct ruleset r = { .handled_access_fs = LANDLOCK_ACCESS_FS_READ_FILE };
	cleanup_free char *real = realpath(path, NULL);
	cleanup_fd int fd = -1;

	if (abi() < 1)
		return error_set(err, ERROR_UNSUPPORTED, "this Linux has no Landlock");
	if (!real)
		return error_errno(err, "cannot find %s", path);
	fd = (int)syscall(SYS_landlock_create_ruleset, &r, sizeof(r.handled_access_fs), 0);
	if (fd < 0)
		return error_errno(err, "landlock_create_ruleset");
	if (allow_others(fd, real, err))
		return -1;
	return restrict_self(fd, err);
}
