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

struct buffer;
struct session;

/* When a header has this name too: the directives that make it the session's. */
void own_names_write(const struct session *s, const char *name, size_t len, struct buffer *out);
/* Take the prefixes out of a text, in place. */
void own_names_strip(char *text);
/* The same for the symbols of an ELF object. */
void own_names_strip_object(void *object, size_t len);

/* Of functions in the object that are weak and not in a group of sections, as an inline one is: they are ordinary ones. */
void own_names_make_strong(void *object, size_t len);

/* Mark the variable in the object (UNIT_OWN_VARIABLE), also as a thread-local one. */
void own_names_mark_variable(void *object, size_t len, const char *name);

#endif
