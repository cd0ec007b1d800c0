/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is hidden from cells, named by its path and by what it is. A cell may move a folder above it
 * at any time, also between the moment in which the kernel process asks for the path and the one in
 * which a process hides it: then the path leads nowhere, or to something that the cell has put
 * there, and what was to be hidden lies open under another name.
 */
#ifndef CGPU_COMMON_SANDBOX_HIDDEN_PATH_H
#define CGPU_COMMON_SANDBOX_HIDDEN_PATH_H

#include <stdint.h>

struct buffer;
struct error;
struct record;

struct hidden_path {
	const char *path;       /* without symbolic links; "" for none */
	uint64_t device, inode; /* of stat(2) */
};

/* Appends str path, u64 device, u64 inode. */
void hidden_path_put(struct buffer *out, const struct hidden_path *h);
/* Reads that; the path borrows from the record. */
struct hidden_path hidden_path_read(struct record *r);

/* Opens it with O_PATH for this process, which closes it. ERROR_STATE: something else is at the
 * path, or nothing. */
int hidden_path_open(const struct hidden_path *h, struct error *err);

#endif
