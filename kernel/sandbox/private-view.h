/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The view of the file system that processes of the profile `locked` share: everything is
 * read-only, and /tmp, /dev/shm, $TMPDIR and the home are empty folders in memory, of one size
 * together, that begin and end with the session. Below them the folder of the notebook and those
 * that are named can still be read. /dev has what private-devices.def lists.
 */
#ifndef CGPU_KERNEL_SANDBOX_PRIVATE_VIEW_H
#define CGPU_KERNEL_SANDBOX_PRIVATE_VIEW_H

#include <stddef.h>
#include <stdint.h>

struct error;

struct private_view {
	const char *home;        /* not covered when the notebook or a kept folder is above it */
	const char *const *kept; /* folders that can be read */
	size_t n_kept;
	const char *cache; /* a folder that can be written, for the compiler; NULL: none */
	uint64_t bytes;    /* of the private folders */
};

/* Makes the view, as a mount namespace (struct sandbox_policy). The process must have one thread,
 * and be in the folder of the notebook. */
int private_view_make(const struct private_view *v, int *ret, struct error *err);

#endif
