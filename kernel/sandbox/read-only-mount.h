/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file system in memory with two mounts, one for writing and one for reading only. A descriptor
 * that was opened by the second one cannot be turned into one for writing, whatever its holder
 * does: not by /proc/self/fd, not by chmod, not by mmap. A memfd has no such mount: who may read it
 * may open it again for writing.
 */
#ifndef CGPU_KERNEL_SANDBOX_READ_ONLY_MOUNT_H
#define CGPU_KERNEL_SANDBOX_READ_ONLY_MOUNT_H

struct error;

struct read_only_mount {
	int writable, readable; /* the roots, O_PATH; -1: there is none */
};

#define READ_ONLY_MOUNT_INIT { -1, -1 }

/* Mounts it where no other process sees it. -1: this machine does not allow that, and *m is
 * READ_ONLY_MOUNT_INIT. The process must have one thread. */
int read_only_mount_init(struct read_only_mount *m, struct error *err);
void read_only_mount_release(struct read_only_mount *m);

#endif
