/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of programs that are spread over cells: %%cuda_group_save adds a file to a group, and
 * %cuda_group_run runs the group. The files live as long as the kernel; a failed cell does not
 * remove them.
 */
#ifndef CGPU_KERNEL_DECLARATIONS_CUDA_GROUPS_H
#define CGPU_KERNEL_DECLARATIONS_CUDA_GROUPS_H

#include <stddef.h>

/* The group whose files belong to all other groups, too. */
#define CUDA_GROUPS_SHARED "shared"

struct buffer;
struct error;

struct cuda_file {
	char *group, *name, *text;
};

struct cuda_groups {
	struct cuda_file *at; /* owned, in the order of saving */
	size_t n;
};

/* Releases all files. A zeroed struct has no groups. */
void cuda_groups_release(struct cuda_groups *g);
/* Adds a file; one of the same name in the group is replaced. -1: ERROR_MEMORY. */
int cuda_groups_save(struct cuda_groups *g, const char *group, const char *name, const char *text,
		     struct error *err);
/* Writes the group's files, each behind a line that names it, in the format of the compiler;
 * returns how many the group itself has. */
size_t cuda_groups_write(const struct cuda_groups *g, const char *group, struct buffer *out);
/* Removes a group and returns how many files it had. */
size_t cuda_groups_delete(struct cuda_groups *g, const char *group);

#endif
