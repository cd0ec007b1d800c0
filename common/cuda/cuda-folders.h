/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folders where CUDA may be installed, with its headers in include/, in the order of the
 * search: first those that environment variables name, then those of pip and conda, then the usual
 * places. CGPU_CUDA replaces all of them.
 */
#ifndef CGPU_COMMON_CUDA_CUDA_FOLDERS_H
#define CGPU_COMMON_CUDA_CUDA_FOLDERS_H

#include <stdbool.h>

/* Tells whether this is the folder that is looked for. */
typedef bool cuda_folders_fn(void *context, const char *folder);

/*
 * Calls is_it() for one folder after the other until it returns true; returns whether it did.
 * wheel: before CUDA 13 pip had a folder for each package ("cublas"). built: the CUDA that cgpu was
 * built with, tried late; NULL: it is left out.
 */
bool cuda_folders_find(const char *wheel, const char *built, cuda_folders_fn *is_it, void *context);

/* Subfolders of such a folder that may have libraries, up to NULL. */
extern const char *const cuda_folders_libraries[];

#endif
