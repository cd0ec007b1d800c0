/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A control group for one session, which limits the number of tasks. The zygote is moved into it
 * before it forks, so all workers and the processes of cells are in it. Where none can be made, as
 * for an ordinary user without delegation, the process limit and the watchdog remain.
 */
#ifndef CGPU_KERNEL_SANDBOX_CGROUP_H
#define CGPU_KERNEL_SANDBOX_CGROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct error;

struct cgroup {
	char path[512]; /* "" for none */
	bool unified;   /* version 2 */
};

/* Makes a control group with a limit of `tasks`, and removes empty groups of kernels that are gone.
 * ERROR_UNSUPPORTED says why there is none. */
int cgroup_init(struct cgroup *c, unsigned tasks, struct error *err);
/* Removes the group; all its processes must have ended. */
void cgroup_release(struct cgroup *c);

int cgroup_add(const struct cgroup *c, pid_t pid, struct error *err);
/* Limits the memory of the group too, where Linux delegates that controller; 0: no limit. */
int cgroup_bound_memory(const struct cgroup *c, uint64_t bytes, struct error *err);
/* Returns the smallest memory limit of the control groups from that of this process up to the
 * root, UINT64_MAX for none. `self` is /proc/self/cgroup, `root` the mount point of the
 * hierarchies. */
uint64_t cgroup_memory_limit(const char *self, const char *root);
/* Returns how often the limit of tasks has refused one. */
uint64_t cgroup_refusals(const struct cgroup *c);

#endif
