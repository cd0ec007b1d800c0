/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is hidden from cells. Each is held by a descriptor from the moment in which it is added:
 * processes that hide it start at any time later, and a cell may have moved a folder above it by
 * then (common/sandbox/hidden-path.h).
 */
#ifndef CGPU_KERNEL_SANDBOX_HIDDEN_PATHS_H
#define CGPU_KERNEL_SANDBOX_HIDDEN_PATHS_H

#include <stdbool.h>
#include <stddef.h>

struct buffer;

struct hidden_paths_entry {
	char *path;
	int fd; /* -1: there is no such file yet */
};

/* All zero: none. What lies in a folder of the list is not in the list. */
struct hidden_paths {
	struct hidden_paths_entry *at;
	size_t n, cap;
	bool no_memory; /* one could not be added: nothing can be put any more */
};

void hidden_paths_release(struct hidden_paths *h);
/* Adds a file or folder, which need not exist yet. False: it lies in one that is in the list. */
bool hidden_paths_add(struct hidden_paths *h, const char *path);
/* Tells whether the path is in the list, or lies in a folder that is. */
bool hidden_paths_has(const struct hidden_paths *h, const char *path);
/* Appends a record of one of them. False: it does not exist. */
bool hidden_paths_put_at(struct hidden_paths *h, size_t index, struct buffer *out);
/* Appends u32 number and a record (common/sandbox/hidden-path.h) for each that exists: where it is
 * at this moment. */
void hidden_paths_put(struct hidden_paths *h, struct buffer *out);
/* Appends a record of the only one; with the path "" if there is none. */
void hidden_paths_put_one(struct hidden_paths *h, struct buffer *out);

#endif
