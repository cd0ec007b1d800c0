/* SPDX-License-Identifier: Apache-2.0 */
/* Recognises text that C would misunderstand, or refuse with an unhelpful error, and that C++
 * accepts: such a cell is compiled as C++ at once. */
#ifndef CGPU_COMPILER_BEYOND_C_H
#define CGPU_COMPILER_BEYOND_C_H

#include <stdbool.h>
#include <stdint.h>

struct compiler_session;
struct token_list;

/*
 * Tells whether the cell has a mark of CUDA, a launch, a template, a class, a namespace, a `using`,
 * a `::` or a lambda. It is a guess by tokens; what it misses C refuses.
 */
bool beyond_c(const struct token_list *l);
/* Tells whether the cell calls the CUDA runtime. C++ is then tried first, and C if C++ refuses
 * it. */
bool beyond_c_is_likely(const struct token_list *l, const struct compiler_session *session);
/* Tells whether a C++ cell was the last to define a function of this name. A C function would be
 * another one, which no caller knows. */
bool beyond_c_defines(const struct compiler_session *session, const char *name);
/* Returns the line of the first mark of CUDA, or launch; 0: there is none. */
uint32_t beyond_c_cuda_line(const struct token_list *l);

#endif
