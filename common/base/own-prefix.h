/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the installation of the running program, PREFIX/libexec/cgpu/PROGRAM. Files below PREFIX
 * take precedence over folders that the build has recorded, so that a prefix can be moved, or be
 * packed up with clang's headers and CUDA in it.
 */
#ifndef CGPU_COMMON_BASE_OWN_PREFIX_H
#define CGPU_COMMON_BASE_OWN_PREFIX_H

/* Returns the folder so many levels above the path's file, with links resolved, malloc-ed; NULL:
 * there is none, or no memory. */
char *own_prefix_above(const char *path, int levels);
/* Returns PREFIX, malloc-ed; NULL without memory. */
char *own_prefix_find(void);
/* Returns PREFIX/share/cgpu/NAME if it has the file, else the other folder; malloc-ed, NULL without
 * memory. */
char *own_prefix_folder(const char *name, const char *file, const char *otherwise);

#endif
