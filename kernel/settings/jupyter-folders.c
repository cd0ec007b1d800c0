/* SPDX-License-Identifier: Apache-2.0 */
/* The rule is that of jupyter_core.paths: a variable for the folder, one for the folder above it,
 * or the user's data. Each that is set counts, since a server may have been started with another
 * one. */
#define _GNU_SOURCE
#include "kernel/settings/jupyter-folders.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buffer.h"

static const struct {
	const char *variable, *below;
} places[] = {
	{ "JUPYTER_RUNTIME_DIR", "" },
	{ "JUPYTER_DATA_DIR", "/runtime" },
	{ "XDG_DATA_HOME", "/jupyter/runtime" },
	{ "HOME", "/.local/share/jupyter/runtime" },
};

static bool is_there_already(const struct buffer *list, const char *path)
{
	for (size_t at = 0; at < list->len; at += strlen(list->data + at) + 1)
		if (!strcmp(list->data + at, path))
			return true;
	return false;
}

static bool is_here(const char *folder)
{
	size_t len = strlen(folder);
	char here[PATH_MAX];

	return !getcwd(here, sizeof(here)) ||
	       (!strncmp(here, folder, len) && (!here[len] || here[len] == '/'));
}

void jupyter_folders_runtime(struct buffer *ret)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const char *above = getenv(places[i].variable);
		char named[PATH_MAX], path[PATH_MAX];
		struct stat st;

		if (!above || *above != '/' ||
		    snprintf(named, sizeof(named), "%s%s", above, places[i].below) >=
			    (int)sizeof(named) ||
		    !realpath(named, path) || stat(path, &st) || !S_ISDIR(st.st_mode))
			continue;
		if (!is_there_already(ret, path) && !is_here(path))
			buffer_append(ret, path, strlen(path) + 1);
	}
}
