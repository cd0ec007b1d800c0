/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names that headers bring: what they are when a cell is split, and what completion and inspection show of them.
 */
#ifndef CGPU_COMPILER_HEADER_NAMES_H
#define CGPU_COMPILER_HEADER_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "common/names.h"
#include "compiler/text/split.h"

struct error;

/* What there is to show of a name. */
struct header_name {
	const char *name; /* in the pool of `names`, as the signature */
	char kind;	  /* f function, v variable, t typedef, s tag, e enum constant, m macro */
	const char *signature;
};

struct header_names {
	struct header_name *at; /* owned; sorted by name once header_names_sort() was called */
	uint32_t n, cap;
	uint8_t *classes; /* owned; by the number of a name: enum name_class + 1; 0 for none */
	uint32_t n_classes;
};

void header_names_release(struct header_names *h);

/* What a word is from now on; its texts and number are in `names`. */
int header_names_classify(struct header_names *h, struct names *names, const char *text, size_t len, enum name_class class);
/* NAME_UNKNOWN: no header has this name. */
enum name_class header_names_class(const struct header_names *h, uint32_t name);

/* A name of a header with what there is to show of it. */
int header_names_add(struct header_names *h, struct names *names, char kind, const char *name, const char *signature,
		     struct error *err);
void header_names_sort(struct header_names *h);
/* Which kind of name (see struct header_name) a header gives to this word; 0 for none. */
char header_names_kind(const struct header_names *h, const char *name, size_t len);
/* The first of the names that starts with prefix; *ret_n of them follow each other. */
const struct header_name *header_names_with(const struct header_names *h, const char *prefix, uint32_t *ret_n);

#endif
