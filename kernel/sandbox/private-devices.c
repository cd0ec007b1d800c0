/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each device is mounted by itself on an empty file: an ordinary user can mount nodes, and make
 * none. Pseudoterminals come from a devpts of their own, since the machine's has those of other
 * sessions; where Linux refuses that there are none.
 */
#define _GNU_SOURCE
#include "kernel/sandbox/private-devices.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/log.h"

#define MACHINE_DEVICES "/dev/"

static const char *const patterns[] = {
#define DEVICE(pattern) MACHINE_DEVICES pattern,
#include "kernel/sandbox/private-devices.def"
#undef DEVICE
};

static const struct {
	const char *name, *target;
} links[] = {
	{ "fd", "/proc/self/fd" },       { "stdin", "/proc/self/fd/0" },
	{ "stdout", "/proc/self/fd/1" }, { "stderr", "/proc/self/fd/2" },
	{ "ptmx", "pts/ptmx" },
};

/* Makes what a mount of the source needs: a folder, or a file. */
static int make_place(const char *path, bool is_folder, struct error *err)
{
	int fd;

	if (is_folder)
		return mkdir(path, 0755) ? error_errno(err, "cannot make %s", path) : 0;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_errno(err, "cannot make %s", path);
	close(fd);
	return 0;
}

/* What is no character device and no folder is left out. */
static int mount_device(const char *folder, const char *device, struct error *err)
{
	char path[PATH_MAX];
	struct stat st;

	if (lstat(device, &st) || !(S_ISCHR(st.st_mode) || S_ISDIR(st.st_mode)))
		return 0;
	snprintf(path, sizeof(path), "%s/%s", folder, device + strlen(MACHINE_DEVICES));
	if (make_place(path, S_ISDIR(st.st_mode), err))
		return -1;
	if (mount(device, path, NULL, MS_BIND, NULL))
		return error_errno(err, "cannot mount %s", device);
	return 0;
}

static int mount_matching(const char *folder, const char *pattern, struct error *err)
{
	glob_t found;
	int failed = 0, r = glob(pattern, 0, NULL, &found);

	if (r == GLOB_NOMATCH)
		return 0;
	if (r)
		return error_set(err, ERROR_SYSTEM, "cannot look for %s", pattern);
	for (size_t i = 0; i < found.gl_pathc && !failed; i++)
		failed = mount_device(folder, found.gl_pathv[i], err);
	globfree(&found);
	return failed;
}

static int mount_terminals(const char *folder, struct error *err)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/pts", folder);
	if (make_place(path, true, err))
		return -1;
	if (mount("devpts", path, "devpts", MS_NOSUID | MS_NOEXEC,
		  "newinstance,ptmxmode=0666,mode=0620"))
		log_info("no pseudoterminals for cells: %s", strerror(errno));
	return 0;
}

int private_devices_mount(const char *folder, struct error *err)
{
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (mount_matching(folder, patterns[i], err))
			return -1;
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s/%s", folder, links[i].name);
		if (symlink(links[i].target, path))
			return error_errno(err, "cannot make %s", path);
	}
	return mount_terminals(folder, err);
}
