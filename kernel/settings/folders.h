/* SPDX-License-Identifier: Apache-2.0 */
/* Folders that are made when they are needed. */
#ifndef CGPU_KERNEL_SETTINGS_FOLDERS_H
#define CGPU_KERNEL_SETTINGS_FOLDERS_H

#include <sys/types.h>

struct error;

/* This one and those above it that are missing. */
int folders_make(const char *path, mode_t mode, struct error *err);
/* Those above a file. */
int folders_make_for(const char *file, mode_t mode, struct error *err);

#endif
