/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A control group of one session: a bound on the number of tasks. The zygote is put into it before
 * it forks, so all workers and what cells start are in it. Where none can be made, as for an
 * ordinary user without delegation, the process limit and the watchdog remain.
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

/* tasks: the bound. ERROR_UNSUPPORTED says why there is none. Empty groups of kernels that are gone
 * are removed. */
int cgroup_init(struct cgroup *c, unsigned tasks, struct error *err);
/* Removes the group; all its processes must have ended. */
void cgroup_release(struct cgroup *c);

int cgroup_add(const struct cgroup *c, pid_t pid, struct error *err);
/* Bound the memory of the group too, where this Linux hands on that controller; 0: no bound. */
int cgroup_bound_memory(const struct cgroup *c, uint64_t bytes, struct error *err);
/* The smallest limit of memory on the way from the group of this process to the root, UINT64_MAX
 * for none. `self` is /proc/self/cgroup, `root` where the hierarchies are mounted. */
uint64_t cgroup_memory_limit(const char *self, const char *root);
/* How often the bound on tasks has refused one. */
uint64_t cgroup_refusals(const struct cgroup *c);

#endif
