/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries by name, for %pkg and %ldflags: what a package's .pc file says (read by libpkgconf), or
 * for CUDA's libraries, which have none, a table and the folders where a toolkit or pip puts them.
 * Answers flags for the compiler and the shared libraries to load; loading is the zygote's part.
 */
#ifndef CGPU_COMPILER_PACKAGES_H
#define CGPU_COMPILER_PACKAGES_H

#include "common/base/buffer.h"
#include "compiler/packages/link-libraries.h"

struct error;

struct package {
	char *version;                   /* "" if unknown; owned */
	char *cflags;                    /* owned */
	struct link_libraries libraries; /* what to load, in link order */
};

/* Accepts a zeroed struct. */
void package_release(struct package *p);

/*
 * cuda_root: a folder with CUDA's include and lib that is tried last, or NULL. ERROR_NOT_FOUND: the
 * text holds the command that installs it.
 */
int package_find(const char *name, const char *cuda_root, struct package *ret, struct error *err);
/* Words of a link line: -L -l, files. */
int package_link(const char *ldflags, struct package *ret, struct error *err);
/* A line for each package whose name or description holds the text. */
int package_search(const char *text, struct buffer *out, struct error *err);
/* The name for %pkg and the install command that bring this header; NULL when the table does not
 * know it. */
const char *package_of_header(const char *header, const char **ret_install);
/* Is it a name by which %pkg knows more than a .pc file says, or such a .pc file's? */
bool package_is_known(const char *name);
/* Path of a shared library below a root ("/usr"), by its -l name; malloc-ed, NULL when there is
 * none. */
char *package_library_in(const char *root, const char *name);
/* A line for each of these names (with blanks between) that an installed package has. */
int package_who_has(const char *names, struct buffer *out, struct error *err);

#endif
