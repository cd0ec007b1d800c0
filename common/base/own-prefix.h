/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the program that runs is installed, as PREFIX/libexec/cgpu/PROGRAM. What PREFIX holds goes
 * before the folders that the build has noted, so that a prefix can be moved, or be packed up with
 * clang's headers and CUDA in it.
 */
#ifndef CGPU_COMMON_BASE_OWN_PREFIX_H
#define CGPU_COMMON_BASE_OWN_PREFIX_H

/* The folder so many levels above the file that the path leads to, malloc-ed; NULL: there is none,
 * or no memory. */
char *own_prefix_above(const char *path, int levels);
/* PREFIX, malloc-ed; NULL without memory. */
char *own_prefix_find(void);
/* PREFIX/share/cgpu/NAME where that has the file, else the other folder; malloc-ed, NULL without
 * memory. */
char *own_prefix_folder(const char *name, const char *file, const char *otherwise);

#endif
