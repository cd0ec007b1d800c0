/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file is judged by its first bytes: with the mark of ELF it is a library and is added, each
 * path once; else it must be a linker script with GROUP or INPUT, whose words are followed in
 * turn, so that libraries come in the order in which the script names them. Only the first 4096
 * bytes of a script are read. `-lname` is looked for as libname.so in the folders of -L given so
 * far, then in those of the system. A static library is looked for only to say in the error why it
 * does not help.
 */
#define _GNU_SOURCE
#include "compiler/packages/link-libraries.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/cleanup.h"
#include "common/base/error.h"

#define SCRIPT_MAX 4096

#if defined(__x86_64__)
#define TRIPLET "x86_64-linux-gnu"
#else
#define TRIPLET "aarch64-linux-gnu"
#endif

static const char *const system_folders[] = {
	"/usr/local/lib/" TRIPLET,
	"/usr/local/lib",
	"/lib/" TRIPLET,
	"/usr/lib/" TRIPLET,
	"/lib64",
	"/usr/lib64",
	"/lib",
	"/usr/lib",
};

void link_libraries_release(struct link_libraries *l)
{
	while (l->n_folders)
		free(l->folders[--l->n_folders]);
	while (l->n)
		free(l->paths[--l->n]);
	free(l->folders);
	free(l->paths);
	*l = (struct link_libraries){ 0 };
}

static int append(char ***list, size_t *n, char *text, struct error *err)
{
	char **grown = text ? realloc(*list, (*n + 1) * sizeof(*grown)) : NULL;

	if (!grown) {
		free(text);
		return error_set(err, ERROR_MEMORY, "out of memory for a list of libraries");
	}
	*list = grown;
	grown[(*n)++] = text;
	return 0;
}

static int add_folder(struct link_libraries *l, const char *folder, struct error *err)
{
	return append(&l->folders, &l->n_folders, strdup(folder), err);
}

bool link_libraries_is_always(const char *name)
{
#define ALWAYS(known)                                                                              \
	if (!strcmp(name, known))                                                                  \
		return true;
#include "compiler/packages/packages.def"
	return false;
}

static char *joined(const char *folder, const char *name, const char *suffix)
{
	char *path = NULL;

	return asprintf(&path, "%s/lib%s%s", folder, name, suffix) < 0 ? NULL : path;
}

static int starts_versioned(const char *file, const char *start)
{
	size_t len = strlen(start);

	return !strncmp(file, start, len) && file[len] >= '0' && file[len] <= '9';
}

char *link_libraries_in(const char *folder, const char *name)
{
	char *path = joined(folder, name, ".so");
	cleanup_free char *start = NULL;
	cleanup_dir DIR *d = NULL;

	if (path && !access(path, R_OK))
		return path;
	free(path);
	if (asprintf(&start, "lib%s.so.", name) < 0)
		return NULL;
	path = NULL;
	d = opendir(folder);
	/* The shortest name is the soname: libcublas.so.13 beside libcublas.so.13.4.0. */
	for (struct dirent *e; d && (e = readdir(d));) {
		if (!starts_versioned(e->d_name, start) ||
		    (path && strlen(e->d_name) >= strlen(strrchr(path, '/') + 1)))
			continue;
		free(path);
		if (asprintf(&path, "%s/%s", folder, e->d_name) < 0)
			return NULL;
	}
	return path;
}

static bool is_known(const struct link_libraries *l, const char *path)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->paths[i], path))
			return true;
	return false;
}

static int add_name(struct link_libraries *l, const char *name, struct error *err);

/* Follows a script such as GROUP ( /lib/libm.so.6 AS_NEEDED ( /lib/libmvec.so.1 ) ),
 * INPUT(libncurses.so.6 -ltinfo). */
