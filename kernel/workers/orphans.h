/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds processes that a cell has started and that have left its process group: when their parent
 * dies they become children of the kernel, which is their subreaper. The confinement, which only
 * workers and their descendants carry, tells them from the kernel's own helpers.
 */
#ifndef CGPU_KERNEL_WORKERS_ORPHANS_H
#define CGPU_KERNEL_WORKERS_ORPHANS_H

#include <stddef.h>
#include <sys/types.h>

/* Kills and reaps all children of this process that are confined, except the n in keep. */
void orphans_kill(const pid_t *keep, size_t n);
/* Reaps only orphans that have ended by themselves, so that they do not stay as zombies. */
void orphans_reap(const pid_t *keep, size_t n);

/*
 * Lists the processes that cells have started and that still run: descendants of the worker, and
 * orphans. keep is as above. Writes at most `max` pids to ret and returns how many.
 */
size_t orphans_list(pid_t worker, const pid_t *keep, size_t n_keep, pid_t *ret, size_t max);
/* Counts the living descendants of a process, without itself; it stops counting at `most`. */
unsigned orphans_descendants(pid_t pid, unsigned most);

#endif
