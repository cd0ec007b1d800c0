/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `void check(cudaError_t code, int line, bool stop = true)` in host code: C has the function with all its parameters, and for
 * calls that leave some out overloads of clang, which call it with the values that the user has given.
 */
#ifndef CGPU_COMPILER_DEFAULT_ARGUMENTS_H
#define CGPU_COMPILER_DEFAULT_ARGUMENTS_H

#include <stdint.h>

struct host_text;

/* Takes the values out of the parameters of item i. */
void default_arguments_edit(struct host_text *h, uint32_t i);
/* The overloads, from h's pool: "" when item i has no such parameters. NULL: no memory. */
const char *default_arguments_overloads(const struct host_text *h, uint32_t i);

#endif
