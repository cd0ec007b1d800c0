/* SPDX-License-Identifier: Apache-2.0 */
/* The processes below a process, as Linux knows them at the moment of the call. */
#ifndef CGPU_KERNEL_BASE_PROCESS_TREE_H
#define CGPU_KERNEL_BASE_PROCESS_TREE_H

#include <stddef.h>
#include <sys/types.h>

/* Each writes at most `max` pids to ret and returns how many. */
size_t process_tree_children(pid_t pid, pid_t *ret, size_t max);
/* All descendants, breadth first. */
size_t process_tree_below(pid_t pid, pid_t *ret, size_t max);

#endif
