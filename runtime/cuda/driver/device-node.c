/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which node a device has only the driver knows, and what it has open stands in /proc/self/fd. The
 * emulated device has none.
 */
#include "runtime/cuda/driver/device-node.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/protocol/worker-protocol.h"
#include "runtime/cuda/driver/device-state.h"

#define NODE "/dev/nvidia"
#define MINORS_MAX 64

/* The number at the end of NODE7, which is 7; -1: it is another file. */
static int minor_of(const char *path, const char *node)
{
	size_t n = strlen(node);
	char *end;
	long minor;

	if (strncmp(path, node, n) || path[n] < '0' || path[n] > '9')
		return -1;
	minor = strtol(path + n, &end, 10);
	return *end || minor >= MINORS_MAX ? -1 : (int)minor;
}

void device_node_each(const char *folder, const char *node, void (*fn)(void *data, int fd),
		      void *data)
{
	DIR *d = opendir(folder);
	uint64_t seen = 0;
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char path[64] = "";
		int minor, fd;

		if (readlinkat(dirfd(d), e->d_name, path, sizeof(path) - 1) < 0)
			continue;
		minor = minor_of(path, node);
		if (minor < 0 || seen >> minor & 1)
			continue;
		seen |= 1ull << minor;
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd >= 0)
			fn(data, fd);
		else
			log_warning("%s cannot be opened: %m. Without a process that has it open, "
				    "device memory may not outlive a worker",
				    path);
	}
	if (d)
		closedir(d);
}

static void tell(void *data, int fd)
{
	cleanup_fd int node = fd;
	struct error err = ERROR_INIT;

	(void)data;
	if (device.host->send(WORKER_DEVICE_NODE, "", 0, node, &err))
		log_error("device node: %s", err.text);
}

void device_node_tell(void)
{
	uint32_t used = 0;

	for (int i = 0; i < device.count; i++)
		used |= (device.contexts[i].handle ? 1u : 0u) << i;
	if (device.driver->extension || !(used & ~device.nodes_told))
		return;
	device.nodes_told |= used;
	device_node_each("/proc/self/fd", NODE, tell, NULL);
}
