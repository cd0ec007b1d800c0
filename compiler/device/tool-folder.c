/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder gets its final name when it is locked, so that it is never taken for an abandoned one. A
 * recurring name is used only while no folder has it.
 */
#define _GNU_SOURCE
#include "compiler/device/tool-folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.h"

#define NAME "cgpu-tool-"
#define RECURRING_MAX 16 /* so many names are tried */

static const char *parent(void)
{
	const char *tmp = getenv("TMPDIR");

	return tmp && *tmp ? tmp : "/tmp";
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

static void remove_all(const char *path)
{
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/*
 * Locks a folder if it is the user's and nobody holds it. The owner may have removed it before it
 * was locked, and another process may have reused the name.
 */
static int lock_left(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st, there;

	if (fd >= 0 && !fstat(fd, &st) && st.st_uid == getuid() && !flock(fd, LOCK_EX | LOCK_NB) &&
	    !lstat(path, &there) && there.st_dev == st.st_dev && there.st_ino == st.st_ino)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

void tool_folder_tidy(void)
{
	DIR *d = opendir(parent());
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char path[sizeof(((struct tool_folder *)NULL)->path)];
		int fd;

		if (strncmp(e->d_name, NAME, strlen(NAME)) ||
		    snprintf(path, sizeof(path), "%s/%s", parent(), e->d_name) >= (int)sizeof(path))
			continue;
		fd = lock_left(path);
		if (fd < 0)
			continue;
		remove_all(path);
		close(fd);
	}
	if (d)
		closedir(d);
}

/* Renames the folder to one of a few recurring paths, mostly the first: two sessions may run the
 * same program at once. */
static int take_recurring_name(struct tool_folder *f, const char *made, const char *name,
			       uint64_t key)
{
	for (int n = 0; n < RECURRING_MAX; n++) {
		snprintf(f->path, sizeof(f->path), "%.150s/" NAME "%.30s-%016" PRIx64 "-%d",
			 parent(), name, key, n);
		if (!renameat2(AT_FDCWD, made, AT_FDCWD, f->path, RENAME_NOREPLACE))
			return 0;
	}
	return -1;
}

static int take_name(struct tool_folder *f, const char *made, const char *name, uint64_t key)
{
	if (key && !take_recurring_name(f, made, name, key))
		return 0;
	snprintf(f->path, sizeof(f->path), "%.150s/" NAME "%.30s-%s", parent(), name,
		 made + strlen(made) - 6);
	return rename(made, f->path);
}

int tool_folder_make(struct tool_folder *f, const char *name, uint64_t key, struct error *err)
{
	char made[sizeof(f->path)];

	tool_folder_tidy();
	snprintf(made, sizeof(made), "%.150s/.cgpu-XXXXXX", parent());
	if (!mkdtemp(made))
		return error_errno(err, "cannot make a folder for %s in %s", name, parent());
	f->lock = open(made, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (f->lock >= 0 && !flock(f->lock, LOCK_EX | LOCK_NB) && !take_name(f, made, name, key))
		return 0;
	error_errno(err, "cannot set up the folder %s", made);
	if (f->lock >= 0)
		close(f->lock);
	rmdir(made);
	f->path[0] = '\0';
	return -1;
}

void tool_folder_remove(struct tool_folder *f)
{
	if (!*f->path)
		return;
	remove_all(f->path);
	close(f->lock);
	f->path[0] = '\0';
}
