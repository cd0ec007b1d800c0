/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cell may call its variable `index` or `y1` although libc's headers, which every cell has,
 * declare functions of these names: the session's name wins. In the unit such a name is spelled
 * OWN_PREFIX name, by a macro, and everything that leaves the compiler (symbols of the object,
 * types, messages) loses the prefix again.
 */
#ifndef CGPU_COMPILER_OWN_NAMES_H
#define CGPU_COMPILER_OWN_NAMES_H

#include <stddef.h>

#define OWN_PREFIX "cgpu_own_"
/* The storage of a constant that gets its value at run time; see compiler/clang/clang-turns.cc. */
#define STORAGE_PREFIX "cgpu_storage_"

#ifdef __cplusplus
extern "C" {
#endif

struct buffer;
struct header_names;

/* When a header has this name too: the directives that make it the session's. */
void own_names_write(const struct header_names *headers, const char *name, size_t len,
		     struct buffer *out);
/* Take the prefixes out of a text, in place. */
void own_names_strip(char *text);

#ifdef __cplusplus
}
#endif

#endif
