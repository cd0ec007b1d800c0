/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of a cell that clash with headers. A cell may call its variable `index` or `y1` although
 * libc's headers, which every cell includes, declare functions of these names: the session's name
 * wins. In the unit a macro renames it to OWN_PREFIX name, and the prefix is removed from
 * everything that leaves the compiler (symbols of the object, types, messages).
 */
#ifndef CGPU_COMPILER_OWN_NAMES_H
#define CGPU_COMPILER_OWN_NAMES_H

#include <stddef.h>

#define OWN_PREFIX "cgpu_own_"
/* The prefix of the storage of a constant that is computed at run time; see
 * compiler/clang/cells/clang-turns.cc. */
#define STORAGE_PREFIX "cgpu_storage_"

#ifdef __cplusplus
extern "C" {
#endif

struct buffer;
struct header_names;

/* Writes the directives that make a name the session's, if a header has it, too. */
void own_names_write(const struct header_names *headers, const char *name, size_t len,
		     struct buffer *out);
/* Removes the prefixes from a text, in place. */
void own_names_strip(char *text);

#ifdef __cplusplus
}
#endif

#endif
