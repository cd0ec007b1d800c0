/* SPDX-License-Identifier: Apache-2.0 */
/* Where Jupyter keeps what its processes tell each other. */
#ifndef CGPU_KERNEL_SETTINGS_JUPYTER_FOLDERS_H
#define CGPU_KERNEL_SETTINGS_JUPYTER_FOLDERS_H

struct buffer;

/*
 * Appends the paths, each with its NUL, of the folders that can be Jupyter's runtime folder: the
 * connection files of all kernels of the user, with their signing keys, and the files of servers,
 * with their tokens. Only folders that exist, and in none of which the current folder is.
 */
void jupyter_folders_runtime(struct buffer *ret);

#endif
