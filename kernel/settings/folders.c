/* SPDX-License-Identifier: Apache-2.0 */
/* Calls mkdir() for each part in turn; one that exists already, perhaps made by another process at
 * this moment, is accepted. */
#include "kernel/settings/folders.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/error.h"

#define PATH_SIZE 4096

static int make(const char *path, size_t len, mode_t mode, struct error *err)
{
	char part[PATH_SIZE];

	if (len >= sizeof(part))
		return error_set(err, ERROR_INPUT,
				 "the path of this folder is longer than %d bytes: %.80s...",
				 PATH_SIZE - 1, path);
	snprintf(part, sizeof(part), "%.*s", (int)len, path);
	return mkdir(part, mode) && errno != EEXIST
		       ? error_errno(err, "cannot make the folder %s", part)
		       : 0;
}

int folders_make_for(const char *file, mode_t mode, struct error *err)
{
	for (const char *slash = strchr(file + 1, '/'); *file && slash;
	     slash = strchr(slash + 1, '/'))
		if (make(file, (size_t)(slash - file), mode, err))
			return -1;
	return 0;
}

int folders_make(const char *path, mode_t mode, struct error *err)
{
	return folders_make_for(path, mode, err) || make(path, strlen(path), mode, err) ? -1 : 0;
}
