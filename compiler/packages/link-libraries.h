/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From what one would give to a linker (-L/folder -lname, /path/libx.so) to the shared libraries
 * that have to be loaded, in an order in which each finds what it needs. Linker scripts in place of
 * a library (GROUP, INPUT) are followed.
 */
#ifndef CGPU_COMPILER_LINK_LIBRARIES_H
#define CGPU_COMPILER_LINK_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>

struct error;

struct link_libraries {
	char **folders; /* of -L; owned */
	size_t n_folders;
	char **paths; /* what to load, in link order; owned */
	size_t n;
};

/* Accepts a zeroed struct. */
void link_libraries_release(struct link_libraries *l);
/* A file. */
int link_libraries_add_file(struct link_libraries *l, const char *path, struct error *err);
/* One argument of a link line. What does not name a library (-Wl,... -pthread) is accepted and
 * means nothing here. */
int link_libraries_add_argument(struct link_libraries *l, const char *argument, struct error *err);

/* Path of lib<name>.so, or of the only lib<name>.so.N, in a folder; malloc-ed, NULL when there is
 * none. */
char *link_libraries_in(const char *folder, const char *name);
/* A part of libc. */
bool link_libraries_is_always(const char *name);

#endif
