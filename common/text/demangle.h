/* SPDX-License-Identifier: Apache-2.0 */
/* Readable names of C++ functions. */
#ifndef CGPU_COMMON_TEXT_DEMANGLE_H
#define CGPU_COMMON_TEXT_DEMANGLE_H

#include <stddef.h>

/*
 * Not for the kernel process and a name without a bound: 250 characters can mean 400 MB.
 *
 * Writes a mangled name as "std::map<...>::at": without parameters, and with long template
 * arguments left out. Any other name is unchanged, and so are all where the C++ library is missing.
 * The result is cut to size.
 */
void demangle(const char *name, char *ret, size_t size);

#endif