static int follow_script(struct link_libraries *l, const char *path, char *text, struct error *err)
{
	const char *slash = strrchr(path, '/');
	bool in_list = false;
	char *rest = NULL;

	for (char *word = strtok_r(text, " \t\n,()", &rest); word;
	     word = strtok_r(NULL, " \t\n,()", &rest)) {
		cleanup_free char *beside = NULL;
		int failed = 0;

		if (!strcmp(word, "GROUP") || !strcmp(word, "INPUT")) {
			in_list = true;
		} else if (in_list && !strncmp(word, "-l", 2)) {
			failed = add_name(l, word + 2, err);
		} else if (in_list && *word == '/' && strstr(word, ".so")) {
			failed = link_libraries_add_file(l, word, err);
		} else if (in_list && strstr(word, ".so")) {
			if (asprintf(&beside, "%.*s/%s", (int)(slash - path), path, word) < 0)
				return error_set(err, ERROR_MEMORY,
						 "out of memory for a list of libraries");
			failed = link_libraries_add_file(l, beside, err);
		}
		if (failed)
			return error_wrap(err, "%s", path);
	}
	return 0;
}

int link_libraries_add_file(struct link_libraries *l, const char *path, struct error *err)
{
	cleanup_file FILE *f = fopen(path, "re");
	cleanup_free char *whole = realpath(path, NULL);
	char head[SCRIPT_MAX + 1];
	size_t n;

	if (!f || !whole)
		return error_errno(err, "cannot read the library %s", path);
	n = fread(head, 1, SCRIPT_MAX, f);
	head[n] = '\0';
	if (n >= 4 && !memcmp(head, "\177ELF", 4)) {
		/* Keep the given name, unless it depends on the working folder: updates change the
		 * target of a symbolic link. */
		const char *name = *path == '/' ? path : whole;

		return is_known(l, name) ? 0 : append(&l->paths, &l->n, strdup(name), err);
	}
	if (!strstr(head, "GROUP") && !strstr(head, "INPUT"))
		return error_set(err, ERROR_INPUT,
				 "%s is neither a shared library nor a linker script", path);
	return follow_script(l, path, head, err);
}

static char *find(const struct link_libraries *l, const char *name, const char *suffix)
{
	size_t n = sizeof(system_folders) / sizeof(*system_folders);

	for (size_t i = 0; i < l->n_folders + n; i++) {
		char *path =
			joined(i < l->n_folders ? l->folders[i] : system_folders[i - l->n_folders],
			       name, suffix);

		if (path && !access(path, R_OK))
			return path;
		free(path);
	}
	return NULL;
}

/* Adds -lname. ERROR_NOT_FOUND when there is none, or only a static one. Parts of libc need no
 * loading. */
static int add_name(struct link_libraries *l, const char *name, struct error *err)
{
	cleanup_free char *path = NULL, *archive = NULL;

	if (link_libraries_is_always(name))
		return 0;
	path = find(l, name, ".so");
	if (path)
		return link_libraries_add_file(l, path, err);
	archive = find(l, name, ".a");
	if (archive)
		return error_set(err, ERROR_NOT_FOUND,
				 "-l%s: there is only %s, a static library; cells need lib%s.so. "
				 "Build the library as a shared one",
				 name, archive, name);
	return error_set(err, ERROR_NOT_FOUND,
			 "-l%s: there is no lib%s.so in the folders of -L or of the system", name,
			 name);
}

int link_libraries_add_argument(struct link_libraries *l, const char *argument, struct error *err)
{
	if (!strncmp(argument, "-L", 2))
		return add_folder(l, argument + 2, err);
	if (!strncmp(argument, "-l:", 3)) {
		for (size_t i = 0; i < l->n_folders; i++) {
			cleanup_free char *path = NULL;

			if (asprintf(&path, "%s/%s", l->folders[i], argument + 3) >= 0 &&
			    !access(path, R_OK))
				return link_libraries_add_file(l, path, err);
		}
		return error_set(err, ERROR_NOT_FOUND,
				 "%s: there is no such file in the folders of -L", argument);
	}
	if (!strncmp(argument, "-l", 2))
		return add_name(l, argument + 2, err);
	if (*argument != '-')
		return link_libraries_add_file(l, argument, err);
	return 0;
}
