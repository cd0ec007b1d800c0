/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program's own path is /proc/self/exe, with links resolved, and the prefix is three levels
 * above it. A folder of the prefix is chosen by a file that must be readable in it, not by the
 * folder's existence, so that an empty or incomplete one does not hide the folder that the build
 * has noted. Nothing is cached: each call resolves the path again.
 */
#define _GNU_SOURCE
#include "common/base/own-prefix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/cleanup.h"

char *own_prefix_above(const char *path, int levels)
{
	char *whole = realpath(path, NULL);

	for (int i = 0; i < levels && whole; i++) {
		char *slash = strrchr(whole, '/');

		if (slash)
			*slash = '\0';
	}
	return whole;
}

char *own_prefix_find(void)
{
	return own_prefix_above("/proc/self/exe", 3);
}

char *own_prefix_folder(const char *name, const char *file, const char *otherwise)
{
	cleanup_free char *prefix = own_prefix_find(), *folder = NULL, *probe = NULL;

	if (!prefix || asprintf(&folder, "%s/share/cgpu/%s", prefix, name) < 0 ||
	    asprintf(&probe, "%s/%s", folder, file) < 0)
		return NULL;
	return access(probe, R_OK) ? strdup(otherwise) : steal_pointer(&folder);
}
