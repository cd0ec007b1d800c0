/* SPDX-License-Identifier: Apache-2.0 */
/* Physical pages are from libc, available ones from /proc/meminfo; the limit of the control group
 * bounds both. */
#include "kernel/sandbox/machine-memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "kernel/sandbox/cgroup.h"

uint64_t machine_memory_total(void)
{
	uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t group = cgroup_memory_limit("/proc/self/cgroup", "/sys/fs/cgroup");

	return group < machine ? group : machine;
}

uint64_t machine_memory_available(void)
{
	cleanup_file FILE *f = fopen("/proc/meminfo", "re");
	uint64_t machine = machine_memory_total(), kb;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %" SCNu64, &kb) == 1 && kb << 10 < machine)
			return kb << 10;
	return machine;
}

uint64_t machine_memory_default_limit(void)
{
	return machine_memory_total() / 4 * 3;
}
