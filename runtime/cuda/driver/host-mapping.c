/* SPDX-License-Identifier: Apache-2.0 */
/* A line of /proc/self/maps: "start-end rw-s offset device inode   path". */
#include "runtime/cuda/driver/host-mapping.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/cleanup.h"

bool host_mapping_find(uint64_t start, uint64_t end, struct host_mapping *ret)
{
	cleanup_file FILE *f = fopen("/proc/self/maps", "re");
	char line[sizeof(ret->path)];

	while (f && fgets(line, sizeof(line), f)) {
		uint64_t from, to;
		char mode[8];
		int path = 0;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %*s %n", &from, &to, mode,
			   &path) < 3 ||
		    to <= start || from >= end)
			continue;
		line[strcspn(line, "\n")] = '\0';
		*ret = (struct host_mapping){ .start = from,
					      .end = to,
					      .shared = mode[3] == 's',
					      .readable = mode[0] == 'r',
					      .writable = mode[1] == 'w' };
		snprintf(ret->path, sizeof(ret->path), "%s", path ? line + path : "");
		return true;
	}
	return false;
}
