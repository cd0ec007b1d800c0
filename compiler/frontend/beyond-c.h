/* SPDX-License-Identifier: Apache-2.0 */
/* What C would take for something else, or for an error that says nothing, and C++ means: clang is then asked for C++ at once. */
#ifndef CGPU_COMPILER_BEYOND_C_H
#define CGPU_COMPILER_BEYOND_C_H

#include <stdbool.h>
#include <stdint.h>

struct host_text;
struct session;

/*
 * Has the cell a mark of CUDA, a launch, a template, a class, a namespace, a `using`, a lambda, an object made by a constructor,
 * or a function whose name a C++ cell was the last to give to one? Tokens guess; what they miss C refuses.
 */
bool beyond_c(const struct host_text *h, const struct session *session);
/* Does it call the CUDA runtime, or name what is in a scope? C++ is asked first, and C what C++ does not take. */
bool beyond_c_is_likely(const struct host_text *h, const struct session *session);
/* The line of the first mark of CUDA, or launch; 0: there is none. */
uint32_t beyond_c_cuda_line(const struct host_text *h);

#endif
