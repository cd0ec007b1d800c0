/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of programs that are spread over cells: %%cuda_group_save adds one to a group,
 * %cuda_group_run runs the group. They live as long as the kernel; a failed cell does not take them
 * back.
 */
#ifndef CGPU_KERNEL_DECLARATIONS_CUDA_GROUPS_H
#define CGPU_KERNEL_DECLARATIONS_CUDA_GROUPS_H

#include <stddef.h>

/* Files of this group belong to all others, too. */
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

/* A zeroed struct is the beginning. */
void cuda_groups_release(struct cuda_groups *g);
/* A file of this name in the group is replaced. -1: ERROR_MEMORY. */
int cuda_groups_save(struct cuda_groups *g, const char *group, const char *name, const char *text,
		     struct error *err);
/* Each file behind a line that names it, as the compiler takes them; returns how many the group
 * itself has. */
size_t cuda_groups_write(const struct cuda_groups *g, const char *group, struct buffer *out);
/* How many files it had. */
size_t cuda_groups_delete(struct cuda_groups *g, const char *group);

#endif
