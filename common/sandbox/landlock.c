/* SPDX-License-Identifier: Apache-2.0 */
/* Documentation/userspace-api/landlock.rst of Linux. Declared here what headers before 6.12 lack.
 */
#define _GNU_SOURCE
#include "common/sandbox/landlock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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
#include "common/sandbox/hidden-path.h"

#define ABI_REFER 2
#define ABI_TRUNCATE 3
#define ABI_SCOPES 6
#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ull << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ull << 14)
#endif
#define FILE_ACCESSES (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE)
#define LEVELS_MAX 128 /* of a path */
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

bool landlock_has_scopes(void)
{
	return abi() >= ABI_SCOPES;
}

/* Allows these accesses beneath what the descriptor has open. */
static int allow_beneath(int ruleset, int fd, uint64_t access)
{
	struct landlock_path_beneath_attr rule = { .allowed_access = access, .parent_fd = fd };

	return (int)syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

/* Returns a ruleset for these accesses to files, or -1. Any such ruleset denies that files are
 * moved or linked to another folder, unless that is allowed by name; the first ABI cannot allow it.
 */
static int files_ruleset(uint64_t handled, struct error *err)
{
	uint64_t refer = abi() < ABI_REFER ? 0 : LANDLOCK_ACCESS_FS_REFER;
	struct ruleset r = { .handled_access_fs = handled | refer };
	cleanup_fd int root = open("/", O_PATH | O_CLOEXEC);
	/* All that an old Linux knows of the struct. */
	cleanup_fd int fd =
		(int)syscall(SYS_landlock_create_ruleset, &r, sizeof(r.handled_access_fs), 0);

	if (fd < 0)
		return error_errno(err, "landlock_create_ruleset");
	if (refer && (root < 0 || allow_beneath(fd, root, refer)))
		return error_errno(err, "landlock_add_rule for moves between folders");
	return steal_fd(&fd);
}

int landlock_isolate(struct error *err)
{
	cleanup_fd int fd = -1;

	if (abi() < ABI_REFER)
		return error_set(err, ERROR_UNSUPPORTED,
				 "Landlock of this Linux would deny moves between folders");
	fd = files_ruleset(0, err);
	return fd < 0 ? -1 : restrict_self(fd, err);
}

int landlock_scope(struct error *err)
{
	struct ruleset r = { .scoped = SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL };
	cleanup_fd int fd = -1;

	if (!landlock_has_scopes()) {
		if (abi() >= ABI_REFER && landlock_isolate(err))
			return -1;
		return error_set(
			err, ERROR_UNSUPPORTED,
			"this Linux has no Landlock scopes (6.12 has; it may need lsm=landlock at "
			"boot); the system call filter stands in for them");
	}
	fd = (int)syscall(SYS_landlock_create_ruleset, &r, sizeof(r), 0);
	if (fd < 0)
		return error_errno(err, "landlock_create_ruleset");
	return restrict_self(fd, err);
}

/* The folders from the root to what is hidden, and that. */
struct chain {
	int fds[LEVELS_MAX];
	struct stat at[LEVELS_MAX];
	size_t n;
};

static void chain_release(struct chain *c)
{
	for (size_t i = 0; i < c->n; i++)
		close(c->fds[i]);
}

static bool chain_add(struct chain *c, int fd)
{
	if (fd >= 0 && c->n < LEVELS_MAX && !fstat(fd, &c->at[c->n])) {
		c->fds[c->n++] = fd;
		return true;
	}
	if (fd >= 0)
		close(fd);
	return false;
}

static bool chain_reaches(struct chain *c, const struct hidden_path *h)
{
	char name[NAME_MAX + 1];
	const struct stat *last;

	if (!chain_add(c, open("/", O_PATH | O_CLOEXEC)))
		return false;
	for (const char *at = h->path; *(at += strspn(at, "/")); at += strcspn(at, "/")) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, "/"), at);
		if (!chain_add(c, openat(c->fds[c->n - 1], name, O_PATH | O_NOFOLLOW | O_CLOEXEC)))
			return false;
	}
	last = &c->at[c->n - 1];
	return last->st_dev == h->device && last->st_ino == h->inode;
}

/* Tells whether it is one of them, whatever its name is by now. */
static bool chain_has(const struct chain *c, const struct stat *st)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->at[i].st_dev == st->st_dev && c->at[i].st_ino == st->st_ino)
			return true;
	return false;
}

static int allow(int ruleset, int parent, const char *name, const struct chain *c,
		 struct error *err)
{
	cleanup_fd int fd = openat(parent, name, O_PATH | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || S_ISLNK(st.st_mode) || chain_has(c, &st))
		return 0; /* gone again, or a link: what it points to has a rule of its own */
	if (allow_beneath(ruleset, fd, LANDLOCK_ACCESS_FS_READ_FILE) && errno != EINVAL)
		return error_errno(err, "landlock_add_rule for %s", name);
	return 0;
}

/* Allows everything in this folder of the chain that is not one of the chain. One that cannot be
 * listed, as /home may be or as a cell has made it, allows nothing. */
static int allow_beside(int ruleset, int folder, const struct chain *c, struct error *err)
{
	cleanup_fd int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cleanup_dir DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d)
		return 0;
	fd = -1;
	for (struct dirent *e; (e = readdir(d));) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (allow(ruleset, dirfd(d), e->d_name, c, err))
			return -1;
	}
	return 0;
}

static int allow_others(int ruleset, const struct hidden_path *h, struct error *err)
{
	struct chain c = { .n = 0 };
	int failed = 0;

	if (!chain_reaches(&c, h))
		failed = error_set(err, ERROR_STATE, "%s, which is hidden, was moved just then",
				   h->path);
	for (size_t i = 0; !failed && i + 1 < c.n; i++)
		failed = allow_beside(ruleset, c.fds[i], &c, err);
	chain_release(&c);
	return failed;
}

int landlock_hide(const struct hidden_path *h, struct error *err)
{
	cleanup_fd int fd = -1;

	if (abi() < 1)
		return error_set(err, ERROR_UNSUPPORTED, "this Linux has no Landlock");
	fd = files_ruleset(LANDLOCK_ACCESS_FS_READ_FILE, err);
	if (fd < 0)
		return -1;
	if (allow_others(fd, h, err))
		return -1;
	return restrict_self(fd, err);
}

static uint64_t write_accesses(void)
{
	uint64_t accesses = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
			    LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
			    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
			    LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
			    LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

	return abi() < ABI_TRUNCATE ? accesses : accesses | LANDLOCK_ACCESS_FS_TRUNCATE;
}

int landlock_write_beneath(const char *const *folders, size_t n, struct error *err)
{
	static const char *const special[] = { "/dev", "/proc" };
	uint64_t all = write_accesses();
	cleanup_fd int ruleset = files_ruleset(all, err);

	if (ruleset < 0)
		return -1;
	for (size_t i = 0; i < n + sizeof(special) / sizeof(special[0]); i++) {
		const char *path = i < n ? folders[i] : special[i - n];
		cleanup_fd int fd = open(path, O_PATH | O_CLOEXEC | O_DIRECTORY);

		if (fd < 0 || allow_beneath(ruleset, fd, i < n ? all : all & FILE_ACCESSES))
			return error_errno(err, "landlock_add_rule for %s", path);
	}
	return restrict_self(ruleset, err);
}
