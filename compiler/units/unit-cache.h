/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units of cells that were compiled before, on disk: a notebook that is run again compiles nothing.
 * A unit is found by a hash of all that it was made from: the text as clang sees it, with the
 * declarations of earlier cells in front, the request, the options, the headers of the prelude, and
 * the programs that make it. Cells of C that include files, those of C++ that include a user's own,
 * and those that use the time of day are compiled every time.
 *
 * Below $XDG_CACHE_HOME/cgpu/units; the least used go when it grows beyond its limit. Failures only
 * cost time.
 */
#ifndef CGPU_COMPILER_UNIT_CACHE_H
#define CGPU_COMPILER_UNIT_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"

struct unit_cache_key {
	char text[40]; /* "": not to be kept */
};

struct unit_cache {
	char *folder;   /* NULL: there is none */
	uint64_t limit; /* bytes */
	/* Work that waits until nothing else is to do. */
	struct unit_cache_key found, made;
	struct buffer unit; /* of `made` */
	uint64_t written;   /* bytes since the folder was last looked at */
};

/* folder: made if need be; "" for no cache. */
void unit_cache_init(struct unit_cache *c, const char *folder, uint64_t limit);
void unit_cache_release(struct unit_cache *c);

/* May a unit made of this text be kept? */
bool unit_cache_suits(const char *text, size_t len);
/* The same of a C++ unit. includes: the `#include` lines that its precompiled header is made of;
 * those do not count. */
bool unit_cache_suits_cpp(const char *text, const char *includes);
/* Appends what says which program makes the units, and with which precompiled header (NULL: none);
 * -1: it cannot be said. */
int unit_cache_made_by(const char *header, struct buffer *ret);
/* n texts are what the unit is made from. */
void unit_cache_key_make(struct unit_cache_key *ret, const char *const *texts,
			 const size_t *lengths, size_t n);

/* True: the unit was appended to ret. */
bool unit_cache_get(struct unit_cache *c, const struct unit_cache_key *key, struct buffer *ret);
/* Written by the next unit_cache_rest(). */
void unit_cache_put(struct unit_cache *c, const struct unit_cache_key *key,
		    const struct buffer *unit);
void unit_cache_rest(struct unit_cache *c);

#endif
