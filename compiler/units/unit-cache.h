/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache of compiled units on disk, so that a notebook that is run again compiles nothing. A unit
 * is found by a hash of all that it was made from: the text as clang sees it, with the declarations
 * of earlier cells in front, the request, the options, the headers of the prelude, and the programs
 * that make it. C cells that include files, C++ cells that include a user's own, and cells that use
 * the time of day are always compiled.
 *
 * The folder is $XDG_CACHE_HOME/cgpu/units; the least recently used units are removed when it grows
 * beyond its limit. Failures only cost time.
 */
#ifndef CGPU_COMPILER_UNIT_CACHE_H
#define CGPU_COMPILER_UNIT_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buffer.h"

struct unit_cache_key {
	char text[40]; /* "": the unit is not cached */
};

struct unit_cache {
	char *folder;   /* NULL: there is none */
	uint64_t limit; /* bytes */
	/* Work that waits for idle time. */
	struct unit_cache_key found, made;
	struct buffer unit; /* of `made` */
	uint64_t written;   /* bytes since the folder was last looked at */
};

/* Sets the folder, which is made if need be; "" for no cache. */
void unit_cache_init(struct unit_cache *c, const char *folder, uint64_t limit);
void unit_cache_release(struct unit_cache *c);

/* Tells whether a unit made from this text may be cached. */
bool unit_cache_suits(const char *text, size_t len);
/* Does the same for a C++ unit. includes: the `#include` lines of its precompiled header, which are
 * ignored. */
bool unit_cache_suits_cpp(const char *text, const char *includes);
/* Appends an identification of the program that makes the units, and of the precompiled header
 * (NULL: none); -1: it cannot be determined. */
int unit_cache_made_by(const char *header, struct buffer *ret);
/* Makes a key from the n texts that the unit is made from. */
void unit_cache_key_make(struct unit_cache_key *ret, const char *const *texts,
			 const size_t *lengths, size_t n);

/* Looks a unit up. True: it was appended to ret. */
bool unit_cache_get(struct unit_cache *c, const struct unit_cache_key *key, struct buffer *ret);
/* Stores a unit, which the next unit_cache_rest() writes. */
void unit_cache_put(struct unit_cache *c, const struct unit_cache_key *key,
		    const struct buffer *unit);
void unit_cache_rest(struct unit_cache *c);

#endif
