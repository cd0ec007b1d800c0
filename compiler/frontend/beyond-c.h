/* SPDX-License-Identifier: Apache-2.0 */
/* What C would take for something else, or for an error that says nothing, and C++ means: clang is
 * then asked for C++ at once. */
#ifndef CGPU_COMPILER_BEYOND_C_H
#define CGPU_COMPILER_BEYOND_C_H

#include <stdbool.h>
#include <stdint.h>

struct session;
struct token_list;

/*
 * Has the cell a mark of CUDA, a launch, a template, a class, a namespace, a `using`, a `::` or a
 * lambda? Tokens guess; what they miss C refuses.
 */
bool beyond_c(const struct token_list *l);
/* Does it call the CUDA runtime? C++ is asked first, and C what C++ does not take. */
bool beyond_c_is_likely(const struct token_list *l, const struct session *session);
/* Was a C++ cell the last to define a function of this name? One of C would be another function,
 * which no caller knows. */
bool beyond_c_defines(const struct session *session, const char *name);
/* The line of the first mark of CUDA, or launch; 0: there is none. */
uint32_t beyond_c_cuda_line(const struct token_list *l);

#endif
