/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names that headers declare: their kinds, and what completion and inspection show of them.
 */
#ifndef CGPU_COMPILER_HEADER_NAMES_H
#define CGPU_COMPILER_HEADER_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "common/text/names.h"

struct error;

/* A name with the text to show for it. */
struct header_name {
	const char *name; /* in the pool of `names`, as the signature */
	char kind;        /* f function, v variable, t typedef, s tag, e enum constant, m macro */
	const char *signature;
};

struct header_names {
	struct header_name *at; /* owned; sorted by name once header_names_sort() was called */
	uint32_t n, cap;
};

void header_names_release(struct header_names *h);

/* Adds a name of a header with the text to show. */
int header_names_add(struct header_names *h, struct names *names, char kind, const char *name,
		     const char *signature, struct error *err);
void header_names_sort(struct header_names *h);
/* Returns the kind (see struct header_name) that a header gives to this word; 0 for none. */
char header_names_kind(const struct header_names *h, const char *name, size_t len);
/* Returns the first of the names that start with prefix; *ret_n of them follow each other. */
const struct header_name *header_names_with(const struct header_names *h, const char *prefix,
					    uint32_t *ret_n);

#endif
