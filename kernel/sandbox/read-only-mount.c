/* SPDX-License-Identifier: Apache-2.0 */
/* A child mounts the file system twice, and hands over descriptors of the two roots. */
#define _GNU_SOURCE
#include "kernel/sandbox/read-only-mount.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include "common/base/error.h"
#include "kernel/sandbox/namespace-child.h"

/* Folders that every Linux has; only the child sees what is mounted there. */
#define FIRST "/proc"
#define SECOND "/sys"

static int mount_both(const void *data, int ret_roots[2], struct error *err)
{
	(void)data;
	if (mount("cgpu", FIRST, "tmpfs", MS_NOSUID | MS_NODEV, "size=0,nr_inodes=0,mode=0700"))
		return error_errno(err, "cannot mount a file system in memory");
	if (mount(FIRST, SECOND, NULL, MS_BIND, NULL) ||
	    mount(NULL, SECOND, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV,
		  NULL))
		return error_errno(err, "cannot mount it for reading only");
	ret_roots[0] = open(FIRST, O_PATH | O_DIRECTORY | O_CLOEXEC);
	ret_roots[1] = open(SECOND, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return ret_roots[0] < 0 || ret_roots[1] < 0 ? error_errno(err, "cannot open it") : 2;
}

int read_only_mount_init(struct read_only_mount *m, struct error *err)
{
	int roots[2] = { -1, -1 };
	int failed = namespace_child_run(mount_both, NULL, 2, roots, err);

	*m = (struct read_only_mount){ .writable = roots[0], .readable = roots[1] };
	return failed;
}

void read_only_mount_release(struct read_only_mount *m)
{
	if (m->writable >= 0)
		close(m->writable);
	if (m->readable >= 0)
		close(m->readable);
	*m = (struct read_only_mount)READ_ONLY_MOUNT_INIT;
}
