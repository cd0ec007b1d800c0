/* SPDX-License-Identifier: Apache-2.0 */
/* Children are read from /proc/PID/task/TID/children, which costs little and exists on every Linux
 * that containers run on. */
#define _GNU_SOURCE
#include "kernel/base/process-tree.h"

#include <dirent.h>
#include <stdio.h>

#include "common/base/cleanup.h"

static size_t children_of_task(pid_t pid, const char *task, pid_t *ret, size_t max)
{
	cleanup_file FILE *f = NULL;
	char path[128];
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/children", (int)pid, task);
	f = fopen(path, "re");
	while (f && n < max && fscanf(f, "%d", &ret[n]) == 1)
		n++;
	return n;
}

size_t process_tree_children(pid_t pid, pid_t *ret, size_t max)
{
	cleanup_dir DIR *d = NULL;
	char path[64];
	struct dirent *e;
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	d = opendir(path);
	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			n += children_of_task(pid, e->d_name, ret + n, max - n);
	return n;
}

size_t process_tree_below(pid_t pid, pid_t *ret, size_t max)
{
	size_t n = process_tree_children(pid, ret, max);

	for (size_t i = 0; i < n && n < max; i++)
		n += process_tree_children(ret[i], ret + n, max - n);
	return n;
}
