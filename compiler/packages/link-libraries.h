/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts arguments of a linker (-L/folder -lname, /path/libx.so) to the shared libraries that
 * must be loaded, in an order in which each finds its dependencies. Linker scripts in place of a
 * library (GROUP, INPUT) are followed.
 */
#ifndef CGPU_COMPILER_LINK_LIBRARIES_H
#define CGPU_COMPILER_LINK_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>

struct error;

struct link_libraries {
	char **folders; /* of -L; owned */
	size_t n_folders;
	char **paths; /* the libraries to load, in link order; owned */
	size_t n;
};

/* Releases the lists. A zeroed struct is accepted. */
void link_libraries_release(struct link_libraries *l);
/* Adds a file. */
int link_libraries_add_file(struct link_libraries *l, const char *path, struct error *err);
/* Adds one argument of a link line. Arguments that name no library (-Wl,... -pthread) are accepted
 * and ignored. */
int link_libraries_add_argument(struct link_libraries *l, const char *argument, struct error *err);

/* Returns the path of lib<name>.so, or of the only lib<name>.so.N, in a folder; malloc-ed, NULL
 * when there is none. */
char *link_libraries_in(const char *folder, const char *name);
/* Tells whether the library is a part of libc, which is always loaded. */
bool link_libraries_is_always(const char *name);

#endif
