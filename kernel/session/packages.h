/* SPDX-License-Identifier: Apache-2.0 */
/*
 * %pkg, %ldflags and -fopenmp: the compiler process resolves a package, the zygote loads its
 * libraries, and then its flags are set. Either all packages of one command are taken or none.
 */
#ifndef CGPU_KERNEL_SESSION_PACKAGES_H
#define CGPU_KERNEL_SESSION_PACKAGES_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/declarations/flags.h"

struct buffer;
struct cell;
struct error;
struct package_work;
struct session;

/* Each function returns as a magic does: 1, and hooks->magic_done() follows, or -1. */

/* Uses packages; names has blanks between them. */
int packages_use(struct session *s, struct cell *c, const char *names, struct error *err);
/* Sets flags of this kind once the libraries that they need are loaded: -L and -l of FLAGS_LINK,
 * OpenMP's for FLAGS_C. */
int packages_set(struct session *s, struct cell *c, enum flags_kind kind, const char *flags,
		 struct error *err);
/* Only loads, for one cell, the libraries of linker flags ("" for none) and of packages. One of the
 * two texts is not "". */
int packages_load(struct session *s, struct cell *c, const char *link, const char *names,
		  struct error *err);
/* Prints the installed packages that contain the text. */
int packages_search(struct session *s, struct cell *c, const char *text, struct error *err);

/* Appends the lines of an answer to PACKAGE_SEARCH or PACKAGE_WHO_HAS; nothing if it is missing or
 * malformed. */
void packages_read_lines(uint32_t type, const void *payload, size_t len, struct buffer *out);

/* Frees the work in progress at the end of the session. */
void packages_release(struct session *s);

#endif
