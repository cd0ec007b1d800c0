/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which headers are precompiled for a C++ cell. A precompiled header for each list of includes is a
 * second's work for each list; one of all that is common in the library is two or three, once on a
 * machine, and a cell that uses it is as fast.
 */
#ifndef CGPU_COMPILER_CPP_BUNDLE_H
#define CGPU_COMPILER_CPP_BUNDLE_H

struct buffer;

/*
 * includes: "#include <...>" lines of the session and the cell. Appended to ret: the same, each
 * once; with one of the common headers all of them.
 */
void cpp_bundle_includes(const char *includes, struct buffer *ret);

#endif
