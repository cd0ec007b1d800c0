/* SPDX-License-Identifier: Apache-2.0 */
/* Creates folders on demand. */
#ifndef CGPU_KERNEL_SETTINGS_FOLDERS_H
#define CGPU_KERNEL_SETTINGS_FOLDERS_H

#include <sys/types.h>

struct error;

/* Creates the folder and its missing parents. */
int folders_make(const char *path, mode_t mode, struct error *err);
/* Creates the missing parents of a file. */
int folders_make_for(const char *file, mode_t mode, struct error *err);

#endif
