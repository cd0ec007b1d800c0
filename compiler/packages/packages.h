/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries by name, for %pkg and %ldflags: from a package's .pc file (read by libpkgconf), or, for
 * CUDA's libraries, which have none, from a table and the folders where a toolkit or pip puts them.
 * The results are flags for the compiler and the shared libraries to load, which the zygote does.
 */
#ifndef CGPU_COMPILER_PACKAGES_H
#define CGPU_COMPILER_PACKAGES_H

#include "common/base/buffer.h"
#include "compiler/packages/link-libraries.h"

struct error;

struct package {
	char *version;                   /* "" if unknown; owned */
	char *cflags;                    /* owned */
	struct link_libraries libraries; /* the libraries to load, in link order */
};

/* Releases a package. A zeroed struct is accepted. */
void package_release(struct package *p);

/*
 * Finds a package. cuda_root: a folder with CUDA's include and lib that is tried last, or NULL.
 * ERROR_NOT_FOUND: the error text has the command that installs it.
 */
int package_find(const char *name, const char *cuda_root, struct package *ret, struct error *err);
/* Resolves the words of a link line: -L -l, files. */
int package_link(const char *ldflags, struct package *ret, struct error *err);
/* Receives a package; version and text may be "". */
typedef void package_found(void *data, const char *name, const char *version, const char *text);
/* Calls found() for each package that package_find() finds, and for CUDA's, found or not. */
int package_each(package_found *found, void *data, struct error *err);
/* Appends a line for each package whose name or description contains the text. */
int package_search(const char *text, struct buffer *out, struct error *err);
/* Returns the name for %pkg and the install command of the package with this header; NULL when the
 * table does not have it. */
const char *package_of_header(const char *header, const char **ret_install);
/* Tells whether %pkg knows more about this name than a .pc file says. */
bool package_is_known(const char *name);
/* Returns the path of a shared library below a root ("/usr"), by its -l name; malloc-ed, NULL when
 * there is none. */
char *package_library_in(const char *root, const char *name);
/* Appends a line for each of these names (with blanks between) that an installed package has. */
int package_who_has(const char *names, struct buffer *out, struct error *err);

#endif
