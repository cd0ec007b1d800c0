/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to absolute paths as texts; nobody looks at the disk. */
#ifndef CGPU_COMMON_BASE_PATH_H
#define CGPU_COMMON_BASE_PATH_H

#include <stdbool.h>
#include <string.h>

/* Tells whether the path is the folder, or lies in it or in one below it. The folder has no slash
 * at its end, but for "/". */
static inline bool path_lies_in(const char *path, const char *folder)
{
	size_t len = strlen(folder);

	return !strncmp(path, folder, len) && (path[len] == '/' || !path[len] || len == 1);
}

#endif
