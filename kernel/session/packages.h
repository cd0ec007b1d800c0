/* SPDX-License-Identifier: Apache-2.0 */
/*
 * %pkg, %ldflags and -fopenmp: the compiler process says what a package means, the zygote loads its
 * libraries, and then its flags hold. All packages of one command are taken, or none is.
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

/* Each answers as a magic does: 1, and hooks->magic_done() follows, or -1. */

/* Names with blanks between them. */
int packages_use(struct session *s, struct cell *c, const char *names, struct error *err);
/* Sets flags of this kind once the libraries that they mean are loaded: -L and -l of FLAGS_LINK,
 * OpenMP's for FLAGS_C. */
int packages_set(struct session *s, struct cell *c, enum flags_kind kind, const char *flags,
		 struct error *err);
/* Only loads what the flags of a linker, "" for none, and these packages mean: for one cell. One of
 * the two is not "". */
int packages_load(struct session *s, struct cell *c, const char *link, const char *names,
		  struct error *err);
/* Prints what is installed and holds the text. */
int packages_search(struct session *s, struct cell *c, const char *text, struct error *err);

/* The lines of an answer to PACKAGE_SEARCH or PACKAGE_WHO_HAS; nothing of one that is missing or
 * malformed. */
void packages_read_lines(uint32_t type, const void *payload, size_t len, struct buffer *out);

/* At the end of the session. */
void packages_release(struct session *s);

#endif
