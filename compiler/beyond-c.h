/* SPDX-License-Identifier: Apache-2.0 */
/* What C would take for something else, or for an error that says nothing, and C++ means: clang is then asked for C++ at once. */
#ifndef CGPU_COMPILER_BEYOND_C_H
#define CGPU_COMPILER_BEYOND_C_H

#include <stdbool.h>

struct host_text;
struct session;

/*
 * Is there a namespace or a `using` at the level of the cell, a name in a namespace of an earlier cell, or, in what it has for
 * the host, a lambda, the launch of a template, an object made by a constructor, or a function whose name a C++ cell was the
 * last to give to one?
 */
bool beyond_c(const struct host_text *h, const struct session *session);

#endif
