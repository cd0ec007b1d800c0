/* SPDX-License-Identifier: Apache-2.0 */
/* Devices are compared by device number; a second descriptor of a device would add nothing. */
#include "kernel/device/device-nodes.h"

#include <stdbool.h>
#include <sys/stat.h>

#include "kernel/base/closer.h"

static bool is_wanted(const struct device_nodes *d, int fd)
{
	struct stat st, held;

	if (d->n == CHUNK_DEVICES_MAX || fstat(fd, &st) || !S_ISCHR(st.st_mode))
		return false;
	for (unsigned i = 0; i < d->n; i++)
		if (!fstat(d->fds[i], &held) && held.st_rdev == st.st_rdev)
			return false;
	return true;
}

void device_nodes_hold(struct device_nodes *d, int fd)
{
	if (is_wanted(d, fd))
		d->fds[d->n++] = fd;
	else
		closer_close(fd);
}

void device_nodes_release(struct device_nodes *d)
{
	while (d->n)
		closer_close(d->fds[--d->n]);
}
