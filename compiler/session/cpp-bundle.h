/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the headers that are precompiled for a C++ cell. Precompiling one list of includes takes
 * about a second for each list; precompiling all common headers of the library together takes two
 * or three seconds, once on a machine, and a cell that uses the result is as fast.
 */
#ifndef CGPU_COMPILER_CPP_BUNDLE_H
#define CGPU_COMPILER_CPP_BUNDLE_H

#include <stddef.h>

struct buffer;

/*
 * includes has "#include <...>" lines of the session and the cell. Appends to ret the same lines,
 * each once; if one is a common header, all common headers.
 */
void cpp_bundle_includes(const char *includes, struct buffer *ret);
/* Returns the length of the common headers at the beginning of such a text; 0: it has none. */
size_t cpp_bundle_length(const char *includes);

#endif
