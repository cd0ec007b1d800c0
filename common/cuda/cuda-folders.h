/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where CUDA may be installed: folders with its headers in include/, in the order in which they are
 * looked into. What the environment names comes first, then what pip and conda bring, then the
 * usual places. CGPU_CUDA stands for all of them.
 */
#ifndef CGPU_COMMON_CUDA_CUDA_FOLDERS_H
#define CGPU_COMMON_CUDA_CUDA_FOLDERS_H

#include <stdbool.h>

/* Is this the one that is looked for? */
typedef bool cuda_folders_fn(void *context, const char *folder);

/*
 * Ask for one folder after the other until the answer is yes; whether it ever was. wheel: before
 * CUDA 13 pip had a folder for each package ("cublas"). built: where cgpu was built with CUDA,
 * tried late; NULL: it is left out.
 */
bool cuda_folders_find(const char *wheel, const char *built, cuda_folders_fn *is_it, void *context);

/* Below such a folder, those in which libraries may lie, up to NULL. */
extern const char *const cuda_folders_libraries[];

#endif
