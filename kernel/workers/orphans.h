/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that a cell has started and that left its process group: when their parent dies they
 * become children of the kernel, which is their subreaper. They are told from the kernel's own
 * helpers by the confinement that only workers and their descendants carry.
 */
#ifndef CGPU_KERNEL_WORKERS_ORPHANS_H
#define CGPU_KERNEL_WORKERS_ORPHANS_H

#include <stddef.h>
#include <sys/types.h>

/* Kill and reap all children of this process that are confined and not among the n given ones. */
void orphans_kill(const pid_t *keep, size_t n);
/* Only those that have ended by themselves, so that they do not stay as zombies. */
void orphans_reap(const pid_t *keep, size_t n);

/*
 * What cells have started and what still runs: descendants of the worker, and orphans. keep: as
 * above. At most `max`; the count.
 */
size_t orphans_list(pid_t worker, const pid_t *keep, size_t n_keep, pid_t *ret, size_t max);
/* Living descendants of a process, itself not counted; stops counting at `most`. */
unsigned orphans_descendants(pid_t pid, unsigned most);

#endif
