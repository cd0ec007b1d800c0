/* SPDX-License-Identifier: Apache-2.0 */
/* Names of C++ functions as people write them. */
#ifndef CGPU_COMMON_TEXT_DEMANGLE_H
#define CGPU_COMMON_TEXT_DEMANGLE_H

#include <stddef.h>

/*
 * "std::map<...>::at" for a mangled name: without parameters, long template arguments left out. Any
 * other name, or where the C++ library is missing, stays as it is. Cut to size.
 */
void demangle(const char *name, char *ret, size_t size);

#endif
